// Package mcptask runs calls of tools as tasks, which outlive the requests that began them
// (extension io.modelcontextprotocol/tasks, in revision 2026-07-28 of the protocol).
//
// A handler does not change: [Tool], which generated code calls for task= of //mcp:tool, turns its
// calls into tasks for clients that support them. The client gets an id, and asks for the task, or
// listens to it. Questions of the handler are part of the task. While they wait for an answer the
// handler does not run: it runs again when the answer has arrived, and functions that it has called
// through [mcp.Once] are not called again.
//
// Tasks are stored in memory, or by [WithStore] in a store that several processes share, so that a
// task survives the process that began it.
package mcptask
