package jsontree

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Canonical returns the same text for values that are equal in JSON Schema: the order of members
// and the notation of numbers do not matter.
func (v *Value) Canonical() string {
	var b strings.Builder
	v.AppendCanonical(&b)
	return b.String()
}

// AppendCanonical appends the result of Canonical.
func (v *Value) AppendCanonical(b *strings.Builder) {
	switch v.Kind {
	case Array:
		b.WriteByte('[')
		for _, item := range v.Items {
			item.AppendCanonical(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for _, m := range Sorted(v) {
			b.WriteString(strconv.Quote(m.Name) + ":")
			m.Value.AppendCanonical(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case Text:
		b.WriteString(strconv.Quote(v.Text))
	case Number:
		if r := Rational(v); r != nil {
			b.WriteString(r.RatString())
			return
		}
		b.WriteString(v.Text)
	default:
		b.WriteString(v.Text)
	}
}

// Sorted returns the members sorted by name.
func Sorted(v *Value) []Member {
	sorted := slices.Clone(v.Members)
	slices.SortFunc(sorted, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// Equal reports whether two values are equal in JSON Schema; nil equals only nil.
func Equal(a, b *Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Canonical() == b.Canonical()
}

// maxExponent limits the memory for numbers such as 1e999999999.
const maxExponent = 2000

// Rational returns the exact value of a number, or nil if v is not a number or its exponent is too
// large.
func Rational(v *Value) *big.Rat {
	if !v.Is(Number) || len(v.Text) > maxExponent {
		return nil
	}
	if i := strings.IndexAny(v.Text, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(v.Text[i+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(v.Text)
	if !ok {
		return nil
	}
	return r
}
