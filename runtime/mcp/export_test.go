package mcp

import "io/fs"

func init() { newElicitationID = func() string { return "e-1" } }

// Subscribers returns how many sessions and listens get notifications of changes.
func Subscribers(s *Server) int {
	n := 0
	s.subscribers.each(func(*subscriber) { n++ })
	return n
}

// NewInexactFS returns the files of a file system that opens them by other names, too.
func NewInexactFS(info FilesInfo, fsys fs.FS) Feature {
	return newFiles(info, &files{fsys: fsys, open: fsys.Open, exact: true})
}

// IsEnd reports whether an error says that a context has ended.
var IsEnd = isEnd
