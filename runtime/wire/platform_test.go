package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// The range of int, uint and uintptr depends on the platform. A value outside is a violation that
// names the range, and is never truncated: 1<<32 and 1<<32+5 would be 0 and 5 with an int of 32
// bits.
func TestRangeOfThePlatform(t *testing.T) {
	type Count int
	type Mask uint
	two := func(exponent uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), exponent) }
	plus := func(z *big.Int, n int64) string { return new(big.Int).Add(z, big.NewInt(n)).String() }
	const bits = strconv.IntSize
	most, least, whole := two(bits-1), new(big.Int).Neg(two(bits-1)), two(bits)
	signed, unsigned := "must be at most "+plus(most, -1), "must be at most "+plus(whole, -1)
	low, zero := "must be at least "+least.String(), "must be at least 0"
	platformRange(t, "int", Int[int], PutInt[int], signed, low, plus(most, -1), least.String(), plus(most, 0), plus(least, -1), plus(whole, 0), plus(whole, 5))
	platformRange(t, "Count", Int[Count], PutInt[Count], signed, low, plus(most, -1), least.String(), plus(most, 0), plus(least, -1), plus(whole, 0), plus(whole, 5))
	platformRange(t, "uint", Int[uint], PutInt[uint], unsigned, zero, plus(whole, -1), "0", plus(whole, 0), "-1", plus(whole, 5))
	platformRange(t, "Mask", Int[Mask], PutInt[Mask], unsigned, zero, plus(whole, -1), "0", plus(whole, 0), "-1", plus(whole, 5))
	platformRange(t, "uintptr", Int[uintptr], PutInt[uintptr], unsigned, zero, plus(whole, -1), "0", plus(whole, 0), "-1", plus(whole, 5))

	// The range of int64 and uint64 is the same on all platforms.
	least64 := strconv.FormatInt(math.MinInt64, 10)
	platformRange(t, "int64", Int[int64], PutInt[int64], "must be at most "+plus(two(63), -1), "must be at least "+least64,
		plus(two(63), -1), least64, plus(two(63), 0), plus(two(64), 5))
	platformRange(t, "uint64", Int[uint64], PutInt[uint64], "must be at most "+plus(two(64), -1), zero, plus(two(64), -1), "0", plus(two(64), 0), "-1")

	// Keys of maps, enumerations and quoted numbers are refused like that, too.
	for name, c := range map[string]struct{ text, got string }{
		"key":     {`{"x":{"` + plus(whole, 5) + `":1}}`, violations(t, `{"x":{"`+plus(whole, 5)+`":1}}`, platformField, reader(func(d *Decoder, v *map[int]int) { MapInt(d, v, Int[int]) }))},
		"enum":    {plus(whole, 5), violations(t, `{"x":`+plus(whole, 5)+`}`, platformField, reader(func(d *Decoder, v *int) { IntEnum(d, v, []int{1, 5}) }))},
		"quoted":  {plus(whole, 5), violations(t, `{"x":"`+plus(whole, 5)+`"}`, platformField, reader(func(d *Decoder, v *int) { Quoted(d, v, Int[int]) }))},
		"element": {plus(whole, 5), violations(t, `{"x":[`+plus(whole, 5)+`]}`, platformField, reader(sliceOfInt))},
	} {
		if !strings.Contains(c.got, signed) || strings.Contains(c.got, "\n") {
			t.Errorf("%s %s: %q, want %s", name, c.text, c.got, signed)
		}
	}
	// In lenient mode too.
	var v int
	if err := decode(`"`+plus(whole, 5)+`"`, Options{Help: Leniency()}, &v, Int[int]); err == nil || !strings.Contains(err.Error(), signed) || v != 0 {
		t.Errorf("lenient: %d, %v", v, err)
	}
}

var platformField = Fields{{Must: "x"}}

// platformRange reads and writes the largest and smallest value, both as integers and with an
// exponent, and reads values outside.
func platformRange[T Integer](t *testing.T, name string, reads func(*Decoder, *T), puts func(*Encoder, *T), above, below, largest, smallest string, outside ...string) {
	t.Helper()
	for _, text := range []string{largest, smallest} {
		for _, spelled := range []string{text, text + ".0", text + "e0"} {
			var v T
			if err := decode(spelled, Options{}, &v, reads); err != nil {
				t.Errorf("%s %s: %v", name, spelled, err)
			}
			e := NewEncoder(nil)
			if puts(e, &v); fmt.Sprint(v) != text || string(e.Bytes()) != text || !json.Valid(e.Bytes()) {
				t.Errorf("%s %s is %v and written as %s", name, spelled, v, e.Bytes())
			}
		}
	}
	for _, text := range outside {
		want := above
		if strings.HasPrefix(text, "-") {
			want = below
		}
		for _, spelled := range []string{text, text + ".0", text + "e0"} {
			v := T(7)
			if err := decode(spelled, Options{}, &v, reads); err == nil || !strings.Contains(err.Error(), want) || v != 7 {
				t.Errorf("%s %s: %v, %v; want %s", name, spelled, v, err, want)
			}
		}
	}
}
