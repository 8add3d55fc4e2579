// Http serves the catalogue over streamable HTTP.
package main

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/gosdk"
	"github.com/mcpgen/mcpgen/bench/site"
)

func main() {
	site.Serve(func(m site.Mode) http.Handler {
		s := gosdk.New()
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
			// Plain JSON is cheaper, but cannot contain notifications.
			&mcp.StreamableHTTPOptions{Stateless: m.Sessionless, JSONResponse: !m.Events})
	})
}
