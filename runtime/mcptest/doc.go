// Package mcptest calls a server from a Go test, through the whole of the
// protocol and in any of its revisions, without a process or a port.
//
// [New] connects a [Client] to a server in memory. Its methods send what a real
// client sends, wait for the answer, and fail the test with a message that says
// what came instead; so a test reads as a list of what happens:
//
//	c := mcptest.New(t, bookstore.NewMCPServer(store), mcptest.Options{})
//	book := mcptest.Call[Book](c, "get_book", map[string]any{"id": 2701})
//
// [Client.Start] and [Client.Request] return errors instead, for tests of what
// is refused. Questions of a handler are answered by the functions in [Options]:
// in the revisions with sessions as requests of the server, from revision
// 2026-07-28 on by calling again, up to ten times. [Contract] compares all that a
// server publishes with a file.
//
// Nothing in here sleeps or leaves a goroutine behind, and all of it works in a
// bubble of testing/synctest. Like the methods of [testing.T] that end a test,
// those of a Client belong to the goroutine of the test; functions in Options run
// in others, and should use t.Error.
package mcptest
