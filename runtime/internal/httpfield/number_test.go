package httpfield

import (
	"math/big"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

func TestSameNumber(t *testing.T) {
	spec.Holds(t, "S151")
	texts := []string{
		"0", "-0", "0.0", "0e5", "1", "1.0", "10e-1", "0.1e1", "-1", "10", "1e1", "1E+1", "100e-1", "12300", "1.23e4", "123e2", "0.5", "5e-1",
		"9007199254740992", "9007199254740993", "1e2147483647",
	}
	for _, a := range texts {
		for _, b := range texts {
			x, _ := new(big.Rat).SetString(strings.Replace(a, "e2147483647", "e77", 1))
			y, _ := new(big.Rat).SetString(strings.Replace(b, "e2147483647", "e77", 1))
			if got, want := SameNumber(a, b), x.Cmp(y) == 0; got != want {
				t.Errorf("%s and %s: %v", a, b, got)
			}
		}
	}
	for _, text := range []string{"", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1e--1", "1e+-1", "1e1.5", "1_0", "0x1", "NaN", "Infinity", " 1", "1 ", "1e99999999999", "\u0661"} {
		if _, ok := parseDecimal(text); ok {
			t.Errorf("%q is a number", text)
		}
	}
}

func TestInteger(t *testing.T) {
	zeros := strings.Repeat("0", maxIntegerDigits)
	for text, want := range map[string]string{
		"0": "0", "42": "42", "-7": "-7", "9007199254740993": "9007199254740993",
		"-0": "0", "0e5": "0", "-0.0": "0", "42.0": "42", "4.2e1": "42", "42E+1": "420", "-1e3": "-1000", "1200e-2": "12",
		"1000" + zeros: "1000" + zeros,
		"1e64":         "1" + zeros, "1e65": "1e65", "12e64": "12" + zeros, // the limit applies to the zeros
		"1.5": "1.5", "5e-1": "5e-1", "01": "01", "": "", "-": "-", "NaN": "NaN",
	} {
		if got := Integer(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
