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

func main() {
	// All clients of the benchmark share one address, which would otherwise get a quarter of each
	// limit.
	limits := mcp.WithLimits(mcp.Limits{ClientShare: 100})
	site.Serve(func(m site.Mode) http.Handler {
		var options []mcphttp.Option
		if m.Sessionless {
			options = append(options, mcphttp.WithoutSessions())
		}
		return mcphttp.NewHandler(mcpgen.NewMCPServer(limits), options...)
	})
}
