package toolschema_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
)

// TestCheck compares the problems of input and output schemas. The empty text stands for a correct
// schema.
func TestCheck(t *testing.T) {
	const object = `it must have "type":"object" at its root`
	for _, test := range []struct{ schema, input, output string }{
		{`{"type":"object"}`, "", ""},
		{"\n {\"properties\":{\"a\":true,\"b\":{}},\"required\":[\"a\"],\"type\":\"object\",\"$schema\":\"x\"} ", "", ""},
		{`{"properties":{"type":{"type":"object"}}}`, object, ""},
		{`{"type":["object"]}`, object, ""},
		{`{"type":"array"}`, object, ""},
		{`true`, object, "it must be an object"},
		{`["type","object"]`, object, "it must be an object"},
		{`{"type":"object"`, "unexpected end", "unexpected end"},
		{`{"type":"object","type":"object"}`, "duplicate", "duplicate"},
		{`{"type":"object","$schema":1}`, "$schema must be a string", "$schema must be a string"},
		{`{"type":"object","properties":[]}`, "properties must be an object", "properties must be an object"},
		{`{"type":"object","properties":{"a":1}}`, `the property "a" must be a schema`, `the property "a" must be a schema`},
		{`{"type":"object","required":"a"}`, "required must be an array", "required must be an array"},
		{`{"type":"object","required":["a",1]}`, "required must be an array of strings", "required must be an array of strings"},
	} {
		for kind, c := range map[string]struct {
			err  error
			want string
		}{
			"input":  {toolschema.CheckInput(test.schema), test.input},
			"output": {toolschema.CheckOutput(test.schema), test.output},
		} {
			if c.want == "" && c.err != nil || c.want != "" && (c.err == nil || !strings.Contains(c.err.Error(), c.want)) {
				t.Errorf("%s schema %s: %v, want %q", kind, test.schema, c.err, c.want)
			}
		}
	}
}
