package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestUnread changes each unsupported keyword in each way, in arguments and results: such a change
// is never classified as harmless, and always with the remark that it cannot be classified. A
// change of another keyword beside it is classified, unless its meaning depends on the unsupported
// one.
func TestUnread(t *testing.T) {
	const schemas, definition = `{"type":"string","maxLength":%s}`, `{"$ref":"#/properties/z"}`
	for name, form := range map[string]string{
		"not": "%s", "if": "%s", "then": "%s", "else": "%s", "contains": "%s", "unevaluatedItems": "%s", "unevaluatedProperties": "%s",
		"additionalItems": "%s", "contentSchema": "%s", "prefixItems": "[%s]", "items": "[%s]", "patternProperties": `{"^a":%s}`,
		"dependentSchemas": `{"a":%s}`, "dependencies": `{"a":%s}`,
		"minContains": "", "maxContains": "", "dependentRequired": "", "nullable": "", "contentMediaType": "", "charset": "",
	} {
		values := [3]string{`{"a":["1"]}`, `{"a":["2"]}`}
		if form != "" {
			values = [3]string{fmt.Sprintf(form, fmt.Sprintf(schemas, "1")), fmt.Sprintf(form, fmt.Sprintf(schemas, "2")), fmt.Sprintf(form, definition)}
		}
		with := func(v, beside string) string { return fmt.Sprintf(`{%q:%s,"minLength":%s}`, name, v, beside) }
		changes := map[string][2]string{
			"changed": {with(values[0], "1"), with(values[1], "1")},
			"added":   {`{"minLength":1}`, with(values[0], "1")},
			"removed": {with(values[0], "1"), `{"minLength":1}`},
			"in one of two": {
				fmt.Sprintf(`{"anyOf":[{"type":"null"},{"type":"string",%s]}`, with(values[0], "1")[1:]),
				fmt.Sprintf(`{"anyOf":[{"type":"null"},{"type":"string",%s]}`, with(values[1], "1")[1:]),
			},
			"in a part": {fmt.Sprintf(`{"allOf":[{"minLength":1},%s]}`, with(values[0], "0")), fmt.Sprintf(`{"allOf":[{"minLength":1},%s]}`, with(values[1], "0"))},
		}
		around := func(format, x, z string) string {
			return fmt.Sprintf(format, fmt.Sprintf(`{"type":"object","properties":{"x":%s,"z":%s},"required":["x"]}`, x, z))
		}
		for _, place := range []string{`{"inputSchema":%s}`, `{"outputSchema":%s}`} {
			for what, c := range changes {
				d := Compare(contractOf(t, "tool", around(place, c[0], "true")), contractOf(t, "tool", around(place, c[1], "true")))
				if lines := said(d); d.Class() != Breaking || !strings.Contains(strings.Join(lines, "\n"), "cannot be classified") {
					t.Errorf("%s: %s %s: %q", place, name, what, lines)
				}
			}
			if form != "" {
				x := with(values[2], "1")
				d := Compare(contractOf(t, "tool", around(place, x, `{"maxLength":1}`)), contractOf(t, "tool", around(place, x, `{"maxLength":2}`)))
				if !slices.ContainsFunc(said(d), func(line string) bool {
					return strings.Contains(line, " x: ") && strings.Contains(line, name) && strings.Contains(line, "cannot be classified")
				}) {
					t.Errorf("%s: a definition of %s: %q", place, name, said(d))
				}
			}
			// A change of minLength.
			d := Compare(contractOf(t, "tool", around(place, with(values[0], "2"), "true")), contractOf(t, "tool", around(place, with(values[0], "1"), "true")))
			alone := name == "items" || entangled[name]
			if strings.Contains(strings.Join(said(d), "\n"), "cannot be classified") != alone || len(d.Changes) == 0 {
				t.Errorf("%s: beside %s: %q", place, name, said(d))
			}
			if alone && d.Class() != Breaking {
				t.Errorf("%s: beside %s: %v", place, name, d.Class())
			}
		}
	}
}
