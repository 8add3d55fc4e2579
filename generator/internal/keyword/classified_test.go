package keyword

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/contract"
)

// TestSchemaClassified adds each keyword of schema= to a published schema: mcpgen diff classifies
// it.
func TestSchemaClassified(t *testing.T) {
	samples := map[string]string{
		"type": `"string"`, "enum": `[1]`, "const": `1`, "anyOf": `[{"type":"null"}]`, "oneOf": `[{"type":"null"}]`, "required": `["a"]`,
		"pattern": `"a"`, "format": `"date"`, "items": `{"type":"null"}`, "properties": `{"a":{"type":"null"}}`, "additionalProperties": `false`, "uniqueItems": `true`,
		"title": `"a"`, "description": `"a"`, "examples": `[1]`, "default": `1`, "deprecated": `true`,
	}
	read := func(schema string) *contract.Contract {
		c, err := contract.Read([]byte(`{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"x":` + schema + `}}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, name := range append(slices.Sorted(maps.Keys(checked)), annotations...) {
		sample := samples[name]
		if sample == "" {
			sample = "1"
		}
		d := contract.Compare(read(`{}`), read(`{"`+name+`":`+sample+`}`))
		if len(d.Changes) == 0 || slices.ContainsFunc(d.Changes, func(c contract.Change) bool { return strings.Contains(c.Text, "cannot be classified") }) {
			t.Errorf("%s: %q", name, d.Lines())
		}
	}
}
