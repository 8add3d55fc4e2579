package schema

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// methods are the methods by which a type determines its form.
type methods struct {
	marshalJSON, unmarshalJSON bool
	marshalText, unmarshalText bool
	protoReflect               bool
	embedded                   string // the embedded field that MarshalJSON is promoted from
}

func (m methods) any() bool {
	return m.marshalJSON || m.unmarshalJSON || m.marshalText || m.unmarshalText || m.protoReflect
}

// in returns the methods that count in a direction. In the other direction the kind of the type
// counts, as in encoding/json.
func (m methods) in(use Use) methods {
	switch use {
	case Argument:
		m.marshalJSON, m.marshalText = m.unmarshalJSON, m.unmarshalText && !m.unmarshalJSON
		m.unmarshalText = m.marshalText
	case Result:
		m.unmarshalJSON, m.unmarshalText = m.marshalJSON, m.marshalText && !m.marshalJSON
		m.marshalText = m.unmarshalText
	}
	return m
}

// methodsOf examines the methods of t and *t, since generated code always has the address of a
// value.
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

// fillMethods sets the plan of a type with its own JSON form.
func (r *Resolver) fillMethods(s site, plan *model.Type, t *types.Named, m methods) bool {
	if m.protoReflect {
		r.refuseMessage(s, t)
		return false
	}
	if m.marshalJSON && m.unmarshalJSON || m.marshalJSON && !m.unmarshalText || m.unmarshalJSON && !m.marshalText {
		plan.Kind = model.JSON
	} else if !m.marshalJSON && !m.unmarshalJSON {
		plan.Kind = model.Text
	} else {
		r.errorf(s, "give it both MarshalJSON and UnmarshalJSON, or both text methods",
			"type %s is written as JSON but read as text, or the other way round", r.typeString(t))
		return false
	}
	if plan.Kind == model.JSON {
		own := r.sources[t.Obj().Pkg()] != nil
		hint := "describe it: //mcp:schema " + r.typeString(t) + " JSON in the package comment"
		if own {
			hint = "describe it: //mcp:schema JSON on the type"
		}
		st, isStruct := t.Underlying().(*types.Struct)
		if from := m.embedded; from != "" && isStruct && st.NumFields() > 1 {
			if own {
				hint = "name the embedded field, or give the type methods of its own"
			}
			r.warnf(s, hint, "type %s is written by the MarshalJSON of its embedded %s, and its other fields are lost", r.typeString(t), from)
		} else if plan.Schema == "" {
			r.warnf(s, hint, "type %s has a JSON form of its own, so the schema cannot describe it", r.typeString(t))
		}
	}
	return true
}

// travels refuses types without a JSON form in the direction of their use.
func (r *Resolver) travels(s site, t *model.Type, seen map[*model.Type]bool) bool {
	if t == nil || seen[t] {
		return true
	}
	seen[t] = true
	ok := r.hasMethods(s, t)
	if t.Elem != nil {
		inner := s
		switch t.Kind {
		case model.Slice, model.Array, model.Map:
			inner = s.element()
		}
		ok = r.travels(inner, t.Elem, seen) && ok
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			ok = r.travels(r.variantOf(s, t.Go, v.Type.Go), v.Type, seen) && ok
		}
	}
	for _, f := range t.Fields {
		inner := s
		for _, sel := range f.Path {
			inner = inner.field(sel.Name)
		}
		switch {
		case f.Pos.IsValid() && r.files[f.Pos.Filename]:
			inner.Pos, inner.far = f.Pos, token.Position{}
		case f.Pos.IsValid():
			inner.far = f.Pos
		}
		ok = r.travels(inner, f.Type, seen) && ok
	}
	return ok
}

// hasMethods checks that a type has the methods for the direction.
func (r *Resolver) hasMethods(s site, t *model.Type) bool {
	switch t.Kind {
	case model.Converted:
		return r.isConverted(s, t)
	case model.Error, model.Interface, model.Reflect:
		if s.use == Result || t.Kind == model.Reflect && !isClosedInterface(t.Go) {
			return true
		}
		if t.Kind == model.Error {
			r.errorf(s, r.remedy(s, t.Go, "use a string"), "type %s is an error, and no error can be made of JSON", r.typeString(t.Go))
		} else {
			r.errorf(s, r.remedy(s, t.Go, concrete(t.Go)),
				"type %s is an interface, and JSON does not have the type to make", r.typeString(t.Go))
		}
		return false
	case model.JSON, model.Text:
		if t.Marshaler != "" {
			return true
		}
	default:
		return true
	}
	m := methodsOf(types.Unalias(t.Go))
	suffix, marshal, unmarshal := "JSON", m.marshalJSON, m.unmarshalJSON
	if t.Kind == model.Text {
		suffix, marshal, unmarshal = "Text", m.marshalText, m.unmarshalText
	}
	var missing string
	switch {
	case !marshal && s.use != Argument:
		missing = "Marshal" + suffix
	case !unmarshal && s.use != Result:
		missing = "Unmarshal" + suffix
	default:
		return true
	}
	own := r.methodsOn(t.Go, fmt.Sprintf("give it %s as well", missing))
	r.errorf(s, r.remedy(s, t.Go, own), "type %s has only one half of its JSON form: %s is missing", r.typeString(t.Go), missing)
	return false
}

// isClosedInterface reports whether JSON cannot be read into a type because it is an interface with
// methods.
func isClosedInterface(t types.Type) bool {
	u, ok := t.Underlying().(*types.Interface)
	return ok && !u.Empty()
}

// isConverted checks that there is a function for the direction.
func (r *Resolver) isConverted(s site, t *model.Type) bool {
	var missing, hint string
	switch {
	case t.Convert.Methods != model.Invalid:
		return true
	case t.Convert.Decode == nil && s.use != Result:
		missing, hint = "decode", "func(%s) (%s, error)"
	case t.Convert.Encode == nil && s.use != Argument:
		missing, hint = "encode", "func(%[2]s) %[1]s"
	default:
		return true
	}
	travels := r.typeString(r.converters.At(t.Go).(*converter).travels)
	r.errorf(s, "write a "+fmt.Sprintf(hint, travels, r.typeString(t.Go))+" with //mcp:"+missing, "type %s has a function for one direction only: there is no //mcp:%s", r.typeString(t.Go), missing)
	return false
}
