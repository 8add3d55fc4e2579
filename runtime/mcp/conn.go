package mcp

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// This file is a connection and its session, with what the features of a server keep for them.

// conn is one client.
type conn struct {
	engine.Conn
	server *Server

	// principal is that of the latest request, where each has its own; nil before the first.
	principal atomic.Pointer[Principal]

	// counts guards what follows.
	counts        sync.Mutex
	subscriptions int // to resources, of the session and of all listens
	subscribed    int // bytes of the URIs of these
}

// newConn returns a connection, which is yet to begin.
func newConn(s *Server) *conn {
	c := &conn{server: s}
	c.Bind(c, &s.settings)
	return c
}

// session is a session with what the features of a server keep for it.
type session struct {
	engine.Session
	hooks      sessionHooks // nil without hooks
	roots      knownRoots
	subscriber *subscriber
	server     *Server
}

// sessionOf returns a session of the engine with what features keep for it, nil without one.
func sessionOf(s *engine.Session) *session {
	if s == nil {
		return nil
	}
	own, _ := s.Part.(*session)
	return own
}

// Leave implements [engine.SessionPart].
func (s *session) Leave() { s.server.subscribers.remove(s.subscriber) }

// Finish implements [engine.SessionPart].
func (s *session) Finish() {
	if s.hooks != nil {
		s.hooks.finish()
	}
}

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
	known   bool
	roots   []Root
	size    int // bytes that are charged
}

// sessionHooks are the hooks of a session.
type sessionHooks interface {
	// await waits until they have returned, and returns an error if the session has not opened.
	await(ctx context.Context) error
	// finish ends the session for them. It does not wait.
	finish()
}
