package schema

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// A schema of a type must neither name a dialect nor contain references, within the document or to
// the network: that is an error with a hint, and nothing is published.
func TestSchemasThatStandAlone(t *testing.T) {
	for _, schema := range []map[string]any{
		{"$schema": "http://json-schema.org/draft-04/schema#"},
		{"$schema": "https://example.com/dialect"},
		{"type": "object", "properties": map[string]any{"a": map[string]any{"$schema": "http://json-schema.org/draft-07/schema#"}}},
	} {
		spec.Holds(t, "S038")
		if _, problem := malformed(schema, ""); !strings.Contains(problem, "$schema cannot be used") {
			t.Errorf("%v: %q", schema, problem)
		}
	}
	for _, reference := range []string{"#/$defs/Nothing", "https://example.com/schema.json", "file:///etc/passwd", "#"} {
		spec.Holds(t, "S040", "S041")
		for _, schema := range []map[string]any{
			{"$ref": reference}, {"$dynamicRef": reference}, {"items": map[string]any{"$ref": reference}},
			{"anyOf": []any{map[string]any{"$ref": reference}}}, {"properties": map[string]any{"a": map[string]any{"$ref": reference}}},
		} {
			if _, problem := malformed(schema, ""); !strings.Contains(problem, "ef cannot be used") {
				t.Errorf("%v: %q", schema, problem)
			}
		}
	}
	if hint, problem := malformed(map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}}}, ""); problem != "" {
		t.Errorf("a schema that is right: %s, %s", problem, hint)
	}
}
