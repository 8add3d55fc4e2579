package schema

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/model"
)

// builtin are the plans of types that are not what their declaration says, by
// import path and name. Those of other modules are recognised without requiring
// them.
var builtin = map[string]model.Type{
	"time.Time":                {Kind: model.Time},
	"time.Duration":            {Kind: model.Int, Bits: 64}, // nanoseconds, as encoding/json has it
	"encoding/json.RawMessage": {Kind: model.RawJSON},
	"encoding/json.Number":     {Kind: model.Number},
	"math/big.Int":             {Kind: model.JSON, Schema: `{"type":"integer"}`},

	"github.com/google/uuid.UUID":    {Kind: model.Text, Format: "uuid"},
	"github.com/gofrs/uuid.UUID":     {Kind: model.Text, Format: "uuid"},
	"github.com/gofrs/uuid/v5.UUID":  {Kind: model.Text, Format: "uuid"},
	"github.com/satori/go.uuid.UUID": {Kind: model.Text, Format: "uuid"},
}

// refused are types whose encoding/json form nobody wants, with what to use
// instead.
var refused = map[string]string{
	"net/url.URL":              "use a string, and url.Parse",
	"database/sql.NullString":  "use a *string",
	"database/sql.NullBool":    "use a *bool",
	"database/sql.NullByte":    "use a *byte",
	"database/sql.NullInt16":   "use a *int16",
	"database/sql.NullInt32":   "use a *int32",
	"database/sql.NullInt64":   "use a *int64",
	"database/sql.NullFloat64": "use a *float64",
	"database/sql.NullTime":    "use a *time.Time",
	"database/sql.Null":        "use a pointer",
}

// knownType returns the plan of a type of the built-in tables, or the hint for
// one that is refused.
func knownType(t types.Type) (plan *model.Type, refusal string) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil, ""
	}
	key := named.Obj().Pkg().Path() + "." + named.Obj().Name()
	if p, ok := builtin[key]; ok {
		return &p, ""
	}
	return nil, refused[key]
}

// methods are the ones by which a type gives itself a form.
type methods struct {
	marshalJSON, unmarshalJSON bool
	marshalText, unmarshalText bool
	protoReflect               bool
	embedded                   string // the embedded field that MarshalJSON is promoted from
}

func (m methods) any() bool {
	return m.marshalJSON || m.unmarshalJSON || m.marshalText || m.unmarshalText || m.protoReflect
}

// methodsOf looks at the methods of t and *t, since generated code always has
// the address of a value.
func methodsOf(t types.Type) methods {
	var m methods
	if _, ok := t.Underlying().(*types.Interface); ok {
		return m
	}
	if _, ok := t.Underlying().(*types.Pointer); ok {
		return m
	}
	bytes := types.NewSlice(types.Typ[types.Uint8])
	errorType := types.Universe.Lookup("error").Type()
	find := func(name string, in, out []types.Type) (index []int, ok bool) {
		obj, index, _ := types.LookupFieldOrMethod(t, true, nil, name)
		fn, ok := obj.(*types.Func)
		if !ok || fn.Signature().Variadic() || !sameTypes(fn.Signature().Params(), in) || !sameTypes(fn.Signature().Results(), out) {
			return nil, false
		}
		return index, true
	}
	marshal, unmarshal := []types.Type{bytes, errorType}, []types.Type{errorType}
	var index []int
	index, m.marshalJSON = find("MarshalJSON", nil, marshal)
	if s, ok := t.Underlying().(*types.Struct); ok && len(index) > 1 {
		m.embedded = s.Field(index[0]).Name()
	}
	_, m.unmarshalJSON = find("UnmarshalJSON", []types.Type{bytes}, unmarshal)
	_, m.marshalText = find("MarshalText", nil, marshal)
	_, m.unmarshalText = find("UnmarshalText", []types.Type{bytes}, unmarshal)
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "ProtoReflect")
	_, m.protoReflect = obj.(*types.Func)
	return m
}

func sameTypes(tuple *types.Tuple, want []types.Type) bool {
	if tuple.Len() != len(want) {
		return false
	}
	for i, t := range want {
		if !types.Identical(tuple.At(i).Type(), t) {
			return false
		}
	}
	return true
}
