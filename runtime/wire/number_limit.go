package wire

import (
	"bytes"
	"strconv"
)

// Numbers of unlimited size, such as big.Int, take time and memory that grow faster than their
// text: a million digits take seconds to parse, and 1e999999999 has a gigabyte of digits when
// formatted. Therefore these constants limit the text.
const (
	maxDigits   = 4096
	maxExponent = 4096 // either way
)

// These interfaces recognize number types by methods that only they have, so that a program without
// them does not link their packages. Types that embed one of them have these methods as well.
type (
	bigInt   interface{ ProbablyPrime(n int) bool }       // math/big.Int
	bigFloat interface{ MinPrec() uint }                  // math/big.Float
	bigRat   interface{ FloatPrec() (n int, exact bool) } // math/big.Rat
	decimals interface{ Exponent() int32 }                // shopspring's decimal.Decimal
	digits   interface{ NumDigits() int64 }               // cockroachdb's apd.Decimal
	quiet    interface{ IsNaN(quiet int) bool }           // ericlagergren's decimal.Big
)

func isBigNumber(v any) bool {
	switch v.(type) {
	case bigInt, bigFloat, bigRat, decimals, digits, quiet:
		return true
	}
	return false
}

// numberFits checks the limits for a number in a text, which may be quoted.
func (d *Decoder) numberFits(text []byte) bool {
	digits, hex := 0, false
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case c|0x20 == 'x':
			hex = true
		case c|0x20 == 'p', c|0x20 == 'e' && !hex:
			if e := parseExponent(text[i+1:]); e > maxExponent || -e > maxExponent {
				short, note := shorten(string(bytes.Trim(text, `"`)))
				d.violate(RuleFormat, "must have an exponent from -"+strconv.Itoa(maxExponent)+" to "+strconv.Itoa(maxExponent)+", got "+short+note)
				return false
			}
			return d.digitsFit(digits)
		case hex && 'a' <= c|0x20 && c|0x20 <= 'f':
			digits++
		}
	}
	return d.digitsFit(digits)
}

func (d *Decoder) digitsFit(digits int) bool {
	if digits > maxDigits {
		d.violate(RuleFormat, "must have at most "+count(maxDigits, "digit")+", got "+strconv.Itoa(digits))
		return false
	}
	return true
}
