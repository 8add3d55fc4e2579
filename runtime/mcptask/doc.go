// Package mcptask keeps the tasks of servers: calls of tools that outlive the request which
// began them (extension io.modelcontextprotocol/tasks).
package mcptask
