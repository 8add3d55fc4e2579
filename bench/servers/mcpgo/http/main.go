// Http serves the catalogue over streamable HTTP.
package main

import (
	"net/http"

	"github.com/mark3labs/mcp-go/server"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgo"
	"github.com/mcpgen/mcpgen/bench/site"
)

func main() {
	site.Serve(func(m site.Mode) http.Handler {
		s := mcpgo.New()
		if m.Sessionless {
			return server.NewStreamableHTTPServer(s, server.WithStateLess(true))
		}
		return server.NewStreamableHTTPServer(s, server.WithStateful(true))
	})
}
