package mcp

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// This file defines connections and sessions, with the data that the features of a server store for
// each.

// conn is the connection of one client.
type conn struct {
	engine.Conn
	server *Server

	// principal is the principal of the latest request, if each request has its own; nil before the
	// first.
	principal atomic.Pointer[Principal]

	// counts guards the counters below, which requests of many goroutines change.
	counts        sync.Mutex
	subscriptions int // subscriptions to resources, of the session and of all listens
	subscribed    int // bytes of the URIs of these subscriptions
}

// newConn returns a connection that has not begun.
func newConn(s *Server) *conn {
	c := &conn{server: s}
	c.Bind(c, &s.settings)
	return c
}

// session is a session of the engine with the data that the features of a server store for it.
type session struct {
	engine.Session
	hooks      sessionHooks // nil without hooks
	roots      knownRoots
	subscriber *subscriber
}

// sessionOf returns the data that belongs to a session of the engine, or nil for nil.
func sessionOf(s *engine.Session) *session {
	if s == nil {
		return nil
	}
	own, _ := s.Part.(*session)
	return own
}

// Leave implements [engine.SessionPart].
func (s *session) Leave() {
	if c := s.subscriber.session; c != nil {
		c.server.subscribers.remove(s.subscriber)
	}
}

// Finish implements [engine.SessionPart].
func (s *session) Finish() {
	if s.hooks != nil {
		s.hooks.finish()
	}
}

// sessionHooks are the hooks of one session.
type sessionHooks interface {
	// await waits until the hooks have returned, and returns an error if the session has not
	// opened.
	await(ctx context.Context) error
	// finish closes the session for the hooks. It does not wait.
	finish()
}
