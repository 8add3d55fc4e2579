// Package mcptaskclient lets clients of package mcpclient run tasks: calls that take longer than a
// request (extension io.modelcontextprotocol/tasks in revision 2026-07-28, and the experimental form
// of 2025-11-25, basic/utilities/tasks).
//
//	options := mcpclient.Options{Elicit: ask}
//	mcptaskclient.Enable(&options)
//	client, err := mcpclient.Connect(ctx, target, options)
//	result, err := client.Call(ctx, "import", arguments) // also if it becomes a task
//
// With [Enable] every call of the client waits for the end of the task that it becomes, as if it were
// a plain call. [CallTask] returns the task instead, and [Find] one by its id, also after a restart of
// the program.
//
// All this is a package of its own, and functions in the place of methods of the client, so that
// programs which call no tasks do not link it.
//
// Tasks are polled, at the interval that the server suggests. Subscriptions are not used: they are an
// option of servers, a poll is needed besides them, since a notification may be lost, and polling
// works on every transport.
package mcptaskclient
