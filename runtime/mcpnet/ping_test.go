package mcpnet_test

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A client with a session that does not answer a ping is disconnected, and the reason is
// logged.
func TestPingsThatFail(t *testing.T) {
	serve(t, setup{server: []mcp.Option{mcp.WithPing(10 * time.Second)}}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		c.want(`"serverInfo"`)
		time.Sleep(21 * time.Second) // it has sent nothing for at least ten seconds
		c.want(`"method":"ping"`)
		time.Sleep(21 * time.Second)
		spec.Holds(t, "S185", "S186")
		c.want("end EOF")
		s.wantLog("client does not answer pings")
	})
}
