package codec

import (
	"cmp"
	"go/types"
	"math/big"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// checks plans the constraints of a value, including those behind pointers.
func (b *builder) checks(t *model.Type, rules *model.Rules, place string) []*Check {
	limits := t.Limits // the function for a pointer's target checks its limits
	for t.Kind == model.Pointer {
		t = t.Elem
	}
	if rules.IsZero() && len(limits) == 0 {
		return nil
	}
	var out []*Check
	for _, k := range keyword.Rules() {
		limit := cmp.Or(k.Limit(rules), limits[k.Name])
		if limit == "" {
			continue
		}
		fn, err := k.Func(t)
		if err != nil || k.Name == keyword.AnySchema {
			continue // the function that reads the elements checks it
		}
		if c := b.check(k, t, limit, place); c != nil && fn != "" {
			c.Func = fn
			out = append(out, c)
		}
	}
	return out
}

// check plans the arguments of the function for one constraint. It returns nil if no value of the
// type violates it.
func (b *builder) check(k *keyword.Keyword, t *model.Type, limit, place string) *Check {
	switch k.Value {
	case keyword.Number:
		text, ok := strconv.Quote(limit), true
		switch {
		case t.Kind == model.Number:
		case k.Bound != keyword.NoBound:
			// A bound between two integers means the upper one if it excludes the values below.
			text, ok = b.bound(t, limit, k.Bound == keyword.AtLeast || k.Bound == keyword.Below)
		default:
			text = multipleOf(t, limit)
			ok = text != ""
		}
		if !ok {
			return nil
		}
		return &Check{Text: text}
	case keyword.Name:
		return &Check{Text: strconv.Quote(limit)}
	case keyword.Count:
		return &Check{Text: limit, Len: k.Whole}
	case keyword.Pattern:
		return &Check{Pattern: b.pattern(limit, place)}
	case keyword.Format:
		fn := keyword.FormatFunc(limit)
		if fn == "" {
			b.fail("format %q is not known", limit)
		}
		return &Check{Format: fn}
	}
	return &Check{Array: t.Kind == model.Array}
}

// multipleOf returns the step as a constant of the type. An integer is a multiple of a reduced
// fraction if and only if it is a multiple of its numerator.
func multipleOf(t *model.Type, text string) string {
	if t.Kind == model.Float {
		return text
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Num().IsInt64() && r.Num().Int64() == 1 {
		return ""
	}
	return r.Num().String()
}

// bound returns a limit as a constant of the type. For an integer type it is rounded to the integer
// with the same meaning. bound returns false if every value of the type is within the limit.
func (b *builder) bound(t *model.Type, text string, up bool) (string, bool) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		b.fail("limit %s is not a number", text)
		return "", false
	}
	if t.Kind == model.Float {
		return text, true
	}
	n := new(big.Int).Div(r.Num(), r.Denom()) // rounds down, since the denominator is positive
	if up && !r.IsInt() {
		n.Add(n, big.NewInt(1))
	}
	low, high := intRange(t)
	switch {
	case n.Cmp(low) < 0 || n.Cmp(high) > 0:
		// The generator has already refused a limit that excludes all values of the type.
		return "", false
	}
	return n.String(), true
}

// intRange returns the smallest and largest value of an integer type.
func intRange(t *model.Type) (low, high *big.Int) {
	bits := uint(t.Bits)
	if bits == 0 {
		bits = 64
	}
	one := big.NewInt(1)
	if t.Kind == model.Uint {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
	}
	half := new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
}

// pattern returns the compiled form of an expression, compiled once for all places that use it.
func (b *builder) pattern(expr, place string) *Pattern {
	p, ok := b.patterns[expr]
	if !ok {
		p = &Pattern{Stem: b.names.table("mcpPattern", place), Expr: expr}
		b.patterns[expr] = p
		b.plan.Patterns = append(b.plan.Patterns, p)
	}
	return p
}

// schema returns the schema for a value of type any, shared by all places that use it, or nil if
// every value is allowed.
func (b *builder) schema(t *model.Type, rules *model.Rules, place string) *Schema {
	text := rules.Limit(keyword.AnySchema)
	if text == "" || t.Kind != model.Any {
		return nil
	}
	text = keyword.EnforcedSchema(text)
	s, ok := b.schemas[text]
	if !ok {
		s = &Schema{Stem: b.names.table("mcpAllowed", place), JSON: text}
		b.schemas[text] = s
		b.plan.Schemas = append(b.plan.Schemas, s)
	}
	return s
}

// allowsNull reports whether the schema of a field of type any, if it has one, allows null.
func allowsNull(f *model.Field) bool {
	s := f.Rules.Limit(keyword.AnySchema)
	return s == "" || keyword.SchemaAllows(s, nil)
}

// enum returns the table of the values that a place accepts, or nil if it accepts all.
func (b *builder) enum(t *model.Type, rules *model.Rules, place string) *Enum {
	narrow := rules != nil && len(rules.Enum) > 0
	switch {
	case enumReader(t) == "":
		if narrow {
			b.fail("values of the type %s cannot be enumerated", t.Go)
		}
	case narrow:
		e := &Enum{Stem: b.names.table("mcpEnum", place), Go: t.Go}
		values := t
		if t.Kind == model.Float {
			// A float32 could not represent all of them exactly.
			values = &model.Type{Kind: model.Float, Bits: 64, Go: types.Typ[types.Float64]}
			e.Go = values.Go
		}
		for _, text := range rules.Enum {
			e.Values = append(e.Values, b.literal(values, text))
		}
		b.plan.Enums = append(b.plan.Enums, e)
		return e
	case t.Enum.Closed() != nil:
		key := "enum " + b.key(t)
		e, ok := b.enums[key]
		if !ok {
			e = &Enum{Stem: b.names.table("mcpEnum", b.stem(t, b.key(t), place)), Go: t.Go}
			values := t
			if t.Kind == model.Text {
				// The method turns these texts into values.
				values = &model.Type{Kind: model.String, Go: types.Typ[types.String]}
				e.What, e.Go = "the texts that are accepted for "+e.Stem, values.Go
			}
			seen := map[string]bool{}
			for _, v := range t.Enum.Values {
				if !seen[v.JSON] {
					seen[v.JSON] = true
					e.Values = append(e.Values, b.literal(values, v.JSON))
				}
			}
			b.enums[key] = e
			b.plan.Enums = append(b.plan.Enums, e)
		}
		return e
	}
	return nil
}
