package mcp

import (
	"io/fs"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// MessageBytes is the limit of a server, for tests that bring their own framing.
func MessageBytes(s *Server) int { return s.limits.MessageBytes }

// LimitsOf are the limits of a server.
func LimitsOf(s *Server) Limits { return s.limits }

// OpenWithoutWaiting opens a file that may be a pipe.
var OpenWithoutWaiting = openWithoutWaiting

// NewInexactFS returns the files of a file system that opens them by other names, too.
func NewInexactFS(info FilesInfo, fsys fs.FS) Feature {
	return newFiles(info, &files{fsys: fsys, open: fsys.Open, exact: true})
}

// Memory is the budget of a server.
func Memory(s *Server) *membudget.Budget { return s.memory }

// VersionOf reads the version out of build info.
var VersionOf = versionOf

// NewStateStore returns the store of one process.
func NewStateStore() StateStore { return newLocalStore() }

// MaxConsumed is how many states it remembers.
const MaxConsumed = maxConsumed

// Revisions is the size of the tables by revision.
const Revisions = revisions

// Audience returns how many sessions and listens get notifications of changes.
func Audience(s *Server) int {
	n := 0
	s.subscribers.each(func(*subscriber) { n++ })
	return n
}

// LargeReplies is how many replies may go beyond the budget.
const LargeReplies = largeReplies

// MediumReplies is how many replies that are not small are made at the same time for one
// connection.
const MediumReplies = mediumReplies
