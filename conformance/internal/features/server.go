package features

import "github.com/mcpgen/mcpgen/runtime/mcp"

// NewServer returns the server for the suite.
func NewServer(opts ...mcp.Option) *mcp.Server {
	lists := new(Lists)
	server := NewMCPServer(lists, opts...)
	lists.server = server
	server.Register(newSchemaTool())
	return server
}
