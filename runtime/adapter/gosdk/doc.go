// Package gosdk combines servers of the Go SDK (github.com/modelcontextprotocol/go-sdk) with
// generated packages, in both directions.
//
// [Mount] adds the features of a package to a server of the SDK, which serves them beside its own
// features:
//
//	server := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, nil)
//	unmount, err := gosdk.Mount(server, func(r mcp.Registrar) { bookstore.RegisterMCP(r, store) })
//
// [Tool] is the reverse: it returns a tool of the SDK as a feature for a server of package mcp.
//
// Clients see the server of the SDK. It determines transports, protocol revisions, sessions and
// authentication; docs/write/adapters.md lists the resulting limitations.
package gosdk
