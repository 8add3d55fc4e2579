package wire

import (
	"math/bits"
	"strconv"
)

// decimal is a number as digits × 10^exponent. The digits neither begin nor end with a zero and may
// contain the decimal point; n counts them. Zero has no digits.
type decimal struct {
	negative bool
	digits   []byte
	n        int
	exponent int64
}

// farExponent is the largest exponent that is counted. No text has enough digits to compensate for
// it.
const farExponent = 1 << 40

// parseDecimal parses a JSON number.
func parseDecimal(text []byte) decimal {
	var z decimal
	if text[0] == '-' {
		z.negative = true
		text = text[1:]
	}
	end := len(text)
	for i, c := range text {
		if c|0x20 == 'e' {
			z.exponent = parseExponent(text[i+1:])
			end = i
			break
		}
	}
	digits := text[:end]
	point := -1
	for i, c := range digits {
		if c == '.' {
			point = i
			z.exponent -= int64(len(digits) - i - 1)
			break
		}
	}
	// From here on the point does not matter: the exponent is relative to the last digit.
	last := len(digits)
	for ; last > 0 && (digits[last-1] == '0' || digits[last-1] == '.'); last-- {
		if digits[last-1] == '0' {
			z.exponent++
		}
	}
	first := 0
	for first < last && (digits[first] == '0' || digits[first] == '.') {
		first++
	}
	z.digits = digits[first:last]
	z.n = last - first
	if first <= point && point < last {
		z.n--
	}
	if z.n == 0 {
		z.exponent = 0
	}
	return z
}

// parseExponent parses the digits after the e.
func parseExponent(text []byte) int64 {
	var e int64
	negative := len(text) > 0 && text[0] == '-'
	for _, c := range text {
		if '0' <= c && c <= '9' && e < farExponent {
			e = 10*e + int64(c-'0')
		}
	}
	if negative {
		return -e
	}
	return e
}

// appendInteger appends the digits of an integer.
func (z decimal) appendInteger(b []byte) []byte {
	if z.n == 0 {
		return append(b, '0')
	}
	if z.negative {
		b = append(b, '-')
	}
	for _, c := range z.digits {
		if c != '.' {
			b = append(b, c)
		}
	}
	for range z.exponent {
		b = append(b, '0')
	}
	return b
}

// isMultiple reports whether z is a whole multiple of w, which is not zero.
func (z decimal) isMultiple(w decimal) bool {
	if z.n == 0 {
		return true
	}
	of, ok := w.uint()
	if !ok {
		return false
	}
	e := z.exponent - w.exponent
	if e < 0 {
		// z would need digits divisible by a power of ten, but its last digit is not a zero.
		return false
	}
	return mulMod(z.mod(of), powMod(10, uint64(e), of), of) == 0
}

// uint returns the digits as an integer.
func (z decimal) uint() (uint64, bool) {
	if z.n > 19 {
		return 0, false
	}
	var u uint64
	for _, c := range z.digits {
		if c != '.' {
			u = 10*u + uint64(c-'0')
		}
	}
	return u, true
}

// mod returns the digits modulo m.
func (z decimal) mod(m uint64) uint64 {
	var r uint64
	for _, c := range z.digits {
		if c != '.' {
			r = addMod(mulMod(r, 10%m, m), uint64(c-'0')%m, m)
		}
	}
	return r
}

func addMod(a, b, m uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return bits.Rem64(carry, sum, m)
}

func mulMod(a, b, m uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return bits.Rem64(high, low, m)
}

func powMod(base, exponent, m uint64) uint64 {
	result := 1 % m
	for base %= m; exponent > 0; exponent >>= 1 {
		if exponent&1 != 0 {
			result = mulMod(result, base, m)
		}
		base = mulMod(base, base, m)
	}
	return result
}

// intKind is the kind of number that parseInteger found.
type intKind int

const (
	exactInteger intKind = iota
	notInteger
	hugeInteger // over 64 bits
)

// parseInteger returns the magnitude of a number that is an integer in any notation.
func parseInteger(text []byte) (u uint64, negative bool, kind intKind) {
	z := parseDecimal(text)
	switch {
	case z.exponent < 0:
		return 0, z.negative, notInteger
	case int64(z.n)+z.exponent > 20:
		return 0, z.negative, hugeInteger
	}
	push := func(digit uint64) {
		high, low := bits.Mul64(u, 10)
		sum, carry := bits.Add64(low, digit, 0)
		if high+carry != 0 {
			kind = hugeInteger
		}
		u = sum
	}
	for _, c := range z.digits {
		if c != '.' {
			push(uint64(c - '0'))
		}
	}
	for range z.exponent {
		push(0)
	}
	return u, z.negative && u != 0, kind
}

// plainInteger reports whether a number is written as digits only.
func plainInteger(text []byte) bool {
	for _, c := range text {
		if c == '.' || c|0x20 == 'e' {
			return false
		}
	}
	return true
}

// exactPowers are the powers of ten that float64 represents exactly.
var exactPowers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseFloat returns the float nearest to a JSON number. It returns false if the number exceeds the
// largest float.
func parseFloat(text []byte, size int) (float64, bool) {
	f, err := strconv.ParseFloat(string(text), size)
	return f, err == nil
}
