package mcp

import "sync"

// Root is a directory or file that the client lets servers work in. Its name is that of
// the specification (client/roots).
type Root struct {
	URI  string // a file: URI
	Name string // for people; may be ""
}

// knownRoots are the roots of a session, until the client sends
// notifications/roots/list_changed.
type knownRoots struct {
	mu      sync.Mutex // guards the rest
	version int        // counts the changes
	roots   []Root     // nil if they are not known
	size    int        // bytes that are charged
}
