// Package model describes a package after its source has been analyzed and before anything is
// written: server, tools, receivers, and the plan of every type that travels. It does no I/O and
// has no syntax trees; it is filled by generator/internal/analyze and read by
// generator/internal/emit, the command and the contract.
package model

import (
	"go/token"
	"go/types"
	"path"
	"regexp"
	"time"
)

// Package is one Go package with annotated features.
type Package struct {
	Path   string         // import path
	Name   string         // package name
	Dir    string         // absolute directory
	Module string         // path of the module it belongs to
	Types  *types.Package // as type-checked without its generated file
	Main   bool           // package main

	Constraint string // the //go:build line for the constraint that all files share, "" without one

	// NotEmitted is set by emit=none: the features are emitted by another package, with //mcp:from,
	// and nothing is written for this one.
	NotEmitted bool
	// From are the packages whose features are emitted here, in order of path.
	From []*types.Package

	// Aliases are the names by which the file calls declared types that it cannot call by their
	// own.
	Aliases *Aliases

	// Server is set by //mcp:server, and always in package main.
	Server *Server

	// Receivers are the parameters of RegisterMCP, in order of type name. A receiver that a
	// provider makes per call is not among them.
	Receivers []*Receiver

	// Tools are in order of published name, so that neither the names nor the order of the source
	// files matter.
	Tools []*Tool

	// Resources and Templates are in order of URI; embedded files, of which there may be any
	// number, are among the templates. Prompts are in order of published name, Forms in order of
	// type name.
	Resources []*Resource
	Templates []*Resource
	Prompts   []*Prompt
	Forms     []*Form

	// Errors are the errors declared by //mcp:error, in order of name.
	Errors []*DeclaredError

	// UnreadTags is what tags of fields say without effect.
	UnreadTags []UnreadTag
}

// UnreadTag is something that the tag of a field says and nothing reads.
type UnreadTag struct {
	Pos                    token.Position
	Subject, Message, Hint string
	Ignored                bool   // by //mcp:ignore unread-tag
	Member                 string // as Diagnostic.Member has it
}

// Predeclared are the identifiers of Go that a generated file uses in their own meaning, so that a
// package must not declare them.
var Predeclared = []string{"any", "bool", "error", "false", "len", "new", "nil", "string", "true"}

