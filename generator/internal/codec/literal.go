package codec

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"go/types"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// LiteralKind is the form of a Go expression for the value of a JSON text.
type LiteralKind int

const (
	LitBasic    LiteralKind = iota // Text, an untyped constant or nil
	LitConst                       // Const
	LitConvert                     // Type(Text)
	LitNew                         // new(Elems[0])
	LitList                        // Type{Elems...}
	LitMap                         // Type{Keys[i]: Elems[i]...}
	LitStruct                      // Type{Names[i]: Elems[i]...}
	LitDuration                    // Duration
	LitTime                        // Time
	LitMethod                      // no expression: the value is read from JSON
	LitFixed                       // Text()
)

// Literal is the Go value of a JSON text.
type Literal struct {
	Kind     LiteralKind
	Type     types.Type
	Text     string // Go source
	Const    *types.Const
	Keys     []*Literal
	Names    []string
	Elems    []*Literal
	Duration time.Duration
	Time     time.Time
}

// literal plans the Go value of a JSON text.
func (b *builder) literal(t *model.Type, text string) *Literal {
	v, err := decode(text)
	if err != nil {
		b.fail("default %s is not JSON: %v", text, err)
		return &Literal{}
	}
	return b.value(t, v, text)
}

func decode(text string) (v any, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

func (b *builder) value(t *model.Type, v any, text string) *Literal {
	bad := func() *Literal {
		b.fail("value %s does not suit the type %s", text, t.Go)
		return &Literal{}
	}
	if c := b.constant(t, v); c != nil {
		return &Literal{Kind: LitConst, Const: c, Type: t.Go}
	}
	switch t.Kind {
	case model.Pointer:
		if v == nil {
			return &Literal{Text: "nil", Type: t.Go}
		}
		return &Literal{Kind: LitNew, Type: t.Go, Elems: []*Literal{b.value(t.Elem, v, text)}}
	case model.Any:
		return dynamic(v)
	case model.RawJSON:
		return &Literal{Kind: LitConvert, Type: t.Go, Text: strconv.Quote(canonical(v))}
	case model.JSON, model.Converted, model.Union, model.Reflect:
		return &Literal{Kind: LitMethod, Type: t.Go}
	case model.Flagged:
		lit := &Literal{Kind: LitStruct, Type: t.Go}
		if v != nil {
			inner := lit
			for _, embedded := range embeddedOn(t.Go, t.Value) {
				inner.Names = []string{embedded.Name()}
				inner.Elems = []*Literal{{Kind: LitStruct, Type: embedded.Type()}}
				inner = inner.Elems[0]
			}
			inner.Names = []string{t.Value}
			inner.Elems = []*Literal{b.value(t.Elem, v, text)}
			if !t.Sent {
				inner.Names = append(inner.Names, t.Flag)
				inner.Elems = append(inner.Elems, &Literal{Text: "true", Type: types.Typ[types.Bool]})
			}
		}
		return lit
	}
	switch v := v.(type) {
	case nil:
		if t.Kind == model.Slice || t.Kind == model.Map {
			return &Literal{Text: "nil", Type: t.Go}
		}
	case bool:
		if t.Kind == model.Bool {
			return &Literal{Text: strconv.FormatBool(v), Type: t.Go}
		}
	case json.Number:
		if lit := number(t, v); lit != nil {
			return lit
		}
	case string:
		if lit := textual(t, v); lit != nil {
			return lit
		}
	case []any:
		if t.Kind != model.Slice && t.Kind != model.Array || t.Kind == model.Array && int64(len(v)) != t.Len {
			return bad()
		}
		lit := &Literal{Kind: LitList, Type: t.Go}
		for _, e := range v {
			lit.Elems = append(lit.Elems, b.value(t.Elem, e, text))
		}
		return lit
	case map[string]any:
		switch t.Kind {
		case model.Map:
			lit := &Literal{Kind: LitMap, Type: t.Go}
			for _, k := range slices.Sorted(maps.Keys(v)) {
				key := b.mapKey(t.Key, k, text)
				lit.Keys = append(lit.Keys, key)
				lit.Elems = append(lit.Elems, b.value(t.Elem, v[k], text))
			}
			return lit
		case model.Struct:
			return b.structure(t, v, text)
		}
	}
	return bad()
}

// needsMethod reports whether a method makes a part of the value, so that no expression can.
func (l *Literal) needsMethod() bool {
	return l.Kind == LitMethod || slices.ContainsFunc(l.Elems, (*Literal).needsMethod) || slices.ContainsFunc(l.Keys, (*Literal).needsMethod)
}

func (b *builder) mapKey(t *model.Type, key, text string) *Literal {
	switch t.Kind {
	case model.String:
		return b.value(t, key, text)
	case model.Int, model.Uint:
		return b.value(t, json.Number(key), text)
	case model.Text:
		return &Literal{Kind: LitMethod, Type: t.Go}
	}
	b.fail("value %s: keys of the type %s cannot be written as constants", text, t.Go)
	return &Literal{}
}

// structure plans a struct, with the defaults of the fields that the text does not mention.
func (b *builder) structure(t *model.Type, v map[string]any, text string) *Literal {
	lit := &Literal{Kind: LitStruct, Type: t.Go}
	known := map[string]bool{}
	for _, f := range t.Fields {
		known[f.Name] = true
		member, ok := v[f.Name]
		var inner *Literal
		switch asIfAbsent := member == nil && !f.Nullable && !takesNull(f.Type); {
		case !ok || asIfAbsent:
			if f.Default == nil {
				continue
			}
			inner = b.literal(f.Type, f.Default.JSON)
		case f.Quoted:
			inner = &Literal{Kind: LitMethod, Type: f.Type.Go}
		default:
			inner = b.value(f.Type, member, text)
		}
		b.place(lit, t.Go, f.Path, inner)
	}
	for _, f := range t.Fixed {
		v, _ := decode(f.Default.JSON) // checked before
		b.place(lit, t.Go, f.Path, b.value(f.Type, v, f.Default.JSON))
	}
	for name := range v {
		if !known[name] {
			b.fail("value %s: unknown field %s", text, name)
		}
	}
	return lit
}

// place sets a field of a struct, through the embedded structs on the way.
func (b *builder) place(lit *Literal, t types.Type, path []model.Selector, v *Literal) {
	u, ok := t.Underlying().(*types.Struct)
	if !ok || len(path) == 0 {
		return
	}
	name := path[0].Name
	if len(path) == 1 {
		lit.Names, lit.Elems = append(lit.Names, name), append(lit.Elems, v)
		return
	}
	var step types.Type
	for f := range u.Fields() {
		if f.Name() == name {
			step = f.Type()
		}
	}
	if step == nil {
		return
	}
	i := slices.Index(lit.Names, name)
	if i < 0 {
		inner := &Literal{Kind: LitStruct, Type: deref(step)}
		outer := inner
		if path[0].Pointer != nil {
			outer = &Literal{Kind: LitNew, Type: step, Elems: []*Literal{inner}}
		}
		lit.Names, lit.Elems = append(lit.Names, name), append(lit.Elems, outer)
		i = len(lit.Names) - 1
	}
	inner := lit.Elems[i]
	if inner.Kind == LitNew {
		inner = inner.Elems[0]
	}
	b.place(inner, inner.Type, path[1:], v)
}

// constant returns the declared constant with the value, or nil if no constant with that value can
// be named.
func (b *builder) constant(t *model.Type, v any) *types.Const {
	if t.Enum == nil {
		return nil
	}
	want := canonical(v)
	for _, e := range t.Enum.Values {
		if e.Const == nil || e.Platform || !sameText(e.JSON, want) {
			continue
		}
		if e.Const.Exported() || e.Const.Pkg() == b.pkg.Types {
			return e.Const
		}
	}
	return nil
}

func sameText(a, b string) bool {
	if a == b {
		return true
	}
	x, ok1 := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok1 && ok2 && x.Cmp(y) == 0
}

func number(t *model.Type, n json.Number) *Literal {
	switch t.Kind {
	case model.Int, model.Uint:
		r, ok := new(big.Rat).SetString(n.String())
		if !ok || !r.IsInt() {
			return nil
		}
		low, high := intRange(t)
		if r.Num().Cmp(low) < 0 || r.Num().Cmp(high) > 0 {
			return nil
		}
		if isDuration(t.Go) {
			return &Literal{Kind: LitDuration, Duration: time.Duration(r.Num().Int64()), Type: t.Go}
		}
		return &Literal{Text: r.Num().String(), Type: t.Go}
	case model.Float:
		if _, err := strconv.ParseFloat(n.String(), t.Bits); err != nil {
			return nil
		}
		return &Literal{Text: n.String(), Type: t.Go}
	case model.Number:
		return &Literal{Text: strconv.Quote(n.String()), Type: t.Go}
	}
	return nil
}

// textual plans a value that JSON represents as a string.
func textual(t *model.Type, s string) *Literal {
	switch t.Kind {
	case model.String:
		return &Literal{Text: strconv.Quote(s), Type: t.Go}
	case model.Bytes:
		data, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return nil
		}
		return &Literal{Kind: LitConvert, Type: t.Go, Text: strconv.Quote(string(data))}
	case model.Duration:
		d, err := time.ParseDuration(s)
		if err != nil {
			return nil
		}
		return &Literal{Kind: LitDuration, Duration: d, Type: t.Go}
	case model.Time:
		v, err := time.Parse(cmp.Or(t.Layout, time.RFC3339), s)
		if err != nil {
			return nil
		}
		return &Literal{Kind: LitTime, Time: v, Type: t.Go}
	case model.Text:
		return &Literal{Kind: LitMethod, Type: t.Go}
	}
	return nil
}

