// Package mcpclient is a client of MCP servers of every revision, over any transport.
//
//	c, err := mcpclient.Connect(ctx, mcpclient.Command{Path: "some-server"}, mcpclient.Options{})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	result, err := c.Call(ctx, "search", map[string]any{"query": "sea"})
//
// [Connect] finds out which revision the server speaks. A [Client] may be used by many
// goroutines. It connects again after the server was lost, and sends again what certainly
// has not run, or may run twice. What a server can make it hold or wait for is bounded by
// [Limits].
//
// A [Target] is where a server is: a program ([Command]), a server in this process
// ([InMemory]), a connection of the caller ([Dialer]); mcphttpclient.Endpoint, mcpws.Endpoint and
// mcpnet.Endpoint are servers behind a URL or an address.
//
// Package mcppool keeps clients open between uses, for programs that need several for one server.
package mcpclient
