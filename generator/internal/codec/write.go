package codec

import (
	"cmp"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// write plans the writing of a value at its place.
func (b *builder) write(t *model.Type, place string) Write {
	w := Write{Go: t.Go}
	switch t.Kind {
	case model.Struct, model.Union:
		w.Func = b.encodeFunc(t, place)
	case model.Flagged:
		elem := b.putFunc(t.Elem, place)
		w.Func, w.Elem, w.Flagged, w.Flag, w.Go = Func{Name: "PutFlagged"}, &elem, t.Value, t.Flag, t.Elem.Go
	case model.Converted:
		if kind := t.Convert.Methods; kind != model.Invalid {
			return b.write(&model.Type{Kind: kind, Go: t.Go}, place)
		}
		elem := b.putFunc(t.Elem, place)
		w.Func, w.Elem, w.Convert = Func{Name: "PutConverted"}, &elem, t.Convert.Encode
		switch {
		case w.Convert == nil:
			b.fail("type %s has no function that encodes it", t.Go)
		case t.Convert.Fails():
			w.Func.Name = "PutConvertedErr"
		}
	case model.Pointer:
		elem := b.putFunc(t.Elem, place)
		w.Func, w.Elem, w.Value = Func{Name: "PutPtr"}, &elem, true
	case model.Slice, model.Array:
		elem := b.putFunc(t.Elem, place+"Item")
		w.Func, w.Elem, w.Value, w.Array = Func{Name: "PutSlice"}, &elem, true, t.Kind == model.Array
	case model.Map:
		elem := b.putFunc(t.Elem, place+"Value")
		w.Func, w.Elem, w.Value = Func{Name: mapWriter(t.Key)}, &elem, true
		if t.Key.Kind == model.Text {
			w.Method, w.Type = "MarshalText", t.Key.Go
		}
	default:
		w.Func = Func{Name: scalarWriter(t)}
		switch {
		case t.Kind == model.Text:
			w.Method, w.Type = cmp.Or(t.Marshaler, "MarshalText"), t.Go
		case t.Kind == model.JSON:
			w.Method, w.Type = "MarshalJSON", t.Go
		case t.Kind == model.Any && !isAny(t.Go):
			w.AsAny = true
		}
	}
	if w.Func.Name == "" {
		b.fail("type %s cannot be written", t.Go)
	}
	return w
}

// putFunc returns a function that writes a value elsewhere.
func (b *builder) putFunc(t *model.Type, place string) Func {
	if name := scalarWriter(t); name != "" && isPlain(t) {
		return Func{Name: name}
	}
	return b.encodeFunc(t, place)
}

// encodeFunc returns the package's function that writes a type, planned once.
func (b *builder) encodeFunc(t *model.Type, place string) Func {
	key := b.writeKey(t)
	e, ok := b.encoders[key]
	if !ok {
		e = &Encoder{Stem: b.stem(t, key, place), Go: t.Go}
		b.encoders[key] = e
		b.plan.Encoders = append(b.plan.Encoders, e)
		switch t.Kind {
		case model.Struct:
			b.guard(t.Go)
			e.Members = b.putMembers(t, e.Stem)
		case model.Union:
			e.Union = b.writeUnion(t, e.Stem)
		default:
			w := b.write(t, e.Stem)
			e.Value = &w
		}
	}
	return Func{Name: e.Name(), Local: true}
}

func (b *builder) putMembers(t *model.Type, place string) []*PutMember {
	var out []*PutMember
	for _, f := range t.Fields {
		m := &PutMember{Name: f.Name, Path: b.steps(t, f), When: conditions(f, b.pkg.Types)}
		at := place + fieldStem(f)
		switch {
		case f.Quoted:
			m.Write = b.writeQuoted(f, at)
		case f.Type.Kind == model.Pointer && len(m.When) > 0:
			// The pointer is known not to be nil.
			w := b.write(f.Type.Elem, at)
			w.Deref = true
			m.Write = &w
		default:
			w := b.write(f.Type, at)
			m.Write = &w
		}
		out = append(out, m)
	}
	return out
}

func (b *builder) writeQuoted(f *model.Field, place string) *Write {
	t := f.Type
	isPtr := t.Kind == model.Pointer
	if isPtr {
		t = t.Elem
	}
	elem := b.putFunc(t, place)
	w := &Write{Func: Func{Name: "PutQuoted"}, Elem: &elem}
	switch {
	case isPtr && !f.Nullable:
		w.Deref = true
	case isPtr:
		e := &Encoder{Stem: b.names.codec(place), Go: t.Go, Value: w}
		b.plan.Encoders = append(b.plan.Encoders, e)
		return &Write{Func: Func{Name: "PutPtr"}, Elem: &Func{Name: e.Name(), Local: true}, Value: true}
	}
	return w
}
