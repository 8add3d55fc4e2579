package mcp

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
)

// This file serves a session that several replicas have open: the state that one replica sends the
// others ([transport.SessionState]), opening the session at another replica, and the notifications
// that its client missed on the stream for messages that do not belong to a request. It runs on
// transport goroutines.

// openedSession returns a session that another replica opened. Hooks of sessions are not called for
// it.
func (c *conn) openedSession(state *transport.SessionState) *engine.Session {
	rev := protocol.Find(state.Revision)
	if rev == nil || rev.PerRequest {
		return nil // written by a later version of this module
	}
	return &c.newSession(engine.Session{
		ID: c.SessionID, Revision: rev, Client: engine.NewClient(state.Client, state.Capabilities), Level: protocol.DefaultLevel,
	}).Session
}

// State implements [transport.Conn].
func (l *transportConn) State() (state transport.SessionState) {
	opened, initialized, level := (*conn)(l).SessionState()
	if opened == nil {
		return state
	}
	state = transport.SessionState{
		Revision: opened.Revision.Version, Client: opened.Client.Info, Capabilities: opened.Client.Capabilities,
		Initialized: initialized, Level: protocol.Levels[level], Resources: sessionOf(opened).subscriber.subscribed(),
	}
	slices.Sort(state.Resources)
	return state
}

// Change implements [transport.Conn].
func (l *transportConn) Change(from, to transport.SessionState) {
	c := (*conn)(l)
	if to.Level != from.Level {
		if level := slices.Index(protocol.Levels, to.Level); level >= 0 {
			c.SetLevel(int8(level))
		}
	}
	s := sessionOf(c.Opened())
	if s == nil || s.subscriber.out == nil {
		return
	}
	sub := s.subscriber
	sub.mu.Lock()
	for _, uri := range from.Resources {
		if !slices.Contains(to.Resources, uri) {
			c.removeSubscription(sub, uri)
		}
	}
	for _, uri := range to.Resources {
		if !slices.Contains(from.Resources, uri) {
			// Another replica has accepted the subscription; an error is possible only if the
			// limits of this replica differ.
			_ = c.addSubscription(sub, uri)
		}
	}
	sub.mu.Unlock()
	if to.Initialized {
		c.startNotifying()
	}
}

// Notified implements [transport.Conn].
func (l *transportConn) Notified() uint64 {
	if l.server.changes == nil {
		return 0
	}
	return l.server.changes.notices.doneUpTo()
}

// Resume implements [transport.Conn].
func (l *transportConn) Resume(after uint64) {
	c := (*conn)(l)
	s := sessionOf(c.Opened())
	if s == nil || s.subscriber.out == nil || c.server.changes == nil {
		return
	}
	sub := s.subscriber
	missed, known := c.server.changes.notices.after(after)
	if !known {
		c.server.notifyAllOf(sub)
		return
	}
	for _, n := range missed {
		c.server.notifyOne(sub, n.change)
	}
}

// Seal implements [transport.Server].
func (h transportServer) Seal(ctx context.Context, purpose string, text []byte) ([]byte, error) {
	ring, err := sealingKeys(ctx, h.Server)
	if err != nil {
		return nil, err
	}
	return ring.SealBytes(purpose, text), nil
}

// Unseal implements [transport.Server].
func (h transportServer) Unseal(ctx context.Context, purpose string, sealed []byte) (text []byte, ok bool, err error) {
	ok, err = h.withKeys(ctx, func(ring *seal.Keyring) bool {
		var opened bool
		text, opened = ring.OpenBytes(purpose, sealed)
		return opened
	})
	return text, ok, err
}

// SharesKeys implements [transport.Server].
func (h transportServer) SharesKeys() bool { return !h.keys.own }