// embeddedOn returns the embedded structs that a field is promoted through.
func embeddedOn(t types.Type, name string) []*types.Var {
	_, index, _ := types.LookupFieldOrMethod(t, true, nil, name)
	var out []*types.Var
	for len(index) > 1 {
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		embedded := s.Field(index[0])
		out = append(out, embedded)
		t, index = embedded.Type(), index[1:]
	}
	return out
}

// dynamic plans a value of type any, with the types that encoding/json uses.
func dynamic(v any) *Literal {
	switch v := v.(type) {
	case bool:
		return &Literal{Text: strconv.FormatBool(v), Type: types.Typ[types.Bool]}
	case string:
		return &Literal{Text: strconv.Quote(v), Type: types.Typ[types.String]}
	case json.Number:
		return &Literal{Kind: LitConvert, Type: types.Typ[types.Float64], Text: v.String()}
	case []any:
		lit := &Literal{Kind: LitList, Type: types.NewSlice(emptyInterface)}
		for _, e := range v {
			lit.Elems = append(lit.Elems, dynamic(e))
		}
		return lit
	case map[string]any:
		lit := &Literal{Kind: LitMap, Type: types.NewMap(types.Typ[types.String], emptyInterface)}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			lit.Keys = append(lit.Keys, &Literal{Text: strconv.Quote(k), Type: types.Typ[types.String]})
			lit.Elems = append(lit.Elems, dynamic(v[k]))
		}
		return lit
	}
	return &Literal{Text: "nil", Type: emptyInterface}
}

// canonical returns a value as compact JSON.
func canonical(v any) string {
	var s strings.Builder
	enc := json.NewEncoder(&s)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSuffix(s.String(), "\n")
}

func isDuration(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "time" && named.Obj().Name() == "Duration"
}
