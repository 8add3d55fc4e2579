package model

import (
	"go/token"
	"go/types"
	"maps"
)

// Kind is the JSON-facing kind of a Go type.
type Kind int

const (
	Invalid   Kind = iota
	Bool           // true, false
	Int            // Bits 8..64, exact
	Uint           // Bits 8..64, exact, minimum 0
	Float          // Bits 32 or 64
	String         // text
	Bytes          // []byte: base64
	Time           // time.Time: RFC 3339
	Duration       // time.Duration as text, "1h30m"; as nanoseconds it is Int
	Any            // interface{}: any JSON value
	RawJSON        // json.RawMessage
	Number         // json.Number
	Struct         // object with Fields
	Pointer        // Elem, or null for nil
	Slice          // array of Elem
	Array          // array of exactly Len Elem
	Map            // object of Elem by Key
	Text           // encoding.TextMarshaler / TextUnmarshaler: string
	JSON           // json.Marshaler / Unmarshaler: anything, or Schema
	Reflect        // its form in encoding/json, found by reflection: anything, or Schema
	Error          // error: its message, in results only
	Interface      // another interface with methods: anything, in results only
	Union          // sealed interface: one of Union.Variants
	Flagged        // struct of a value and a flag for its presence (sql.NullString): Elem, or null
	Converted      // the value that Convert makes of an Elem, or the reverse
)

// Type is the plan of one Go type: schema, decoder, validator and encoder are all made from it, so
// that they cannot disagree. Plans of named types are shared and may be cyclic (through Struct
// fields).
type Type struct {
	Kind   Kind
	Go     types.Type // nil for the object of plain parameters or named results
	Bits   int        // Int, Uint, Float
	Whole  bool       // Number: an integer
	Elem   *Type      // Pointer, Slice, Array, Map, Flagged, Converted
	Key    *Type      // Map
	Len    int64      // Array
	Fields []*Field   // Struct, in the order encoding/json writes them
	Fixed  []*Field   // Struct: fields that are not published, and always set to their Default
	Hidden []*Field   // Struct: unpublished fields: in arguments the readOnly and Unlisted ones, in results the writeOnly ones
	Enum   *Enum      // String, Int, Uint, Text
	Format string     // known format of a Text
	Doc    string     // the type's own doc comment, or ""
	Schema string     // JSON, Text, Reflect: its schema as JSON text, or "" if unknown
	// Limits contains the constraints, by their keywords, of a type that methods convert to and
	// from a String: all of the type's texts are within them. LimitsOut is set if the texts that
	// the type writes, including its zero value's, are within them, too.
	Limits    map[string]string
	LimitsOut bool
	// Layout is the layout of package time by which an argument of type time.Time is read, or one
	// of the words of UnixUnit; "" means RFC 3339. If Local is set, a time without an offset is in
	// the system's time zone.
	Layout string
	Local  bool
	// NullOut is set if the MarshalJSON of a type writes null for some values.
	NullOut bool
	// Marshaler and Unmarshaler are the methods of a Text if they are not MarshalText and
	// UnmarshalText.
	Marshaler, Unmarshaler string
	// Flagged: the fields that contain the value and the flag. If the flag reports that a client
	// sent the value, a default leaves it unset.
	Value, Flag string
	Sent        bool
	Union       *UnionInfo
	Convert     *Conversion // Converted

	// Tagged is set for a struct or union that requires only the fields that a tag requires.
	Tagged bool
	// Tags distinguishes the structs and unions whose members another framework's tags describe.
	Tags int

	// Name is a plain name for $defs, such as "Book"; "" for unnamed types.
	Name string
	// Variant is set on a copy that a directive changed, so that its codecs get their own name: the
	// name of the feature that //mcp:arg changed it for. If Part is set, some members are left out,
	// and Variant names them.
	Variant string
	Part    bool
}

// UnixUnit returns the unit, in nanoseconds, of a time that is represented as a number, or 0 for
// other types.
func (t *Type) UnixUnit() int64 {
	return map[string]int64{"unix": 1e9, "unixmilli": 1e6, "unixmicro": 1e3, "unixnano": 1}[t.Layout]
}

// IsOptional reports whether a value of the plan may be absent, as nil or by its flag, so that an
// argument of the type may be missing.
func (t *Type) IsOptional() bool { return t.Kind == Pointer || t.Kind == Flagged }

// IsNilable reports whether a Go value of the plan may be absent, so that an object is written
// without it.
func (t *Type) IsNilable() bool { return t.IsOptional() || t.Kind == Union || t.Kind == Error }

// WritesNull reports whether an absent value of the plan is written as null where it cannot be left
// out.
func (t *Type) WritesNull() bool {
	if t.Kind == Converted {
		return t.NullOut || t.Elem.WritesNull()
	}
	return t.IsNilable()
}

// NullInside reports whether a value that is present may be written as null: the target of its
// pointer or the value beside its flag may be nil, or a conversion returns nil for it.
func (t *Type) NullInside() bool {
	switch t.Kind {
	case Pointer, Flagged:
		return t.Elem.WritesNull()
	case Converted:
		return t.WritesNull()
	}
	return false
}

