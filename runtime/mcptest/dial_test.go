package mcptest_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// dial is mcptest.New with validation of all messages against the official schemas.
func dial(t testing.TB, s *mcp.Server, o mcptest.Options) *mcptest.Client {
	t.Helper()
	tap, see := spec.OnMessage(t), o.OnMessage
	o.OnMessage = func(fromServer bool, message json.RawMessage) {
		tap(fromServer, message)
		if see != nil {
			see(fromServer, message)
		}
	}
	return mcptest.New(t, s, o)
}
