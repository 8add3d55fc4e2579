// Package gosdk joins servers of the Go SDK (github.com/modelcontextprotocol/go-sdk) and packages
// that mcpgen has generated, in both directions.
//
// [Mount] adds the features of a package to a server of the SDK, which serves them beside its own:
//
//	server := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, nil)
//	unmount, err := gosdk.Mount(server, func(r mcp.Registrar) { bookstore.RegisterMCP(r, store) })
//
// [Tool] is the reverse: a tool of the SDK as a feature of a server of package mcp.
//
// The server of the SDK stays the one that clients see. It determines transports, protocol
// revisions, sessions and authentication; docs/adapters.md lists what is lost by that.
package gosdk
