package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestQuotedEnum checks that a quoted value accepts only the strings that the schema lists: the
// output of json.Marshal without HTML escapes, and no other spelling.
func TestQuotedEnum(t *testing.T) {
	spelled := func(v any) string {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	values := []string{"", "a", "<b>&", "größe", "a\"b\\", "a\nb\x01", "\u2028", "😀", "/"}
	listed := make([]string, len(values))
	for i, v := range values {
		listed[i] = spelled(v)
	}
	try := append(slices.Clone(listed), `"b"`, `"\u0061"`, `"\u003cb\u003e\u0026"`, `"gr\u00f6\u00dfe"`, `"\/"`, `"\u000a"`, `"\ud83d\ude00"`, `a`, `null`, ` "a"`, `1`)
	for _, inner := range try {
		var got string
		err := decode(spelled(inner), Options{}, &got, func(d *Decoder, v *string) {
			Quoted(d, v, func(d *Decoder, v *string) { StringEnum(d, v, values) })
		})
		i := slices.Index(listed, inner)
		if (err == nil) != (i >= 0) {
			t.Errorf("%s: %v", inner, err)
		} else if err == nil && got != values[i] {
			t.Errorf("%s is read as %q", inner, got)
		}
	}
	numbers := []int64{-1, 0, 7, 1 << 62}
	for inner, ok := range map[string]bool{
		"-1": true, "0": true, "7": true, "4611686018427387904": true, "-0": false, "00": false, "7.0": false, "7e0": false, "1": false, "+7": false, "": false, `"7"`: false,
	} {
		var got int64
		err := decode(spelled(inner), Options{}, &got, func(d *Decoder, v *int64) {
			Quoted(d, v, func(d *Decoder, v *int64) { IntEnum(d, v, numbers) })
		})
		if (err == nil) != ok || ok && spelled(got) != inner {
			t.Errorf("%s: %v, read as %d", inner, err, got)
		}
	}
	var got string
	err := decode(spelled(`"\u0061"`), Options{}, &got, func(d *Decoder, v *string) {
		Quoted(d, v, func(d *Decoder, v *string) { StringEnum(d, v, []string{"a", "b"}) })
	})
	if err == nil || !strings.Contains(err.Error(), `must be one of "a", "b" in quotes, got `) {
		t.Errorf("the message is %v", err)
	}
	// Without the option every spelling is the same value.
	if err := decode(`"\u0061"`, Options{}, &got, func(d *Decoder, v *string) { StringEnum(d, v, values) }); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
	var zero int
	if err := decode(`-0`, Options{}, &zero, func(d *Decoder, v *int) { IntEnum(d, v, []int{0, 1}) }); err != nil {
		t.Error(err)
	}
}
