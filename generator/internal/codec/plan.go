// Package codec turns the plans of types into the functions that the generated file needs: which
// types get their own decoder or encoder, their names and order, and the steps of each function.
// Package generator/internal/emit prints them.
package codec

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Plan contains the functions and tables that the features of one package share, in the order in
// which the features first need them, and the plan of each tool's own function.
type Plan struct {
	Decoders []*Decoder
	Encoders []*Encoder
	Enums    []*Enum
	Patterns []*Pattern
	Schemas  []*Schema
	Fixed    []*Fixed
	// Guards are the structs of this module whose fields the codecs name. The generated file
	// asserts their shape, so that the compiler reports a field that is added, removed or changed.
	Guards []*types.Named
	Tools  map[*model.Tool]*Tool
	// Calls are the functions of resources, templates and prompts.
	Calls map[*model.Call]*Tool
	Forms map[*model.Form]*Form
}

// Tool plans the reading of the arguments and the writing of the result of one tool, or of another
// feature.
type Tool struct {
	// Stem is the part of identifiers that names the tool: SearchBooks.
	Stem string
	// Args is the object of plain parameters, or nil if there are no parameters or one struct
	// parameter is the whole object.
	Args *Object
	// Fixed are the values of the parameters that have a constant.
	Fixed map[*model.Param]*Literal
	// Shared contains the paths to arguments that several parameters use.
	Shared map[*model.Param][]Step
	// Fills are the members whose values come from functions.
	Fills []*Fill
	// Whole reads the one struct parameter.
	Whole *Read
	// Output writes the one structured result.
	Output *Write
	// Pointers is the number of pointers around that result. None of them may be nil.
	Pointers int
	// Missing describes how that result, behind its pointers, represents a missing value.
	Missing Missing
	// NullInside is set if that result may still be written as null.
	NullInside bool
	// Results is the object of several named results, or of a result with Short.
	Results []*PutMember
	// Short writes the list of a result that may be shortened.
	Short *Short
}

// Missing describes how a value other than a pointer represents a missing value.
type Missing int

const (
	MissingNever Missing = iota
	MissingNil           // it is nil
	MissingFlag          // its field Valid is false
)

// Fill is a member of the arguments whose value comes from a function.
type Fill struct {
	Provider *model.Provider
	Fields   []FillStep
}

// FillStep leads to one field.
type FillStep struct {
	Path    []Step
	Pointer bool // a pointer before the last step: its target may be missing
}

// Func refers to a function that reads or writes a value.
type Func struct {
	Name  string
	Local bool // declared in the generated file, otherwise a function of runtime/wire
}

// Decoder is a function that reads one type.
type Decoder struct {
	Stem   string
	Go     types.Type
	Object *Object // for a struct
	Union  *Union  // for a sealed interface
	Value  *Read   // for all other types
}

// Name returns the identifier of the function.
func (d *Decoder) Name() string { return "mcpDecode" + d.Stem }

// Encoder is a function that writes one type.
type Encoder struct {
	Stem    string
	Go      types.Type
	Members []*PutMember // for a struct
	Tag     *Tag         // the member in front of them, for a variant of a union
	Union   *Union       // for a sealed interface
	Value   *Write       // for all other types
	// Circular is set if a value may contain a value of its own type: the function then counts the
	// depth, since a cycle of pointers would never end. On each cycle of encoders one of them
	// counts.
	Circular bool
}

// Name returns the identifier of the function.
func (e *Encoder) Name() string { return "mcpEncode" + e.Stem }

// Union plans the reading or writing of a sealed interface.
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

// Object plans the reading of a JSON object into a struct.
type Object struct {
	Stem     string
	Entries  []Entry
	Defaults []*Default
	Members  []*Member
	Made     []*Made
}

// Table returns the identifier of the table of its members.
func (o *Object) Table() string { return "mcpFields" + o.Stem }

// Entry is a row of the table of members.
type Entry struct {
	Name     string
	Required bool
	Null     bool // null is a value for the codec, not an absent member
	ReadOnly bool // it is refused
	Aliases  []string
}

