package mcpnet_test

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A client with a session that does not answer a ping is cut off, and the log says why.
func TestPingsThatFail(t *testing.T) {
	visit(t, setup{server: []mcp.Option{mcp.WithPing(10 * time.Second)}}, func(t *testing.T, p *place) {
		c := p.open()
		c.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		c.wants(`"serverInfo"`)
		time.Sleep(21 * time.Second) // it has said nothing for at least ten seconds
		c.wants(`"method":"ping"`)
		time.Sleep(21 * time.Second)
		spec.Holds(t, "S185", "S186")
		c.wants("end EOF")
		p.logged("client does not answer pings")
	})
}
