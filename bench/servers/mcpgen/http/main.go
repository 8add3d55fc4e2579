// Http serves the catalogue over streamable HTTP.
package main

import (
	"net/http"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgen"
	"github.com/mcpgen/mcpgen/bench/site"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// The benchmark has all of its clients at one address, which has a quarter of each limit.
const clients = 10_000

func main() {
	limits := mcp.WithLimits(mcp.Limits{CallsPerClient: clients, ListensPerClient: clients})
	site.Serve(func(m site.Mode) http.Handler {
		options := []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{
			RequestsPerClient: clients, SessionsPerClient: clients, StreamsPerClient: clients,
		})}
		if m.Sessionless {
			options = append(options, mcphttp.WithoutSessions())
		}
		return mcphttp.NewHandler(mcpgen.NewMCPServer(limits), options...)
	})
}
