package main

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// Clients with sessions subscribe to the resource, clients of revision 2026-07-28 listen for it.
func TestSubscriptions(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			c := mcptest.New(t, newServer(), mcptest.Options{Revision: revision})
			mcptest.Call[Value](c, "raise", nil) // before any subscription
			watch := c.Watch(mcpclient.Filter{URIs: []string{"counter:///now"}})
			if early := watch.Changes(); len(early) != 0 {
				t.Errorf("notified of %v", early)
			}
			if got := mcptest.Call[Value](c, "raise", map[string]any{"by": 3}); got.Value != 4 {
				t.Errorf("raised to %d", got.Value)
			}
			if change := watch.Next(); change.Method != mcpclient.ResourceUpdated || change.URI != "counter:///now" {
				t.Errorf("notified of %v", change)
			}
			if text := c.Read("counter:///now").Contents[0].Text; text != `{"value":4}` {
				t.Errorf("the resource is %s", text)
			}
			watch.Close()
			mcptest.Call[Value](c, "raise", nil)
			if late := watch.Changes(); len(late) != 0 {
				t.Errorf("notified of %v after the end", late)
			}
		})
	}
}
