// Http serves the catalogue over streamable HTTP.
package main

import (
	"net/http"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgen"
	"github.com/mcpgen/mcpgen/bench/site"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func main() {
	site.Serve(func(m site.Mode) http.Handler {
		if m.Sessionless {
			return mcphttp.NewHandler(mcpgen.NewMCPServer(), mcphttp.WithoutSessions())
		}
		return mcphttp.NewHandler(mcpgen.NewMCPServer())
	})
}
