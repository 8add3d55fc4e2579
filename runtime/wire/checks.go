package wire

import (
	"strconv"
	"unicode/utf8"
)

// Minimum checks that a number is not less than limit.
func Minimum[T Numeric](d *Decoder, v, limit T) {
	if !d.failed && compare(d, v, limit) < 0 {
		outside(d, RuleMinimum, "at least ", v, limit)
	}
}

// Maximum checks that a number is not greater than limit.
func Maximum[T Numeric](d *Decoder, v, limit T) {
	if !d.failed && compare(d, v, limit) > 0 {
		outside(d, RuleMaximum, "at most ", v, limit)
	}
}

// ExclusiveMinimum checks that a number is greater than limit.
func ExclusiveMinimum[T Numeric](d *Decoder, v, limit T) {
	if !d.failed && compare(d, v, limit) <= 0 {
		outside(d, RuleExclusiveMinimum, "greater than ", v, limit)
	}
}

// ExclusiveMaximum checks that a number is less than limit.
func ExclusiveMaximum[T Numeric](d *Decoder, v, limit T) {
	if !d.failed && compare(d, v, limit) >= 0 {
		outside(d, RuleExclusiveMaximum, "less than ", v, limit)
	}
}

// MultipleOf checks that a number is a whole multiple of another, which is
// greater than zero. It computes with the decimal text that came, so that 0.3 is
// a multiple of 0.1.
func MultipleOf[T Numeric](d *Decoder, v, of T) {
	if d.failed {
		return
	}
	text := d.numberRead()
	if !isReal[T]() || len(text) == 0 {
		text = appendNumeric(nil, v)
	}
	if !parseDecimal(text).isMultiple(parseDecimal(appendNumeric(nil, of))) {
		outside(d, RuleMultipleOf, "a multiple of ", v, of)
	}
}

// compare orders a number and a limit. Floats are compared as float64, also those
// of 32 bits: rounding to the smaller type must not move a value over a limit.
func compare[T Numeric](d *Decoder, v, limit T) int {
	if isReal[T]() {
		a, b := float64(v), float64(limit)
		if T(d.number) == v {
			a = d.number
		}
		if isFloat32[T]() {
			b, _ = parseFloat(AppendFloat(nil, float64(limit), 32), 64)
		}
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
	switch {
	case v < limit:
		return -1
	case v > limit:
		return 1
	}
	return 0
}

// isReal reports whether a type is a floating-point number.
func isReal[T Numeric]() bool { return T(1)/T(2) != 0 }

// isFloat32 reports whether a floating-point type holds no more than 24 bits.
func isFloat32[T Numeric]() bool {
	x := float64(1<<24 + 1)
	return float64(T(x)) != x
}

func outside[T Numeric](d *Decoder, rule, must string, v, limit T) {
	got := string(appendNumeric(nil, v))
	if text := d.numberRead(); isReal[T]() && T(d.number) == v && len(text) > 0 {
		got = shown(text)
	}
	d.violate(rule, "must be "+must+string(appendNumeric(nil, limit))+", got "+got)
}

func appendNumeric[T Numeric](b []byte, v T) []byte {
	switch {
	case isReal[T]():
		size := 64
		if isFloat32[T]() {
			size = 32
		}
		return AppendFloat(b, float64(v), size)
	case v < 0:
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendUint(b, uint64(v), 10)
}

// MinLength checks that a string has at least limit characters (code points).
func MinLength[T ~string](d *Decoder, v T, limit int) {
	if d.failed || len(v) >= limit*utf8.UTFMax {
		return
	}
	if n := utf8.RuneCountInString(string(v)); n < limit {
		d.few(RuleMinLength, n, limit, "character")
	}
}

// MaxLength checks that a string has at most limit characters (code points).
func MaxLength[T ~string](d *Decoder, v T, limit int) {
	if d.failed || len(v) <= limit {
		return
	}
	if n := utf8.RuneCountInString(string(v)); n > limit {
		d.many(RuleMaxLength, n, limit, "character")
	}
}

// MinBase64Length checks that bytes that came in base64 had at least limit
// characters there.
func MinBase64Length[T ~[]byte](d *Decoder, v T, limit int) {
	if n := strictBase64.EncodedLen(len(v)); !d.failed && n < limit {
		d.few(RuleMinLength, n, limit, "character")
	}
}

// MaxBase64Length checks that bytes that came in base64 had at most limit
// characters there.
func MaxBase64Length[T ~[]byte](d *Decoder, v T, limit int) {
	if n := strictBase64.EncodedLen(len(v)); !d.failed && n > limit {
		d.many(RuleMaxLength, n, limit, "character")
	}
}

// MinItems checks that an array of n elements has at least limit.
func MinItems(d *Decoder, n, limit int) {
	if !d.failed && n < limit {
		d.few(RuleMinItems, n, limit, "item")
	}
}

// MaxItems checks that an array of n elements has at most limit.
func MaxItems(d *Decoder, n, limit int) {
	if !d.failed && n > limit {
		d.many(RuleMaxItems, n, limit, "item")
	}
}

// MinProperties checks that a map of n entries has at least limit.
func MinProperties(d *Decoder, n, limit int) {
	if !d.failed && n < limit {
		d.few(RuleMinProperties, n, limit, "entry")
	}
}

// MaxProperties checks that a map of n entries has at most limit.
func MaxProperties(d *Decoder, n, limit int) {
	if !d.failed && n > limit {
		d.many(RuleMaxProperties, n, limit, "entry")
	}
}

// UniqueItems checks that no two elements are equal. It says nothing where an
// element was not what it must be.
func UniqueItems[T comparable](d *Decoder, v []T) {
	if d.failed || d.broken {
		return
	}
	if len(v) <= linearKeys {
		for j := range v {
			for i := range j {
				if v[i] == v[j] {
					d.repeated(i, j)
					return
				}
			}
		}
		return
	}
	seen := make(map[T]int, len(v))
	for j, x := range v {
		if i, twice := seen[x]; twice {
			d.repeated(i, j)
			return
		}
		seen[x] = j
	}
}

func (d *Decoder) repeated(i, j int) {
	d.violate(RuleUniqueItems, "must not have the same item twice, but items "+strconv.Itoa(i)+" and "+strconv.Itoa(j)+" are equal")
}

func (d *Decoder) few(rule string, n, limit int, thing string) {
	d.violate(rule, "must have at least "+count(limit, thing)+", got "+strconv.Itoa(n))
}

func (d *Decoder) many(rule string, n, limit int, thing string) {
	d.violate(rule, "must have at most "+count(limit, thing)+", got "+strconv.Itoa(n))
}
