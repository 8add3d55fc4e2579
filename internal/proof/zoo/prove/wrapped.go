package prove

import (
	"reflect"
	"testing"
)

// Wrapped checks the form of schemas and results for revisions that require an object at the root,
// with a few values for each tool.
func Wrapped(t *testing.T, cfg Config) {
	t.Helper()
	session := Connect(t, cfg.Server, Legacy)
	tools, err := session.Tools()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if len(tool.OutputSchema) == 0 {
			continue
		}
		for _, s := range Style(string(tool.OutputSchema), false, cfg.odd) {
			t.Errorf("%s: style of the output schema at %s", tool.Name, s)
		}
		if root, err := ParseSchema(string(tool.OutputSchema)); err != nil || root.Type != "object" {
			t.Errorf("%s: the root of the output schema is not an object: %s", tool.Name, tool.OutputSchema)
		}
		output, err := CompileClosed(string(tool.OutputSchema))
		if err != nil {
			t.Errorf("%s: %v", tool.Name, err)
			continue
		}
		input, err := ParseSchema(string(tool.InputSchema))
		if err != nil {
			t.Errorf("%s: %v", tool.Name, err)
			continue
		}
		r := newSource(cfg.Seed, 7)
		for range 20 {
			out, err := session.Call(tool.Name, r.begin(input).Append(nil), reflect.Value{})
			if err != nil {
				t.Fatal(err)
			}
			if out.Structured == nil || out.IsError {
				continue
			}
			sent, err := ParseNode(string(out.Sent))
			if err != nil {
				t.Fatalf("%s: %v: %s", tool.Name, err, out.Sent)
			}
			if err := output.Validate(sent.Any()); err != nil {
				t.Errorf("%s: %s: %v", tool.Name, out.Sent, err)
			}
		}
	}
}
