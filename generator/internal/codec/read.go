package codec

import (
	"cmp"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

func (b *builder) readField(f *model.Field, place string) Read {
	if f.Quoted {
		return b.readQuoted(f, place)
	}
	r := b.read(f.Type, &f.Rules, place)
	if f.Nullable || takesNull(f.Type) {
		return *nullable(f.Type, r)
	}
	return r
}

// readQuoted plans a field with the ",string" option, which encoding/json applies to scalars and
// pointers to them.
func (b *builder) readQuoted(f *model.Field, place string) Read {
	t, deref := f.Type, 0
	for t.Kind == model.Pointer {
		t, deref = t.Elem, deref+1
	}
	if !quotable(t) || deref > 1 {
		b.fail("field %s: the option ,string does not apply to its type", f.Name)
		return Read{}
	}
	elem := b.elemFunc(t, choicesOnly(&f.Rules), place)
	r := Read{Func: Func{Name: "Quoted"}, Elem: &elem, Checks: b.checks(t, &f.Rules, place), Deref: deref}
	if deref == 0 {
		return r
	}
	r.Deref = 0
	d := &Decoder{Stem: b.names.codec(place), Go: t.Go, Value: &r}
	b.plan.Decoders = append(b.plan.Decoders, d)
	name := "Ptr"
	if f.Nullable {
		name = "Nullable"
	}
	return Read{Func: Func{Name: name}, Elem: &Func{Name: d.Name(), Local: true}}
}

// read plans the reading of a value at its place: a call of runtime/wire or of a function of the
// package, and the checks that follow.
func (b *builder) read(t *model.Type, rules *model.Rules, place string) Read {
	r := Read{Go: t.Go, Checks: b.checks(t, rules, place), Deref: depth(t)}
	switch t.Kind {
	case model.Struct, model.Union:
		r.Func = b.decodeFunc(t, place)
	case model.Pointer:
		elem := b.targetFunc(t.Elem, behindPointer(t, rules), place)
		r.Func, r.Elem = Func{Name: "Ptr"}, &elem
		if u, ok := t.Go.Underlying().(*types.Pointer); ok && u != types.Unalias(t.Go) {
			r.Cast = u.Elem()
		}
	case model.Flagged:
		elem := b.targetFunc(t.Elem, rules, place)
		r.Func, r.Elem, r.Flagged, r.Flag, r.Go = Func{Name: "Flagged"}, &elem, t.Value, t.Flag, t.Elem.Go
	case model.Converted:
		elem := b.elemFunc(t.Elem, rules, place)
		r.Func, r.Elem, r.Convert = Func{Name: "Convert"}, &elem, t.Convert.Decode
		switch {
		case t.Convert.Methods == model.Text:
			r.Func, r.Method, r.Type = Func{Name: "TextOfString"}, "UnmarshalText", t.Go
		case t.Convert.Methods == model.JSON && t.Elem.Kind == model.Pointer:
			r.Func, r.Method, r.Type = Func{Name: "JSONOfStringOrNull"}, "UnmarshalJSON", t.Go
		case t.Convert.Methods == model.JSON && t.Elem.Kind == model.Number:
			r.Func, r.Method, r.Type = Func{Name: "JSONOfNumber"}, "UnmarshalJSON", t.Go
		case t.Convert.Methods == model.JSON:
			r.Func, r.Method, r.Type = Func{Name: "JSONOfString"}, "UnmarshalJSON", t.Go
		case r.Convert == nil:
			b.fail("type %s has no function that decodes it", t.Go)
		}
	case model.Slice, model.Array, model.Map:
		var inner *model.Rules
		if rules != nil {
			inner = rules.Elem
		}
		suffix := "Item"
		if t.Kind == model.Map {
			suffix = "Value"
		}
		elem := b.elemFunc(t.Elem, inner, place+suffix)
		r.Elem = &elem
		switch t.Kind {
		case model.Slice:
			r.Func = Func{Name: "Slice"}
		case model.Array:
			r.Func, r.Array = Func{Name: "Array"}, true
		case model.Map:
			r.Func = Func{Name: mapReader(t.Key)}
			if t.Key.Kind == model.Text {
				r.Method, r.Type = "UnmarshalText", t.Key.Go
			}
		}
	default:
		r.Func = Func{Name: scalarReader(t)}
		switch {
		case t.Layout != "" && t.UnixUnit() > 0:
			r.Func.Name, r.Unit = "UnixTime", t.UnixUnit()
		case t.Layout != "" && t.Local:
			r.Func.Name, r.Layout = "LocalTimeLayout", t.Layout
		case t.Layout != "":
			r.Func.Name, r.Layout = "TimeLayout", t.Layout
		case t.Kind == model.Text:
			r.Method, r.Type = cmp.Or(t.Unmarshaler, "UnmarshalText"), t.Go
			if t.Format != "" && t.Unmarshaler != "" {
				// The method accepts more than the format allows.
				r.Func.Name, r.Format = "FormattedText", keyword.FormatFunc(t.Format)
			}
		case t.Kind == model.JSON:
			r.Method, r.Type = "UnmarshalJSON", t.Go
		case t.Kind == model.Interface || t.Kind == model.Error:
			b.fail("type %s is an interface and cannot be read", t.Go)
		case t.Kind == model.Any && !isAny(t.Go):
			r.AsAny = true
		}
		if s := b.schema(t, rules, place); s != nil {
			r.Schema = s
			r.Func.Name = "AnyBySchema"
		}
		if e := b.enum(t, rules, place); e != nil {
			r.Enum = e
			r.Func.Name = enumReader(t)
		} else if name := rules.Limit(keyword.Choices); name != "" {
			r.Func.Name, r.Choice = "StringChoice", name
		}
	}
	if r.Func.Name == "" {
		b.fail("type %s cannot be read", t.Go)
	}
	return r
}

// behindPointer returns the rules that the function for a pointer's target must check itself.
func behindPointer(t *model.Type, rules *model.Rules) *model.Rules {
	for t.Kind == model.Pointer {
		t = t.Elem
	}
	if t.Kind == model.Flagged || t.Kind == model.Converted {
		return rules
	}
	return elemOnly(rules)
}

// elemOnly keeps the rules for elements, and the enumerations, which the function for a pointer's
// target must check itself.
func elemOnly(rules *model.Rules) *model.Rules {
	choices := choicesOnly(rules)
	switch {
	case rules == nil || rules.Elem.IsZero() && len(rules.Enum) == 0:
		return choices
	case choices != nil:
		return &model.Rules{Limits: choices.Limits, Elem: rules.Elem, Enum: rules.Enum}
	}
	return &model.Rules{Elem: rules.Elem, Enum: rules.Enum}
}

// choicesOnly keeps the choices, which the function that reads the string checks. It returns nil
// without any.
func choicesOnly(rules *model.Rules) *model.Rules {
	name := rules.Limit(keyword.Choices)
	if name == "" {
		return nil
	}
	return &model.Rules{Limits: map[string]string{keyword.Choices: name}}
}

// depth counts the pointers around a value.
func depth(t *model.Type) int {
	n := 0
	for ; t.Kind == model.Pointer; t = t.Elem {
		n++
	}
	return n
}

// elemFunc returns a function that reads a value elsewhere: as an element, or behind a pointer.
// Each place with constraints needs its own function.
func (b *builder) elemFunc(t *model.Type, rules *model.Rules, place string) Func {
	if !rules.IsZero() {
		d := &Decoder{Stem: b.names.codec(place), Go: t.Go}
		b.plan.Decoders = append(b.plan.Decoders, d)
		r := b.read(t, rules, d.Stem)
		d.Value = nullable(t, r)
		return Func{Name: d.Name(), Local: true}
	}
	if name := scalarReader(t); name != "" && t.Enum == nil && len(t.Limits) == 0 && isPlain(t) {
		return Func{Name: name}
	}
	return b.decodeFunc(t, place)
}

// decodeFunc returns the package's function that reads a type, planned once.
func (b *builder) decodeFunc(t *model.Type, place string) Func {
	key := b.key(t)
	d, ok := b.decoders[key]
	if !ok {
		d = &Decoder{Stem: b.readStem(t, key, place), Go: t.Go}
		b.decoders[key] = d
		b.plan.Decoders = append(b.plan.Decoders, d)
		switch t.Kind {
		case model.Struct:
			b.guard(t.Go)
			d.Object = b.object(t, d.Stem, d.Stem)
		case model.Union:
			d.Union = b.readUnion(t, d.Stem)
		default:
			d.Value = nullable(t, b.read(t, nil, d.Stem))
		}
	}
	return Func{Name: d.Name(), Local: true}
}

// nullable makes an element that is a pointer accept null. A field that is a pointer accepts it
// only if the field's rules allow it.
func nullable(t *model.Type, r Read) *Read {
	switch t.Kind {
	case model.Pointer:
		r.Func.Name = "Nullable"
	case model.Flagged:
		r.Func.Name = "FlaggedOrNull"
	}
	return &r
}

// targetFunc returns a function that reads the target of a pointer. Behind a pointer to a pointer
// null is refused, too.
func (b *builder) targetFunc(t *model.Type, rules *model.Rules, place string) Func {
	if !t.IsOptional() || takesNull(t) {
		return b.elemFunc(t, rules, place)
	}
	d := &Decoder{Stem: b.names.codec(place), Go: t.Go}
	b.plan.Decoders = append(b.plan.Decoders, d)
	r := b.read(t, rules, d.Stem)
	d.Value = &r
	return Func{Name: d.Name(), Local: true}
}
