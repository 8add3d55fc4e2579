// Package mcptask runs calls of tools as tasks, which outlive the requests that began them
// (extension io.modelcontextprotocol/tasks, in revision 2026-07-28 of the protocol).
//
// A handler does not change: [Tool], which generated code calls for task= of //mcp:tool, makes its
// calls tasks for clients that take them. The client gets an id, and asks for the task, or listens
// to it. Questions of the handler are in the task. While they wait for an answer the handler does
// not run: it runs again when the answer is there, and what it has done by [mcp.Once] before is not
// done again.
//
// Tasks are kept in memory, or by [WithStore] where several processes find them, also after the one
// that began them has died.
package mcptask
