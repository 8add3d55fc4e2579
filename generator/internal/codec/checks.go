package codec

import (
	"go/types"
	"math/big"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// checks plans the constraints of a value, those behind pointers included.
func (b *builder) checks(t *model.Type, rules *model.Rules, place string) []*Check {
	if rules.IsZero() {
		return nil
	}
	for t.Kind == model.Pointer {
		t = t.Elem
	}
	switch t.Kind {
	case model.Int, model.Uint, model.Float:
		return b.numberChecks(t, rules)
	case model.Number:
		return textNumberChecks(rules)
	case model.String:
		return b.stringChecks(rules, place)
	case model.Bytes:
		return lengthChecks("MinBase64Length", "MaxBase64Length", rules.MinLength, rules.MaxLength, false)
	case model.Slice, model.Array:
		return itemChecks(t, rules)
	case model.Map:
		return lengthChecks("MinProperties", "MaxProperties", rules.MinProperties, rules.MaxProperties, true)
	}
	return nil
}

func (b *builder) numberChecks(t *model.Type, rules *model.Rules) []*Check {
	var out []*Check
	for _, c := range []struct {
		name, text string
		up         bool // a bound between two integers means the upper one
	}{
		{"Minimum", rules.Minimum, true},
		{"ExclusiveMinimum", rules.ExclusiveMinimum, false},
		{"Maximum", rules.Maximum, false},
		{"ExclusiveMaximum", rules.ExclusiveMaximum, true},
	} {
		c.name = ofNumbers(t, c.name)
		if c.text == "" {
			continue
		}
		text, ok := b.bound(t, c.text, c.up)
		if ok {
			out = append(out, &Check{Func: c.name, Text: text})
		}
	}
	if rules.MultipleOf != "" {
		if text := multipleOf(t, rules.MultipleOf); text != "" {
			out = append(out, &Check{Func: ofNumbers(t, "MultipleOf"), Text: text})
		}
	}
	return out
}

// ofNumbers is the name of a check for a type of numbers.
func ofNumbers(t *model.Type, check string) string {
	if t.Kind == model.Float {
		return "Float" + check
	}
	return check
}

// textNumberChecks are those of a number that is kept as text.
func textNumberChecks(rules *model.Rules) []*Check {
	var out []*Check
	for _, c := range []struct{ name, text string }{
		{"NumberMinimum", rules.Minimum},
		{"NumberExclusiveMinimum", rules.ExclusiveMinimum},
		{"NumberMaximum", rules.Maximum},
		{"NumberExclusiveMaximum", rules.ExclusiveMaximum},
		{"NumberMultipleOf", rules.MultipleOf},
	} {
		if c.text != "" {
			out = append(out, &Check{Func: c.name, Text: strconv.Quote(c.text)})
		}
	}
	return out
}

// multipleOf is the step as a constant of the type. An integer is a multiple of a
// reduced fraction if and only if it is one of its numerator.
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

// bound is a limit as a constant of the type. Of an integer type it is an
// integer, rounded to the side that means the same; ok is false for a limit that
// the type keeps by itself.
func (b *builder) bound(t *model.Type, text string, up bool) (string, bool) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		b.fail("limit %s is not a number", text)
		return "", false
	}
	if t.Kind == model.Float {
		return text, true
	}
	n := new(big.Int).Div(r.Num(), r.Denom()) // rounds down, the denominator being positive
	if up && !r.IsInt() {
		n.Add(n, big.NewInt(1))
	}
	low, high := intRange(t)
	switch {
	case n.Cmp(low) < 0 || n.Cmp(high) > 0:
		// A limit beyond the type on the far side has been refused before.
		return "", false
	}
	return n.String(), true
}

// intRange is the range of an integer type.
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

func (b *builder) stringChecks(rules *model.Rules, place string) []*Check {
	out := lengthChecks("MinLength", "MaxLength", rules.MinLength, rules.MaxLength, false)
	if rules.Pattern != "" {
		out = append(out, &Check{Func: "Pattern", Pattern: b.pattern(rules.Pattern, place)})
	}
	if rules.Format != "" {
		checker, ok := formats[rules.Format]
		if !ok {
			b.fail("format %q is not known", rules.Format)
		}
		out = append(out, &Check{Func: "Format", Format: checker})
	}
	return out
}

// formats are the functions of runtime/wire that know the formats.
var formats = map[string]string{
	"date":      "FormatDate",
	"date-time": "FormatDateTime",
	"email":     "FormatEmail",
	"hostname":  "FormatHostname",
	"ipv4":      "FormatIPv4",
	"ipv6":      "FormatIPv6",
	"time":      "FormatTime",
	"uri":       "FormatURI",
	"uuid":      "FormatUUID",
}

func itemChecks(t *model.Type, rules *model.Rules) []*Check {
	var out []*Check
	if t.Kind == model.Slice {
		out = lengthChecks("MinItems", "MaxItems", rules.MinItems, rules.MaxItems, true)
	}
	if rules.UniqueItems {
		check := "UniqueItems"
		elem := t.Elem
		if elem.Kind == model.Float {
			check = "UniqueFloats"
		}
		out = append(out, &Check{Func: check, Array: t.Kind == model.Array})
	}
	return out
}

func lengthChecks(minName, maxName string, least, most *int, length bool) []*Check {
	var out []*Check
	if least != nil {
		out = append(out, &Check{Func: minName, Text: strconv.Itoa(*least), Len: length})
	}
	if most != nil {
		out = append(out, &Check{Func: maxName, Text: strconv.Itoa(*most), Len: length})
	}
	return out
}

// pattern is the compiled form of an expression, made once for all places that
// have the same one.
func (b *builder) pattern(expr, place string) *Pattern {
	p, ok := b.patterns[expr]
	if !ok {
		p = &Pattern{Stem: b.names.table("mcpPattern", place), Expr: expr}
		b.patterns[expr] = p
		b.plan.Patterns = append(b.plan.Patterns, p)
	}
	return p
}

// enum is the table of values that a place accepts, nil where it accepts all.
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
			// A float32 could not hold each of them exactly.
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
				// The texts, which the method turns into values.
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
