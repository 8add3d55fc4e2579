// Package model describes a package between the analysis of its source and the output: server,
// tools, receivers, and the plan of every type that is sent or received. It does no I/O and
// contains no syntax trees; generator/internal/analyze fills it, and generator/internal/emit, the
// command and the contract read it.
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

	Constraint string // the //go:build line for the constraint that all files share, or ""

	// NotEmitted is set by emit=none: another package emits the features, with //mcp:from, and no
	// file is written for this one.
	NotEmitted bool
	// From are the packages whose features are emitted here, in order of path.
	From []*types.Package

	// Aliases contains the names by which the file refers to declared types that it cannot name
	// directly.
	Aliases *Aliases

	// Server is set by //mcp:server, and always in package main.
	Server *Server

	// Receivers are the parameters of RegisterMCP, in order of type name. They do not include
	// receivers that a provider makes for each call.
	Receivers []*Receiver

	// Tools are in order of published name, so that neither the names nor the order of the source
	// files matter.
	Tools []*Tool

	// Resources and Templates are in order of URI; embedded files, of any number, are templates.
	// Prompts are in order of published name, Forms in order of type name.
	Resources []*Resource
	Templates []*Resource
	Prompts   []*Prompt
	Forms     []*Form
	// Skills are in order of URI.
	Skills []*Skills

	// Errors are the errors declared by //mcp:error, in order of name.
	Errors []*DeclaredError

	// UnreadTags are the parts of field tags that have no effect.
	UnreadTags []UnreadTag
}

// UnreadTag is a part of a field's tag that nothing reads.
type UnreadTag struct {
	Pos                    token.Position
	Subject, Message, Hint string
	Ignored                bool   // by //mcp:ignore unread-tag
	Member                 string // see Diagnostic.Member
}

// Predeclared are the predeclared identifiers that a generated file uses, so that a package must
// not declare them.
var Predeclared = []string{"any", "bool", "error", "false", "len", "new", "nil", "string", "true"}

// Server is the identity that //mcp:server gives.
type Server struct {
	Name         string
	Version      string // "" means that the program reads it from the build info when it starts
	Title        string
	Description  string
	Instructions string
	Website      string
	Icons        []Icon
	TTL          time.Duration // how long clients may cache lists; 0 if not given
	Cache        string        // "public", "private", or "" if not given
	Pos          token.Position
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// ServerName returns the server name of a package that gives none: the last element of the import
// path that is not a major version.
func ServerName(importPath string) string {
	name := path.Base(importPath)
	if parent := path.Dir(importPath); majorVersion.MatchString(name) && parent != "." {
		name = path.Base(parent)
	}
	return name
}

// Receiver is the receiver of methods.
type Receiver struct {
	Param    string         // name of the parameter of RegisterMCP
	Pkg      *types.Package // package that declares the type; nil for the package itself
	TypeName string         // name of the declared type, followed by the names of its type arguments
	Type     types.Type     // pointer to the named type, or the interface
	// Constructor is the function by which the command makes a receiver; if nil, the command uses
	// the zero value.
	Constructor *Constructor
	// Provider, if set, makes a new receiver for each call.
	Provider *Provider
	// Args is set if the receiver is made of the arguments of a call.
	Args bool
	Pos  token.Position
}

// Constructor is a function that returns a receiver.
type Constructor struct {
	Pkg     *types.Package // package that declares it; nil for the package itself
	Func    string         // identifier
	Context bool           // takes a context.Context
	Cleanup bool           // returns a func() to be called at the end
	Error   bool           // returns an error
	// Addr is set if it returns T but *T is needed.
	Addr bool
	Pos  token.Position
}

// Provider is a function annotated with //mcp:inject.
type Provider struct {
	Pkg    *types.Package // package that declares it; nil for the package itself
	Func   string         // identifier
	Params []types.Type   // the context, followed by the other values that it needs
	Type   types.Type
	Error  bool // returns (T, error)
	Pos    token.Position
}

// DeclaredError is an error whose message the model may read: a sentinel variable, an error type,
// or a function that returns the message for such a type.
type DeclaredError struct {
	Pkg  *types.Package // package that declares it; nil for the package itself
	Name string
	// Type is set for an error type: T, *T if only the pointer is an error, or the parameter type
	// of the function.
	Type types.Type
	// Func is set if Name is a function.
	Func bool
	// Text, if not empty, replaces the error's own message.
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
	Scopes      []string // scopes that a caller needs
	Hints       Hints
	Timeout     time.Duration
	Lenient     bool
	HideErrors  bool  // errors=declared
	MaxResult   int64 // in bytes; 0 means no limit
	// Narrow lists the arguments that reduce the size of a result, for a tool with a size limit.
	Narrow   []string
	Defs     bool // its schemas share repeated types in $defs
	Aliases  []string
	Icons    []Icon
	Meta     []Meta
	Requires []Capability
	MIME     string // media type of a result of kind Blob or Reader
	Output   OutputForm
	Task     *Task // nil if calls do not become tasks
	UI       *ToolUI

	// EffectSaid is set if a directive contains readonly, destructive or additive, ReachSaid if it
	// contains openworld or closedworld, and ErrorsSaid if it contains errors=. Otherwise Hints and
	// HideErrors are defaults.
	EffectSaid, ReachSaid, ErrorsSaid bool
	// MayBeLarge is set if //mcp:ignore suppresses the rule large-schema.
	MayBeLarge bool

	Call
	Pos token.Position
}

// ToolUI is the interface of a tool. Its position is the position of ui=, or else of visibility=.
type ToolUI struct {
	ResourceURI string // "" for a tool without a page
	Visibility  string // "model", "app", or "" for both
	Pos         token.Position
}

// Task describes how calls of a tool become tasks.
type Task struct {
	Required          bool
	Inline, TTL, Poll time.Duration // TTL and Poll: 0 means the runtime's default
	Restart           bool
}

// Support returns the word for task=.
func (t *Task) Support() string {
	switch {
	case t == nil:
		return ""
	case t.Required:
		return "required"
	}
	return "optional"
}

// OutputForm is the form in which clients receive a structured result.
type OutputForm int

const (
	OutputTyped   OutputForm = iota // structured content, and its schema
	OutputUntyped                   // structured content without a schema
	OutputText                      // content blocks alone, without a schema
)

// OutputForms are the words for output=, by value.
var OutputForms = []string{"typed", "untyped", "text"}

// Call is a Go function with the sources of its parameters and the use of its results.
type Call struct {
	Func  Func
	Recv  *Param // the receiver, if it is made of arguments
	Input *Input
	Fills []*Fill
	// Provided are the providers with other parameters than the context, each after the providers
	// that it needs.
	Provided []*Provided
	Result   Result
	// Choices are the arguments whose values a function returns when features are registered.
	Choices []*Choices
}

// Choices names the function that returns the values of one argument.
type Choices struct {
	Argument string         // published name
	Pkg      *types.Package // package that declares the function; nil for the package itself
	Name     string         // name of the function
	Error    bool           // the function is a func(context.Context) ([]string, error)
	Texts    []string       // defaults and examples, which must be among the values
}

// Fill is a member of the arguments whose value a function returns after they are read. It is not
// among the published fields.
type Fill struct {
	Name     string // the name in inject=
	Provider *Provider
	// Chain contains the fields from the arguments to the member, including itself. Fields before
	// it that are pointers may be nil, depending on the arguments.
	Chain []*Field
}

// Func is the Go function behind a feature.
type Func struct {
	Pkg      *types.Package // package that declares it; nil for the package itself
	Name     string         // identifier
	Symbol   string         // for people: Search, (*Store).Search, (*shop.Store).Search
	Receiver *Receiver      // nil for a plain function
	TypeArgs []types.Type   // type arguments of an instance of a generic function
	Params   []*Param       // all of them, in order
	Variadic bool
}

// Source is the source of a parameter's value.
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
	Type     types.Type // for a variadic parameter the type of the slice
	Source   Source
	Provider *Provider // for FromProvider
	Field    *Field    // for FromArgument; without a Type if no client can send any part of it
	Inlined  bool      // for FromArgument: the members of the struct are arguments
	Shared   bool      // for FromArgument: another parameter uses the same Field
	Fixed    *Field    // for FromFixed: its Default is the constant
	Pos      token.Position
}

