package mcpfind_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

type jsonText = json.RawMessage

// annotations returns the annotations of a tool in the list.
func annotations(t *testing.T, c *mcptest.Client, tool string) string {
	result, err := c.Request("tools/list", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tools []struct {
			Name        string
			Annotations json.RawMessage
		}
	}
	if err := json.Unmarshal(result, &list); err != nil {
		t.Fatal(err)
	}
	for _, listed := range list.Tools {
		if listed.Name == tool {
			return string(listed.Annotations)
		}
	}
	t.Fatalf("%s is not listed", tool)
	return ""
}

// refusal returns the error of a call without a result.
func refusal(c *mcptest.Client, tool string, arguments any) error {
	_, err := c.Request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	return err
}