// Server is the identity that //mcp:server gives.
type Server struct {
	Name         string
	Version      string // "" = read from the build info when the program starts
	Title        string
	Description  string
	Instructions string
	Website      string
	Icons        []Icon
	TTL          time.Duration // how long lists may be kept; 0 = not said
	Cache        string        // "public", "private" or "" = not said
	Pos          token.Position
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// ServerName is the name of a server whose package says none: the last element of the import path
// that is not a major version.
func ServerName(importPath string) string {
	name := path.Base(importPath)
	if parent := path.Dir(importPath); majorVersion.MatchString(name) && parent != "." {
		name = path.Base(parent)
	}
	return name
}

// Receiver is what methods are called on.
type Receiver struct {
	Param    string         // name of the parameter of RegisterMCP
	Pkg      *types.Package // that declares the type; nil for the package itself
	TypeName string         // name of the declared type, with those of its type arguments behind it
	Type     types.Type     // pointer to the named type, or the interface
	// Constructor is how the command makes one; nil if there is none and the zero value must do.
	Constructor *Constructor
	// Provider, when set, makes the receiver anew for each call.
	Provider *Provider
	// Args is set if the receiver is made of the arguments of a call.
	Args bool
	Pos  token.Position
}

// Constructor is a function that returns a receiver.
type Constructor struct {
	Pkg     *types.Package // that declares it; nil for the package itself
	Func    string         // identifier
	Context bool           // takes a context.Context
	Cleanup bool           // returns a func() to be called at the end
	Error   bool           // returns an error
	// Addr is set when it returns T where *T is wanted.
	Addr bool
	Pos  token.Position
}

// Provider is a function annotated with //mcp:inject.
type Provider struct {
	Pkg    *types.Package // that declares it; nil for the package itself
	Func   string         // identifier
	Params []types.Type   // the context, and what else it needs
	Type   types.Type
	Error  bool // returns (T, error)
	Pos    token.Position
}

// DeclaredError is an error that is meant for the model: a sentinel variable, an error type, or a
// function that returns the text of such a type.
type DeclaredError struct {
	Pkg  *types.Package // that declares it; nil for the package itself
	Name string
	// Type is set for an error type: T, *T if only the pointer is an error, or what the function
	// takes.
	Type types.Type
	// Func is set if Name is a function.
	Func bool
	// Text replaces the error's own text when not empty.
	Text string
	Pos  token.Position
}

// Hints are the four tool annotations, always published.
type Hints struct {
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// Tool is one annotated function.
type Tool struct {
	Name        string
	Title       string
	Description string
	Groups      []string
	Scopes      []string // that a caller must have
	Hints       Hints
	Timeout     time.Duration
	Lenient     bool
	HideErrors  bool  // errors=declared
	MaxResult   int64 // bytes, 0 = no limit
	// Narrow are the arguments that make a result smaller, of a tool that limits its size.
	Narrow   []string
	Defs     bool // its schemas share repeated types in $defs
	Aliases  []string
	Icons    []Icon
	Meta     []Meta
	Requires []Capability
	MIME     string // media type of a result of kind Blob or Reader
	Output   OutputForm
	Task     *Task // nil if calls do not become tasks

	// EffectSaid is set if a directive has readonly, destructive or additive, ReachSaid if one has
	// openworld or closedworld, and ErrorsSaid if one has errors=; otherwise Hints and HideErrors
	// are defaults.
	EffectSaid, ReachSaid, ErrorsSaid bool
	// MayBeLarge is set if //mcp:ignore suppresses the rule large-schema.
	MayBeLarge bool

	Call
	Pos token.Position
}

// Task says how calls of a tool become tasks.
type Task struct {
	Required          bool
	Inline, TTL, Poll time.Duration // 0 of TTL and Poll is the default of the runtime
	Restart           bool
}

// Support is the word of task=.
func (t *Task) Support() string {
	switch {
	case t == nil:
		return ""
	case t.Required:
		return "required"
	}
	return "optional"
}

// OutputForm says what clients get of a structured result.
type OutputForm int

const (
	OutputTyped   OutputForm = iota // structured content, and its schema
	OutputUntyped                   // structured content without a schema
	OutputText                      // content blocks alone, without a schema
)

// OutputForms are the words of output=, by value.
var OutputForms = []string{"typed", "untyped", "text"}

// Call is a Go function and how its parameters are filled and its results used.
type Call struct {
	Func  Func
	Recv  *Param // the receiver, if it is made of arguments
	Input *Input
	Fills []*Fill
	// Provided are the providers that have parameters besides the context, each after those that it
	// needs.
	Provided []*Provided
	Result   Result
	// Choices are the arguments whose values a function returns when features are registered.
	Choices []*Choices
}

// Choices are the values of one argument.
type Choices struct {
	Argument string         // published name
	Pkg      *types.Package // that declares the function; nil for the package itself
	Name     string         // of the function
	Error    bool           // it is func(context.Context) ([]string, error)
	Texts    []string       // defaults and examples, which must be among the values
}

// Fill is a member of the arguments that a function fills after they have been read. It is not
// among the fields that are published.
type Fill struct {
	Name     string // as inject= has it
	Provider *Provider
	// Chain leads to it: the fields on the way, and its own. Whether those on the way are there
	// depends on the arguments, if they are pointers.
	Chain []*Field
}

// Func is the Go function behind a feature.
type Func struct {
	Pkg      *types.Package // that declares it; nil for the package itself
	Name     string         // identifier
	Symbol   string         // for people: Search, (*Store).Search, (*shop.Store).Search
	Receiver *Receiver      // nil for a plain function
	TypeArgs []types.Type   // of an instance of a generic function
	Params   []*Param       // all of them, in order
	Variadic bool
}

// Source says where the value of a parameter comes from.
type Source int

const (
	FromContext  Source = iota // the context of the call
	FromArgument               // one argument, see Param.Field
	FromWhole                  // the whole arguments object
	FromProvider               // an //mcp:inject function
	FromZero                   // omitted: the zero value
	FromFixed                  // a constant, see Param.Fixed
)

// Param is one parameter of a function.
type Param struct {
	Name     string
	Type     types.Type // of the slice, for a variadic one
	Source   Source
	Provider *Provider // FromProvider
	Field    *Field    // FromArgument; without a Type if no client can send anything of it
	Inlined  bool      // FromArgument: the members of the struct are arguments
	Shared   bool      // FromArgument: Field is that of another parameter
	Fixed    *Field    // FromFixed: its Default is the constant
	Pos      token.Position
}

// Input is the arguments object of a tool.
type Input struct {
	// Object is the plan of the object. Its fields are the arguments. Where Whole is false it has
	// no Go type of its own, and Field.Path of each argument is the parameter's name.
	Object *Type
	// Whole is set where one struct parameter is the object.
	Whole bool
	// Pointer is set where that parameter is a pointer to the struct.
	Pointer bool
}

// ResultKind says what a function's values become.
type ResultKind int

const (
	ResultNone       ResultKind = iota // nothing: the text "done"
	ResultText                         // string: text
	ResultContent                      // mcp.Content
	ResultContents                     // []mcp.Content
	ResultTool                         // *mcp.ToolResult
	ResultTyped                        // mcp.Result[T]: structured, with a text of its own
	ResultStructured                   // everything else
	ResultBlob                         // []byte
	ResultReader                       // io.Reader
	ResultSeq                          // iter.Seq[T]
	ResultSeqError                     // iter.Seq2[T, error]
	ResultResource                     // a result or contents of a resource, see Result.Form
	ResultPrompt                       // a result or messages of a prompt, see Result.Form
)

// ResultForm says which of the runtime's types a function returns.
type ResultForm int

const (
	FormOne     ResultForm = iota // mcp.ResourceContents, mcp.PromptMessage
	FormMany                      // a slice of them
	FormWhole                     // mcp.ResourceResult, mcp.PromptResult
	FormPointer                   // a pointer to one of those
)

// Role is the part that one Go result plays.
type Role int

const (
	RoleValue   Role = iota
	RoleFound        // bool: false is "nothing found"
	RoleCleanup      // func(), called after encoding
	RoleError
	RoleLeftOut // of no part of the result
)

// Result is what a function returns.
type Result struct {
	Kind   ResultKind
	Values []*ResultValue // the Go results, in order
	// Output is the plan of the structured value, nil for other kinds. For several named values it
	// has no Go type and Field.Path is the result's name.
	Output *Type
	// Text is the plan of the one value where functions make a string of it: conversions and
	// pointers around a String. It is nil for other results of the kind Text.
	Text *Type
	// Object is set where several named values make one object.
	Object bool
	// Form belongs to the kinds Resource and Prompt.
	Form ResultForm
	// ByReflection is set where encoding/json gives the form of the structured value.
	ByReflection bool
	// Member is set where the result is one field of the one value.
	Member *ResultMember
	// Short is set where a list of the result may have fewer elements than the function returns.
	Short *Short
}

// ResultMember is the field of a struct that is the result.
type ResultMember struct {
	Name    string
	Type    types.Type
	Pointer bool // the struct is behind a pointer
	// Response is set if the struct has the field HTTPResponse, a *http.Response, and Body if it
	// has the bytes of its body.
	Response, Body bool
}

// ResultValue is one Go result.
type ResultValue struct {
	Name string // identifier, "" when unnamed
	// Published is the name of the member that it becomes, "" where it has none.
	Published string
	Type      types.Type
	Role      Role
	Pos       token.Position
}
