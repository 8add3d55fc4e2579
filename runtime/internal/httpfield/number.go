package httpfield

import (
	"strconv"
	"strings"
)

// maxIntegerDigits limits the zeros that are written for an exponent.
const maxIntegerDigits = 64

// SameNumber reports whether two texts are JSON numbers of the same value. It compares without
// rounding.
func SameNumber(a, b string) bool {
	x, ok := parseDecimal(a)
	if !ok {
		return false
	}
	y, ok := parseDecimal(b)
	return ok && x == y
}

// Integer returns a JSON number without fraction and exponent, if it is an integer. Digits are
// exact.
func Integer(s string) string {
	d, ok := parseDecimal(s)
	switch {
	case !ok, d.exponent < 0, d.exponent > maxIntegerDigits:
		return s
	case d.digits == "":
		return "0"
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	return sign + d.digits + strings.Repeat("0", int(d.exponent))
}

// decimal is digits × 10^exponent in normal form: digits do not begin or end with a zero, and are
// empty for zero.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// parseDecimal parses a JSON number (RFC 8259, section 6).
func parseDecimal(s string) (d decimal, ok bool) {
	s, d.negative = strings.CutPrefix(s, "-")
	mantissa := s
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(s[i+1:], 10, 32)
		if err != nil {
			return decimal{}, false
		}
		mantissa, d.exponent = s[:i], exponent
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	switch {
	case !IsDigits(whole), whole[0] == '0' && len(whole) > 1, point && !IsDigits(fraction):
		return decimal{}, false
	}
	d.exponent -= int64(len(fraction))
	d.digits = strings.TrimRight(whole+fraction, "0")
	d.exponent += int64(len(whole) + len(fraction) - len(d.digits))
	d.digits = strings.TrimLeft(d.digits, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// IsDigits reports whether a text consists of decimal digits, at least one.
func IsDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
