package wire

import (
	"strconv"
	"unicode/utf8"
)

// Minimum checks that an integer is not less than limit.
func Minimum[T Integer](d *Decoder, v, limit T) {
	if !d.failed && v < limit {
		outside(d, RuleMinimum, "at least ", v, limit)
	}
}

// Maximum checks that an integer is not greater than limit.
func Maximum[T Integer](d *Decoder, v, limit T) {
	if !d.failed && v > limit {
		outside(d, RuleMaximum, "at most ", v, limit)
	}
}

// ExclusiveMinimum checks that an integer is greater than limit.
func ExclusiveMinimum[T Integer](d *Decoder, v, limit T) {
	if !d.failed && v <= limit {
		outside(d, RuleExclusiveMinimum, "greater than ", v, limit)
	}
}

// ExclusiveMaximum checks that an integer is less than limit.
func ExclusiveMaximum[T Integer](d *Decoder, v, limit T) {
	if !d.failed && v >= limit {
		outside(d, RuleExclusiveMaximum, "less than ", v, limit)
	}
}

// MultipleOf checks that an integer is a whole multiple of another, which is greater than zero.
func MultipleOf[T Integer](d *Decoder, v, of T) {
	if !d.failed && v%of != 0 {
		outside(d, RuleMultipleOf, "a multiple of ", v, of)
	}
}

func outside[T Integer](d *Decoder, rule, must string, v, limit T) {
	d.violate(rule, "must be "+must+string(appendNumeric(nil, limit))+", got "+string(appendNumeric(nil, v)))
}

func appendNumeric[T Integer](b []byte, v T) []byte {
	if v < 0 {
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

// MinBase64Length checks that the base64 string of decoded bytes had at least limit characters.
func MinBase64Length[T ~[]byte](d *Decoder, v T, limit int) {
	if n := strictBase64.EncodedLen(len(v)); !d.failed && n < limit {
		d.few(RuleMinLength, n, limit, "character")
	}
}

// MaxBase64Length checks that the base64 string of decoded bytes had at most limit characters.
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

// UniqueItems checks that no two elements are equal. It checks nothing if an element was invalid.
func UniqueItems[T comparable](d *Decoder, v []T) {
	if d.failed || d.broken {
		return
	}
	if i, j, twice := repeats(v); twice {
		d.repeated(i, j)
	}
}

// repeats returns the indexes of two equal elements.
func repeats[T comparable](v []T) (first, second int, twice bool) {
	if len(v) <= linearKeys {
		for j := range v {
			for i := range j {
				if v[i] == v[j] {
					return i, j, true
				}
			}
		}
		return 0, 0, false
	}
	seen := make(map[T]int, len(v))
	for j, x := range v {
		if i, twice := seen[x]; twice {
			return i, j, true
		}
		seen[x] = j
	}
	return 0, 0, false
}

func (d *Decoder) repeated(i, j int) { d.violate(RuleUniqueItems, repeatedItems(i, j)) }

func repeatedItems(i, j int) string {
	return "must not have the same item twice, but items " + strconv.Itoa(i) + " and " + strconv.Itoa(j) + " are equal"
}

func (d *Decoder) few(rule string, n, limit int, thing string) {
	d.violate(rule, fewMessage(n, limit, thing))
}

func fewMessage(n, limit int, thing string) string {
	return "must have at least " + count(limit, thing) + ", got " + strconv.Itoa(n)
}

func (d *Decoder) many(rule string, n, limit int, thing string) {
	d.violate(rule, manyMessage(n, limit, thing))
}

func manyMessage(n, limit int, thing string) string {
	return "must have at most " + count(limit, thing) + ", got " + strconv.Itoa(n)
}
