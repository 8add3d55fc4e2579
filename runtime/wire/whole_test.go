package wire_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestWholeNumber checks integers of any size, in every notation of JSON.
func TestWholeNumber(t *testing.T) {
	for text, want := range map[string]string{
		`0`: "0", `-0`: "0", `7`: "7", `-7`: "-7", `1.0`: "1", `1e2`: "100", `-1.50e1`: "-15", `0.0e9`: "0", `120e-1`: "12",
		`123456789012345678901234567890`: "123456789012345678901234567890", `1e30`: "1" + strings.Repeat("0", 30),
		`1e4096`: "1" + strings.Repeat("0", 4096),
		`1.5`:    "! must be an integer, got 1.5", `1e-1`: "! must be an integer, got 1e-1", `"7"`: `! must be an integer, got a string "7"`,
		`null`: "! must be an integer, got null", `1e4097`: "! must have an exponent from -4096 to 4096, got 1e4097",
		`1e999999999999`:                      "! must have an exponent from -4096 to 4096, got 1e999999999999",
		`1` + strings.Repeat("0", 5000) + `1`: "! must have at most 4096 digits, got 5002",
		`4`:                                   "4", `-3`: "! must be at least -2.5, got -3",
	} {
		var n big.Int
		d := wire.NewDecoder([]byte(text), wire.Options{})
		wire.JSONOfNumber(d, &n, (*big.Int).UnmarshalJSON, func(d *wire.Decoder, v *json.Number) {
			wire.WholeNumber(d, v)
			if text == "-3" {
				wire.NumberMinimum(d, *v, "-2.5")
			}
		})
		err := d.Finish()
		got := n.String()
		if err != nil {
			got = "! " + err.Error()
		}
		if got != want {
			t.Errorf("%.60s: %.90s, want %.90s", text, got, want)
		}
	}
}
