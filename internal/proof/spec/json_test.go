package spec

import (
	"encoding/json"
	"strings"
	"testing"
)

// Repetitions in a long text are cut, without changing whether it is JSON.
func TestShortened(t *testing.T) {
	const n = 100_000
	for _, test := range []struct {
		name, text string
		most       int // remaining bytes
	}{
		{"short", `"` + strings.Repeat("x", 1000) + `"`, 1002},
		{"letters", `{"a":"` + strings.Repeat("x", n) + `","b":"` + strings.Repeat("y", n) + `"}`, 3000},
		{"numbers", `[` + strings.Repeat("0,", n) + `1]`, 2000},
		{"longer numbers", `[` + strings.Repeat("12345,", n) + `12345]`, 2000},
		{"names of values", `[` + strings.Repeat("true,", n) + `true]`, 2000},
		{"commas at the end", `[` + strings.Repeat("0,", n) + `]`, 2000},
		{"commas alone", `[0` + strings.Repeat(",", n) + `0]`, 2000},
		{"no commas", `[` + strings.Repeat("true", n) + `]`, 2000},
		{"another number inside", `[` + strings.Repeat("0,", n) + `"x",` + strings.Repeat("0,", n) + `0]`, 4000},
		{"brackets", strings.Repeat("[", n) + strings.Repeat("]", n), 2 * n},
		{"objects", `[` + strings.Repeat("{},", n) + `{}]`, 3*n + 4},
		{"escapes", `"` + strings.Repeat(`\u0001`, n) + `"`, 6*n + 2},
		{"half of an escape", `"` + strings.Repeat(`\u0001`, n) + `\u"`, 6*n + 4},
	} {
		short := shortened([]byte(test.text))
		if len(short) > test.most {
			t.Errorf("%s: %d bytes are left, want %d at most", test.name, len(short), test.most)
		}
		if got, want := json.Valid(short), json.Valid([]byte(test.text)); got != want {
			t.Errorf("%s: valid JSON is %t, of the whole text %t", test.name, got, want)
		}
		if test.text[len(test.text)-5:] != string(short[len(short)-5:]) {
			t.Errorf("%s: the end is %q", test.name, short[len(short)-5:])
		}
	}
}
