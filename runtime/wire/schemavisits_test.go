package wire

import (
	"strings"
	"testing"
)

// TestSchemaVisits counts the comparisons of a part of a schema with a value: the work grows with
// the schema and the value, also if many alternatives fail late.
func TestSchemaVisits(t *testing.T) {
	visits := 0
	Formats["counted"] = func(string) (string, bool) {
		visits++
		return "something else", false
	}
	t.Cleanup(func() { delete(Formats, "counted") })
	schema, value, leaves := `{"type":"string","format":"counted"}`, `"x"`, 1
	for range 5 {
		part := func(name string) string {
			return `{"type":"object","properties":{"a":` + schema + `},"required":["` + name + `"]}`
		}
		schema = `{"anyOf":[` + part("b") + `,` + part("c") + `]}`
		value = `{"a":` + value + `}`
		leaves *= 2
	}
	read := func(items, text string) error {
		visits = 0
		var v any
		return decode(text, Options{Help: Advice()}, &v, func(d *Decoder, v *any) { AnyBySchema(d, v, NewSchema(`{"items":`+items+`}`)) })
	}
	invalid := 0
	for _, n := range []int{100, 1000} {
		// All items except the last are valid by the last alternative. They are compared once to
		// find whether the whole value is valid, and once to find the violations.
		err := read(`{"anyOf":[`+schema+`,{"type":"object"}]}`, "["+strings.Repeat(value+",", n)+"0]")
		if err == nil || visits > 2*n*leaves {
			t.Errorf("%d items: %v after %d comparisons", n, err, visits)
		}
		// Once the limit of problems is exceeded, the rest is not compared.
		err = read(schema, "["+strings.Repeat(value+",", n)+value+"]")
		if err == nil || invalid > 0 && visits != invalid {
			t.Errorf("%d comparisons with %d invalid items, %d with fewer: %.100v", visits, n, invalid, err)
		}
		invalid = visits
	}
}
