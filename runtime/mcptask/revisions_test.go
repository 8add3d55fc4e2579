package mcptask_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// Revisions without tasks do not have tools that require them, and call others as ever.
func TestRevisionsWithoutTasks(t *testing.T) {
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			s := newServer()
			f := func(context.Context) (string, error) { return "done", nil }
			add(s, "import", mcptask.Support{Required: true}, f)
			add(s, "count", mcptask.Support{}, f)
			c := mcptest.New(t, s, mcptest.Options{Revision: revision})
			var names []string
			for _, tool := range c.Tools() {
				names = append(names, tool.Name)
			}
			has := revision == "2026-07-28"
			if slices.Contains(names, "import") != has || !slices.Contains(names, "count") {
				t.Errorf("tools %v", names)
			}
			if got := c.Call("count", nil); got.Text() != "done" {
				t.Errorf("%+v", got)
			}
			_, err := c.Request("tools/call", map[string]any{"name": "import"})
			if err == nil || has != strings.Contains(err.Error(), "-32021") || has == strings.Contains(err.Error(), "unknown tool: import") {
				t.Errorf("error %v", err)
			}
		})
	}
}
