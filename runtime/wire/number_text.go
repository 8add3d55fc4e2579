package wire

import "encoding/json"

// The checks of a json.Number compare decimal texts exactly, without conversion: exponents of any
// size are allowed. The limit is a JSON number.

// NumberMinimum checks that a number is not less than limit.
func NumberMinimum(d *Decoder, v, limit json.Number) {
	if !d.failed && compareText(v, limit) < 0 {
		d.violate(RuleMinimum, "must be at least "+string(limit)+", got "+shown([]byte(v)))
	}
}

// NumberMaximum checks that a number is not greater than limit.
func NumberMaximum(d *Decoder, v, limit json.Number) {
	if !d.failed && compareText(v, limit) > 0 {
		d.violate(RuleMaximum, "must be at most "+string(limit)+", got "+shown([]byte(v)))
	}
}

// NumberExclusiveMinimum checks that a number is greater than limit.
func NumberExclusiveMinimum(d *Decoder, v, limit json.Number) {
	if !d.failed && compareText(v, limit) <= 0 {
		d.violate(RuleExclusiveMinimum, "must be greater than "+string(limit)+", got "+shown([]byte(v)))
	}
}

// NumberExclusiveMaximum checks that a number is less than limit.
func NumberExclusiveMaximum(d *Decoder, v, limit json.Number) {
	if !d.failed && compareText(v, limit) >= 0 {
		d.violate(RuleExclusiveMaximum, "must be less than "+string(limit)+", got "+shown([]byte(v)))
	}
}

// NumberMultipleOf checks that a number is a whole multiple of another, which is greater than zero.
func NumberMultipleOf(d *Decoder, v, of json.Number) {
	if !d.failed && !parseDecimal([]byte(v)).isMultiple(parseDecimal([]byte(of))) {
		d.violate(RuleMultipleOf, "must be a multiple of "+string(of)+", got "+shown([]byte(v)))
	}
}

// compareText orders two numbers, given as JSON text that is not empty.
func compareText(a, b json.Number) int {
	x, y := parseDecimal([]byte(a)), parseDecimal([]byte(b))
	sx, sy := x.sign(), y.sign()
	switch {
	case sx != sy:
		return sign(sx - sy)
	case sx == 0:
		return 0
	}
	return sx * x.compareSize(y)
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func (z decimal) sign() int {
	switch {
	case z.n == 0:
		return 0
	case z.negative:
		return -1
	}
	return 1
}

// compareSize orders two decimals that are not zero by their magnitude: first by the position of
// the first digit, then digit by digit.
func (z decimal) compareSize(w decimal) int {
	if a, b := z.exponent+int64(z.n), w.exponent+int64(w.n); a != b {
		if a < b {
			return -1
		}
		return 1
	}
	i, j := 0, 0
	next := func(digits []byte, k *int) byte {
		for *k < len(digits) {
			c := digits[*k]
			*k++
			if c != '.' {
				return c
			}
		}
		return '0'
	}
	for i < len(z.digits) || j < len(w.digits) {
		a, b := next(z.digits, &i), next(w.digits, &j)
		if a != b {
			return sign(int(a) - int(b))
		}
	}
	return 0
}
