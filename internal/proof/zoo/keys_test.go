package zoo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/zoo"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// TestKeyPattern checks in every revision that a pattern of keys is published, that keys without a
// match are refused with their paths, and that others are accepted.
func TestKeyPattern(t *testing.T) {
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			c := mcptest.New(t, zoo.NewMCPServer(), mcptest.Options{Revision: revision})
			published := false
			for _, tool := range c.Tools() {
				if tool.Name == "echo_keyed" {
					published = strings.Contains(string(tool.InputSchema), `"propertyNames":{"pattern":"^[a-z]{1,3}$"}`)
				}
			}
			if !published {
				t.Error("the schema has no pattern")
			}
			good := c.Call("echo_keyed", json.RawMessage(`{"value":{"a":1,"xyz":2}}`))
			if good.IsError || !strings.Contains(good.Text(), `"xyz":2`) {
				t.Errorf("refused: %s", good.Text())
			}
			bad := c.Call("echo_keyed", json.RawMessage(`{"value":{"a":1,"long":2,"B c":3}}`))
			const want = "2 problems with the arguments of echo_keyed:\n" +
				"- value[\"B c\"]: the name must match the pattern ^[a-z]{1,3}$\n" +
				"- value.long: the name must match the pattern ^[a-z]{1,3}$"
			if !bad.IsError || bad.Text() != want {
				t.Errorf("got %q, want %q", bad.Text(), want)
			}
		})
	}
}
