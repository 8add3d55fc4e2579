package mcp

import "io/fs"

func init() { newElicitationID = func() string { return "e-1" } }

// Subscribers returns the number of sessions and listens that get notifications of changes.
func Subscribers(s *Server) int {
	n := 0
	s.subscribers.each(func(*subscriber) { n++ })
	return n
}

// NewInexactFS returns the files of a file system that also opens them by other names.
func NewInexactFS(info FilesInfo, fsys fs.FS) Feature {
	return newFiles(info, &files{fsys: fsys, open: fsys.Open, exact: true})
}

// IsEnd reports whether an error is the cancellation of a context.
var IsEnd = isEnd
