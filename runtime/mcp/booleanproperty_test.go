package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Properties whose schemas are true or false are listed in the form of the revision's own schema,
// with which the peer compares every message.
func TestBooleanProperties(t *testing.T) {
	const (
		input   = `{"type":"object","properties":{"any":true,"none":false,"in":{"properties":{"any":true}}},"additionalProperties":false}`
		output  = `{"type":"object","properties":{"any":true,"none":false}}`
		array   = `{"type":"array","items":{"properties":{"any":true}}}`
		asInput = `{"type":"object","properties":{"any":{},"none":{"not":{}},"in":{"properties":{"any":true}}},"additionalProperties":false}`
	)
	for _, revision := range everyRevision {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, revision)
			for name, schema := range map[string]string{"object": output, "array": array} {
				s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, InputSchema: input, OutputSchema: schema},
					func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
			}
			c.dial(t, s)
			defer c.hangUp()
			c.received()
			listed := c.ask("tools/list", "")[0]
			want := asInput
			outputs := []string{`{"type":"object","properties":{"any":{},"none":{"not":{}}}}`, `"properties":{"result":` + array + `}`}
			switch {
			case revision >= "2026":
				want, outputs = input, []string{output, array}
			case revision < "2025-06":
				outputs = nil
			}
			if strings.Count(listed, `"inputSchema":`+want) != 2 {
				t.Errorf("%s: %s", revision, listed)
			}
			for _, output := range outputs {
				if !strings.Contains(listed, output) {
					t.Errorf("%s has no output schema %s: %s", revision, output, listed)
				}
			}
		})
	}
}
