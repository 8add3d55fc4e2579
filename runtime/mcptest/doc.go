// Package mcptest calls a server from a Go test, over the protocol, in any of its revisions,
// without a process or a port.
//
// [New] connects a [Client] to a server in memory. Its methods send the messages of a real client,
// wait for the answer, and fail the test with a message that shows the actual answer, so that a
// test reads as a list of steps:
//
//	c := mcptest.New(t, bookstore.NewMCPServer(store), mcptest.Options{})
//	book := mcptest.Call[Book](c, "get_book", map[string]any{"id": 2701})
//
// It uses the client of package mcpclient. A protocol violation by the server fails the test; the
// client itself sends the values of the test once, valid or not.
//
// [Client.Start] and [Client.Request] return errors instead, for tests of refusals. The functions
// in [Options] answer requests of handlers to the client: in the revisions with sessions these are
// requests of the server; from revision 2026-07-28 on the client calls again with the answers, up
// to ten times. [Contract] compares everything that a server publishes with a file. [Client.Task]
// runs the task of a tool to its end, and lets each question end the run of its handler.
//
// The package sleeps only between polls of a task, leaves no goroutines behind, and works in a
// bubble of testing/synctest. Like the methods of [testing.T] that end a test, the methods of a
// Client must be called on the test goroutine; functions in Options run in other goroutines, and
// should use t.Error.
package mcptest
