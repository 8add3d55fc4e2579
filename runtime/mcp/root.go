package mcp

import "sync"

// Root is a directory or file in which the client allows servers to work. Its name is the term of
// the specification (client/roots).
type Root struct {
	URI  string // a file: URI
	Name string // for people; may be ""
}

// knownRoots stores the roots of a session, until the client sends
// notifications/roots/list_changed.
type knownRoots struct {
	mu      sync.Mutex // guards the rest
	version int        // number of changes
	roots   []Root     // nil if they are not known
	size    int        // bytes that are charged
}
