// Package mcpnats stores the shared state of a server's replicas in NATS JetStream: sessions,
// changes of resources, used request states, state keys, tasks and rate limits.
//
//	cluster, err := mcpnats.Open(ctx, nc, "bookstore", mcpnats.WithSecret(secret))
//	server := mcp.NewServer(info, cluster.Options()...)
//	handler := mcphttp.NewHandler(server, cluster.HTTPOptions()...)
//
// The connection can lead to a NATS server elsewhere, or to one in the program: see package
// embedded.
//
// # Subjects
//
// All subjects begin with mcp.NAME, and the names of streams with mcp-NAME. An account needs
// permission to publish and subscribe to "mcp.NAME.>", to publish to "$JS.API.>" for the streams
// "mcp-NAME-*", to subscribe to its own inbox, and to publish to the inboxes of the other replicas,
// "_INBOX.>", since they reply to each other.
//
// # What is lost when
//
// A write is acknowledged when the majority of copies contains it, so the loss of one of three
// servers loses nothing. A server syncs its files every two minutes unless it is configured with
// sync_interval: always, so a power cut of all servers at once may lose the last two minutes.
package mcpnats
