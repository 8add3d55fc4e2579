// Package codec turns the plans of types into the functions that the generated file needs: which
// types get a decoder or an encoder of their own, under which names and in which order, and what
// each of them does. It prints nothing; that is the work of generator/internal/emit.
package codec

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Plan is every function and table that the features of one package share, in the order in which
// the features first need them, and what each tool's own function does with its arguments and its
// result.
type Plan struct {
	Decoders []*Decoder
	Encoders []*Encoder
	Enums    []*Enum
	Patterns []*Pattern
	Schemas  []*Schema
	Fixed    []*Fixed
	// Guards are the structs of this module whose fields the codecs name. The generated file
	// asserts their shape, so that a field which is added, removed or changed is noticed by the
	// compiler.
	Guards []*types.Named
	Tools  map[*model.Tool]*Tool
	// Calls are the functions of resources, templates and prompts.
	Calls map[*model.Call]*Tool
	Forms map[*model.Form]*Form
}

// Tool is what the function of one tool, or of another feature, reads and writes.
type Tool struct {
	// Stem is the part of identifiers that names the tool: SearchBooks.
	Stem string
	// Args is the object of plain parameters, nil where there are none or where one struct
	// parameter is the whole object.
	Args *Object
	// Fixed are the values of the parameters that have a constant.
	Fixed map[*model.Param]*Literal
	// Shared lead to the arguments that several parameters have.
	Shared map[*model.Param][]Step
	// Fills are the members that functions fill.
	Fills []*Fill
	// Whole reads the one struct parameter.
	Whole *Read
	// Output writes the one structured result.
	Output *Write
	// Pointers is the number of pointers around that result, none of which may be nil.
	Pointers int
	// Missing is how that result, behind its pointers, shows that there is no value.
	Missing Missing
	// NullInside is set where that result may be written as null all the same.
	NullInside bool
	// Results is the object of several named results, or of a result with Short.
	Results []*PutMember
	// Short writes the list of a result that may have fewer elements.
	Short *Short
}

// Missing is how a value other than a pointer shows that there is no value.
type Missing int

const (
	MissingNever Missing = iota
	MissingNil           // it is nil
	MissingFlag          // its field Valid is false
)

// Fill is a member of the arguments that a function fills.
type Fill struct {
	Provider *model.Provider
	Fields   []FillStep
}

// FillStep leads to one field.
type FillStep struct {
	Path    []Step
	Pointer bool // it is a pointer, and not the last one: what is behind it may be missing
}

// Func refers to a function that reads or writes a value.
type Func struct {
	Name  string
	Local bool // declared in the generated file, otherwise one of runtime/wire
}

// Decoder is a function that reads one type.
type Decoder struct {
	Stem   string
	Go     types.Type
	Object *Object // of a struct
	Union  *Union  // of a sealed interface
	Value  *Read   // of everything else
}

// Name is the identifier of the function.
func (d *Decoder) Name() string { return "mcpDecode" + d.Stem }

// Encoder is a function that writes one type.
type Encoder struct {
	Stem    string
	Go      types.Type
	Members []*PutMember // of a struct
	Tag     *Tag         // the member in front of them, of a variant of a union
	Union   *Union       // of a sealed interface
	Value   *Write       // of everything else
	// Circular is set where a value may lie inside another one of its own type: the function counts
	// how many do, for a circle has no end. Each way from a function back to itself leads through
	// one that counts.
	Circular bool
}

// Name is the identifier of the function.
func (e *Encoder) Name() string { return "mcpEncode" + e.Stem }

// Union is how a sealed interface is read, or written.
type Union struct {
	Discriminator string
	Names         *Enum // values of the discriminator, for reading
	Variants      []Variant
}

// Variant is one implementation of a sealed interface.
type Variant struct {
	Name    string // value of the discriminator
	Go      types.Type
	Pointer bool // only the pointer implements the interface
	Func    string
}

// Tag is a member with a fixed text.
type Tag struct{ Name, Value string }

// Object is how a JSON object is read into a struct.
type Object struct {
	Stem     string
	Entries  []Entry
	Defaults []*Default
	Members  []*Member
	Made     []*Made
}

// Table is the identifier of the table of its members.
func (o *Object) Table() string { return "mcpFields" + o.Stem }

// Entry is a row of the table of members.
type Entry struct {
	Name     string
	Required bool
	Null     bool // null is a value for the codec, not an absent member
	ReadOnly bool // it is refused
	Aliases  []string
}

