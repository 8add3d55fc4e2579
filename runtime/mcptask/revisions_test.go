package mcptask_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// Revisions without tasks do not list tools that require them. All revisions call other tools as
// usual for clients that do not ask for tasks.
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
			has := revision == "2026-07-28" || revision == "2025-11-25"
			if slices.Contains(names, "import") != has || !slices.Contains(names, "count") {
				t.Errorf("tools %v", names)
			}
			if got := c.Call("count", nil); got.Text() != "done" {
				t.Errorf("%+v", got)
			}
			_, err := c.Request("tools/call", map[string]any{"name": "import"})
			want := map[string]string{"2026-07-28": "-32021", "2025-11-25": "-32601"}[revision]
			if !has {
				want = "unknown tool: import"
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v", err)
			}
		})
	}
}
