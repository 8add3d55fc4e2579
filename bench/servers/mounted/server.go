// Package mounted serves the catalogue with a server of the official SDK, to which the generated
// package is added.
package mounted

import (
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	generated "github.com/mcpgen/mcpgen/bench/servers/mcpgen"
	"github.com/mcpgen/mcpgen/runtime/adapter/gosdk"
)

// New returns the server.
func New() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "catalog", Version: "1.0.0"}, nil)
	if _, err := gosdk.Mount(s, generated.RegisterMCP); err != nil {
		log.Fatal(err)
	}
	return s
}