// Input is the arguments object of a tool.
type Input struct {
	// Object is the plan of the object. Its fields are the arguments. If Whole is false it has no
	// Go type, and Field.Path of each argument is the parameter's name.
	Object *Type
	// Whole is set if one struct parameter is the object.
	Whole bool
	// Pointer is set if that parameter is a pointer to the struct.
	Pointer bool
}

// ResultKind is the kind of result that a function's values become.
type ResultKind int

const (
	ResultNone       ResultKind = iota // no values: the text "done"
	ResultText                         // string: text
	ResultContent                      // mcp.Content
	ResultContents                     // []mcp.Content
	ResultTool                         // *mcp.ToolResult
	ResultTyped                        // mcp.Result[T]: structured, with its own text
	ResultStructured                   // all other types
	ResultBlob                         // []byte
	ResultReader                       // io.Reader
	ResultSeq                          // iter.Seq[T]
	ResultSeqError                     // iter.Seq2[T, error]
	ResultResource                     // a result or contents of a resource, see Result.Form
	ResultPrompt                       // a result or messages of a prompt, see Result.Form
)

// ResultForm is the type of the runtime that a function returns.
type ResultForm int

const (
	FormOne     ResultForm = iota // mcp.ResourceContents, mcp.PromptMessage
	FormMany                      // a slice of them
	FormWhole                     // mcp.ResourceResult, mcp.PromptResult
	FormPointer                   // a pointer to one of those
)

// Role is the use of one Go result.
type Role int

const (
	RoleValue   Role = iota
	RoleFound        // bool: false is "nothing found"
	RoleCleanup      // func(), called after encoding
	RoleError
	RoleLeftOut // not part of the result
)

// Result describes the results of a function.
type Result struct {
	Kind   ResultKind
	Values []*ResultValue // the Go results, in order
	// Output is the plan of the structured value, or nil for other kinds. For several named values
	// it has no Go type, and Field.Path is the result's name.
	Output *Type
	// Text is the plan of the one value if functions convert it to a string: conversions and
	// pointers around a String. It is nil for other results of the kind Text.
	Text *Type
	// Object is set if several named values become one object.
	Object bool
	// Form is set for the kinds Resource and Prompt.
	Form ResultForm
	// ByReflection is set if encoding/json determines the form of the structured value.
	ByReflection bool
	// Member is set if the result is one field of the one value.
	Member *ResultMember
	// Short is set if a list in the result may be shortened.
	Short *Short
}

// ResultMember is the field of a struct that is the result.
type ResultMember struct {
	Name    string
	Type    types.Type
	Pointer bool // the struct is behind a pointer
	// Response is set if the struct has the field HTTPResponse, a *http.Response, and Body if it
	// has a field with the bytes of the response body.
	Response, Body bool
}

// ResultValue is one Go result.
type ResultValue struct {
	Name string // identifier, or ""
	// Published is the name of the member that it becomes, or "".
	Published string
	Type      types.Type
	Role      Role
	Pos       token.Position
}
