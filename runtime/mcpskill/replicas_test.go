package mcpskill_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

// Replicas with the same keys continue each other's lists, and notify of each other's changes. A
// server with other keys refuses the cursors.
func TestReplicas(t *testing.T) {
	var features []mcp.Feature
	for i := range 5 {
		name := fmt.Sprintf("skill-%d", i)
		features = append(features, mcpskill.New(mcpskill.Info{URI: "skill://many/" + name, Frontmatter: front(name)}, files("SKILL.md", text(name), "a.md", "a")))
	}
	pubsub := replicatest.NewPubSub()
	replica := func(key string) *mcp.Server {
		return server(features, mcp.WithLimits(mcp.Limits{PageSize: 1}), mcp.WithStateKeys([]byte(strings.Repeat(key, 32))), mcp.WithPubSub(pubsub))
	}
	one, other := replica("a"), replica("a")
	first, second, stranger := connect(t, one), connect(t, other), connect(t, replica("b"))
	for _, method := range []string{"skills/list", "resources/directory/read"} {
		cursor, found := "", 0
		for i := 0; i == 0 || cursor != ""; i++ {
			params := map[string]any{}
			if method != "skills/list" {
				params["uri"] = "skill://many"
			}
			if i > 0 {
				params["cursor"] = cursor
				if _, code := call(t, stranger, method, params); code != -32602 {
					t.Errorf("%s: a server with other keys: code %d", method, code)
				}
			}
			c := first
			if i%2 == 1 {
				c = second
			}
			page, code := call(t, c, method, params)
			if code != 0 {
				t.Fatalf("%s: page %d: code %d", method, i, code)
			}
			found += len(page.Skills) + len(page.Resources)
			cursor = page.NextCursor
		}
		if found != 5 {
			t.Errorf("%s: %d entries, want 5", method, found)
		}
	}
	const file = "skill://many/skill-1/a.md"
	w := second.Watch(mcpclient.Filter{URIs: []string{file}})
	one.ResourceUpdated(file)
	if got := w.Next(); got.URI != file {
		t.Errorf("%+v", got)
	}
}
