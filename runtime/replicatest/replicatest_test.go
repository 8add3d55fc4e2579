package replicatest_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

func TestPubSub(t *testing.T) {
	replicatest.TestPubSub(t, func(t *testing.T) (one, other mcp.PubSub) {
		p := replicatest.NewPubSub()
		t.Cleanup(p.Close)
		return p, p
	})
}

func TestSessionStore(t *testing.T) {
	replicatest.TestSessionStore(t, func(*testing.T) (one, other mcphttp.SessionStore) {
		s := replicatest.NewSessionStore()
		return s, s
	})
}

func TestRateStore(t *testing.T) {
	replicatest.TestRateStore(t, func(*testing.T) (one, other mcprate.Store) {
		s := new(replicatest.RateStore)
		return s, s
	})
}
