// Package mcpclient is a client of MCP servers of every revision, over any transport.
//
//	c, err := mcpclient.Connect(ctx, mcpclient.Command{Path: "some-server"}, mcpclient.Options{})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	result, err := c.Call(ctx, "search", map[string]any{"query": "sea"})
//
// [Connect] finds out which revision the server speaks. Several goroutines may use a [Client]. It
// reconnects after the loss of a connection, and sends a request again if it certainly has not run
// or may run twice. [Limits] bounds the memory that a server can occupy in a client, and the time
// for which a client waits.
//
// A [Target] is the location of a server: a program ([Command]), a server in this process
// ([InMemory]), a connection of the caller ([Dialer]); mcphttpclient.Endpoint, mcpws.Endpoint and
// mcpnet.Endpoint are servers behind a URL or an address.
//
// Package mcppool keeps clients open between uses, for programs that need several clients of one
// server.
package mcpclient
