// Package mcptaskclient lets clients of package mcpclient run tasks: calls that take longer than a
// request (extension io.modelcontextprotocol/tasks in revision 2026-07-28, and the experimental
// form of 2025-11-25, basic/utilities/tasks).
//
//	options := mcpclient.Options{Elicit: ask}
//	mcptaskclient.Enable(&options)
//	client, err := mcpclient.Connect(ctx, target, options)
//	result, err := client.Call(ctx, "import", arguments) // even if it becomes a task
//
// With [Enable] every call of the client that becomes a task waits for its end, like a plain call.
// [CallTask] returns the task instead, and [Find] returns a task by its id, even after a restart of
// the program.
//
// It is a separate package with functions instead of methods of the client, so that programs
// without tasks do not link it.
//
// The client polls tasks at the interval that the server suggests. It does not use subscriptions:
// servers need not support them, they do not replace polling, since a notification may be lost, and
// polling works on every transport.
package mcptaskclient