// Enum is the set of values of a named type.
type Enum struct {
	Values []EnumValue // in order of declaration
	// Open is set if other values are accepted, too.
	Open bool
}

// Closed returns the accepted values, or nil if all values are accepted.
func (e *Enum) Closed() []EnumValue {
	if e == nil || e.Open {
		return nil
	}
	return e.Values
}

// UnionInfo describes how the implementations of a sealed interface are distinguished.
type UnionInfo struct {
	Discriminator string // JSON name of the member that names the variant
	Variants      []*UnionVariant
}

// UnionVariant is one implementation.
type UnionVariant struct {
	Name string // value of the discriminator
	Type *Type  // plan of the struct, without the discriminator
	// Pointer is set if only the pointer to the struct implements the interface.
	Pointer bool
}

// Conversion is a pair of functions, or of methods, that write and read a type as another one.
type Conversion struct {
	// Methods is JSON or Text if the type's methods for this format convert it, or Invalid if the
	// functions do. With methods the other type is string, a pointer to string, or json.Number.
	Methods Kind
	Decode  *types.Func // func(S) (T, error), or nil
	Encode  *types.Func // func(T) S or func(T) (S, error), or nil
}

// Fails reports whether Encode returns an error beside its result.
func (c *Conversion) Fails() bool { return c.Encode != nil && c.Encode.Signature().Results().Len() > 1 }

// EnumValue is one constant of an enumeration.
type EnumValue struct {
	Const *types.Const // the constant, by which the codecs refer to it; nil for a value that only a tag contains
	JSON  string       // its JSON text: "year" with quotes, 3
	Doc   string       // its comment, or ""
	// Platform is set if its file has a build constraint, so that generated code uses its value,
	// not its name.
	Platform bool
	// Said is set if a directive confirms the value.
	Said bool
}

// Field is a place in an object for a value: a field of a struct, an argument, a named result.
type Field struct {
	Name string // JSON name
	// Path leads to it from the struct: one selector, more through embedded structs.
	Path []Selector
	Type *Type
	// Index is the position among all members of its struct.
	Index int

	Description string
	Title       string
	Rules       Rules
	Default     *Value   // applied by the decoder when the member is absent
	Examples    []string // JSON texts
	Extras      []Extra  // other keywords of the schema, in order of their keys
	// Required on input. On output a field is required if it is always written.
	Required bool
	// Nullable: null is a value of its own, published as anyOf.
	Nullable   bool
	OmitEmpty  bool // left out on output when empty
	OmitZero   bool
	Quoted     bool // the ,string option
	Variadic   bool
	ReadOnly   bool
	WriteOnly  bool
	Deprecated bool
	// Unlisted describes a field of an argument that clients of huma do not send as an argument:
	// HeaderField, which a line //mcp:arg makes an argument, "a cookie" or "hidden".
	Unlisted string
	// Foreign is set if the description is a comment of another module. Results are published
	// without it.
	Foreign bool
	// Aliases are former names, which are read and not published.
	Aliases []Alias
	Pos     token.Position
}

// Alias is a former name of a field.
type Alias struct {
	Name string
	Pos  token.Position
}

// HeaderField is a value of Field.Unlisted.
const HeaderField = "a header field"

// Extra is a keyword that a tag adds to the schema of a field, without meaning for the codecs.
type Extra struct {
	Key  string
	JSON string // its value, JSON text
}

// Selector is one step to a field.
type Selector struct {
	Name string
	// Pointer is the pointed-to type if this step goes through an embedded pointer, which the
	// decoder allocates.
	Pointer types.Type
	// Inlined is the struct type of a parameter or field whose members are arguments in its place.
	Inlined types.Type
	// Convert is the plan of the parameter or field if a function makes its value from that struct.
	Convert *Type
}

// Value is a default: a JSON text, from which package codec makes a Go value by Type and JSON.
type Value struct {
	JSON string
	Pos  token.Position
}

// Rules are the constraints of a value.
type Rules struct {
	// Limits contains the constraints by their keywords, as texts: a decimal number, which is
	// exact, a count, a pattern, the name of a format, or "true".
	Limits map[string]string
	Enum   []string // JSON texts that narrow the type here
	// Elem constrains the elements of a slice, array or map.
	Elem *Rules
	// Header is the x-mcp-header of an argument.
	Header string
}

// Limit returns a constraint, or "".
func (r *Rules) Limit(keyword string) string {
	if r == nil {
		return ""
	}
	return r.Limits[keyword]
}

// SetLimit sets a constraint. An empty limit removes it.
func (r *Rules) SetLimit(keyword, limit string) {
	if limit == "" {
		delete(r.Limits, keyword)
		return
	}
	if r.Limits == nil {
		r.Limits = map[string]string{}
	}
	r.Limits[keyword] = limit
}

// Clone returns a copy that can be changed.
func (r Rules) Clone() Rules {
	r.Limits = maps.Clone(r.Limits)
	if r.Elem != nil {
		elem := r.Elem.Clone()
		r.Elem = &elem
	}
	return r
}

// IsZero reports whether there is no rule.
func (r *Rules) IsZero() bool {
	return r == nil || len(r.Limits) == 0 && len(r.Enum) == 0 && r.Elem.IsZero() && r.Header == ""
}
