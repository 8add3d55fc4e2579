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

// sessionHooks are the hooks of a session.
type sessionHooks interface {
	// await waits until they have returned, and returns an error if the session has not opened.
	await(ctx context.Context) error
	// finish ends the session for them. It does not wait.
	finish()
}