// Made is a value that a function makes once the object is read, from members that are read into a
// variable.
type Made struct {
	Ident string     // name of the variable
	Go    types.Type // type of the variable: a struct
	// Optional is set if the value is not made without any of the members: the variable is then a
	// pointer.
	Optional bool
	Pointer  bool       // the function takes a pointer to the struct
	Path     []Step     // path to the value
	Behind   types.Type // type of the value if the field is a pointer to it, otherwise nil
	Convert  *types.Func
}

// Step is one selector on the way to a field.
type Step struct {
	Name string
	// Pointer is the pointed-to type if the step goes through an embedded pointer: reading
	// allocates it, writing skips the field if it is nil.
	Pointer types.Type
}

// Default is a value that is set before the object is read.
type Default struct {
	Made  *Made // the variable at which Path begins; nil for the object
	Path  []Step
	Value *Literal
}

// Member plans the reading of one member of an object.
type Member struct {
	Name string
	Made *Made // the variable at which Path begins; nil for the object
	Path []Step
	// Reset is the type of a field whose default would otherwise be merged with the value that is
	// read: arrays and structs.
	Reset types.Type
	// Null is the type of a field, other than a pointer, that null sets to its zero value.
	Null types.Type
	Read *Read
}

// Read plans the reading of one value.
type Read struct {
	// Go is the type of the value, or of its field Flagged.
	Go     types.Type
	Func   Func
	Elem   *Func   // argument of Ptr, Slice, Array and Map
	Enum   *Enum   // argument of StringEnum, IntEnum and FloatEnum
	Choice string  // argument of StringChoice
	Schema *Schema // argument of AnyBySchema
	Method string  // argument of Text, JSON and MapText: a method of *Type
	Type   types.Type
	AsAny  bool // the value has a defined type whose underlying type is any
	Array  bool // the value is an array, passed as a slice
	// Cast is the target type of a value of a defined pointer type.
	Cast types.Type
	// Flagged is the field that contains the value, beside the field Flag.
	Flagged, Flag string
	Convert       *types.Func // argument of Convert
	Format        string      // argument of FormattedText: a function of runtime/wire
	Layout        string      // argument of TimeLayout and LocalTimeLayout
	Unit          int64       // argument of UnixTime
	Checks        []*Check
	// Deref is the number of pointers between the value and the checked value.
	Deref int
}

// Check is one constraint on a value that was read. The last three fields are its limit, if it has
// one.
type Check struct {
	Func    string // a function of runtime/wire
	Len     bool   // gets the length of the value, not the value
	Array   bool   // the value is an array, passed as a slice
	Text    string // Go source
	Format  string // function of runtime/wire
	Pattern *Pattern
}

// PutMember plans the writing of one member of an object.
type PutMember struct {
	Name string
	Path []Step
	// When contains the conditions under which it is written. All of them must hold.
	When  []Condition
	Write *Write
}

// Write plans the writing of one value.
type Write struct {
	// Go is the type that is written: the value's, its target's if Deref is set, or the type of its
	// field Flagged.
	Go    types.Type
	Func  Func
	Elem  *Func
	Value bool // takes the value, not a pointer to it: PutSlice, PutMap, PutPtr
	Array bool // the value is an array, passed as a slice
	// Deref is set if the value is a pointer, known not to be nil, to the value that is written.
	Deref  bool
	Method string // argument of PutText, PutJSON and PutMapText: a method of *Type
	Type   types.Type
	AsAny  bool
	// Flagged is the field that contains the value, beside the field Flag.
	Flagged, Flag string
	Convert       *types.Func // argument of PutConverted and PutConvertedErr
}

// Enum is a table of the values that a place accepts.
type Enum struct {
	Stem   string
	Go     types.Type
	What   string // a description for the comment; "" for the values of Go
	Values []*Literal
}

// Name returns the identifier of the table.
func (e *Enum) Name() string { return "mcpEnum" + e.Stem }

// Schema restricts arguments of type any.
type Schema struct {
	Stem string
	JSON string
}

// Name returns the identifier of the schema.
func (s *Schema) Name() string { return "mcpAllowed" + s.Stem }

// Pattern is a regular expression.
type Pattern struct {
	Stem string
	Expr string
}

// Name returns the identifier of the compiled expression.
func (p *Pattern) Name() string { return "mcpPattern" + p.Stem }
