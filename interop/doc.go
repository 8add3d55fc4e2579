// Package interop drives the programs of this repository with other people's
// clients, as their users would: as a process, over its standard input and
// output. It needs nothing of mcpgen but the built program, so these clients
// stay out of everybody else's module graph.
package interop