// Made is a value that a function makes once the object is read, of members that are read into a
// variable.
type Made struct {
	Ident string     // of the variable
	Go    types.Type // of the variable: a struct
	// Optional is set if nothing is made without one of the members: the variable is a pointer
	// then.
	Optional bool
	Pointer  bool       // the function takes a pointer to the struct
	Path     []Step     // to the value
	Behind   types.Type // what the value is, if the field is a pointer to it; nil if it is not
	Convert  *types.Func
}

// Step is one selector on the way to a field.
type Step struct {
	Name string
	// Pointer is the pointed-to type where the step goes through an embedded pointer: reading
	// allocates it, writing skips the field where it is nil.
	Pointer types.Type
}

// Default is a value that is set before the object is read.
type Default struct {
	Made  *Made // whose variable Path leads from; nil for the object
	Path  []Step
	Value *Literal
}

// Member is how one member of an object is read.
type Member struct {
	Name string
	Made *Made // whose variable Path leads from; nil for the object
	Path []Step
	// Reset is the type of a field whose default would otherwise be merged with what is read:
	// arrays and structs.
	Reset types.Type
	// Null is set where null is a value of a field other than a pointer: it sets the field to its
	// zero value.
	Null types.Type
	Read *Read
}

// Read is how one value is read.
type Read struct {
	// Go is the type of the value, or of the field Flagged of it.
	Go     types.Type
	Func   Func
	Elem   *Func   // argument of Ptr, Slice, Array and Map
	Enum   *Enum   // argument of StringEnum, IntEnum and FloatEnum
	Choice string  // argument of StringChoice
	Schema *Schema // argument of AnyBySchema
	Method string  // argument of Text, JSON and MapText: a method of *Type
	Type   types.Type
	AsAny  bool // the value is of a defined type like any
	Array  bool // the value is an array, passed as a slice
	// Cast is set where the value is of a defined pointer type: what it points to.
	Cast types.Type
	// Flagged is the field that holds the value beside the field Valid.
	Flagged string
	Convert *types.Func // argument of Convert
	Format  string      // argument of FormattedText: a function of runtime/wire
	Layout  string      // argument of TimeLayout and LocalTimeLayout
	Unit    int64       // argument of UnixTime
	Checks  []*Check
	// Deref is the number of pointers between the value and what is checked.
	Deref int
}

// Check is one constraint on a value that has been read. The last three fields are its limit, if it
// has one.
type Check struct {
	Func    string // of runtime/wire
	Len     bool   // gets the length of the value, not the value
	Array   bool   // the value is an array, passed as a slice
	Text    string // Go source
	Format  string // function of runtime/wire
	Pattern *Pattern
}

// PutMember is how one member of an object is written.
type PutMember struct {
	Name string
	Path []Step
	// When are the conditions under which it is written, all of which must hold.
	When  []Condition
	Write *Write
}

// Write is how one value is written.
type Write struct {
	// Go is the type of what is written, behind a pointer where Deref is set, or of the field
	// Flagged of it.
	Go    types.Type
	Func  Func
	Elem  *Func
	Value bool // takes the value, not a pointer to it: PutSlice, PutMap, PutPtr
	Array bool // the value is an array, passed as a slice
	// Deref is set where the value is a pointer, known not to be nil, to what is written.
	Deref  bool
	Method string // argument of PutText, PutJSON and PutMapText: a method of *Type
	Type   types.Type
	AsAny  bool
	// Flagged is the field that holds the value beside the field Valid.
	Flagged string
	Convert *types.Func // argument of PutConverted and PutConvertedErr
}

// Enum is a table of the values that a place accepts.
type Enum struct {
	Stem   string
	Go     types.Type
	What   string // what they are, for the comment; "" for the values of Go
	Values []*Literal
}

// Name is the identifier of the table.
func (e *Enum) Name() string { return "mcpEnum" + e.Stem }

// Schema is what is allowed for arguments of type any.
type Schema struct {
	Stem string
	JSON string
}

// Name is the identifier of the schema.
func (s *Schema) Name() string { return "mcpAllowed" + s.Stem }

// Pattern is a regular expression.
type Pattern struct {
	Stem string
	Expr string
}

// Name is the identifier of the compiled expression.
func (p *Pattern) Name() string { return "mcpPattern" + p.Stem }
