package mcp

import (
	"context"
	"crypto/rand"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file is the session that initialize opens, in revisions before 2026-07-28, and the results
// with capabilities. Sessions open on the goroutine that reads; conn.mu guards them.

// session is the state of a connection in revisions with initialize. Requests with a revision in
// their _meta neither read nor change it.
type session struct {
	id          string         // "" for a session of one message
	hooks       *hookedSession // nil without hooks
	revision    *protocol.Revision
	client      *client
	initialized bool // the client has sent notifications/initialized; guarded by conn.mu
	level       int8 // the least level of log messages that are sent; guarded by conn.mu
	roots       knownRoots
	subscriber  *subscriber
}

// negotiated is the revision of the session, nil if there is none.
func (c *conn) negotiated() *protocol.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return nil
	}
	return c.session.revision
}

// sessionOrigin decides on a request that carries no revision
// (lifecycle; versioning, backward compatibility).
func (c *conn) sessionOrigin(m *jsonrpc.Message, inBatch bool) (origin, *jsonrpc.Error) {
	if string(m.Method) == protocol.Initialize.String() {
		return c.initialize(m, inBatch)
	}
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	switch {
	case s != nil:
		return origin{revision: s.revision, client: s.client, session: s}, nil
	case string(m.Method) == protocol.Ping.String():
		return origin{revision: protocol.Latest}, nil
	}
	return origin{}, errNoSession
}

var errNoSession = invalidParams("no protocol revision: send initialize first, or " +
	protocol.MetaVersion + " and " + protocol.MetaCapabilities + " in params._meta")

// initialize opens the session. Later messages belong to it at once, also while interceptors
// handle the request.
func (c *conn) initialize(m *jsonrpc.Message, inBatch bool) (origin, *jsonrpc.Error) {
	if inBatch {
		return origin{}, invalidRequest("initialize must not be part of a batch")
	}
	p := &m.Params
	version, ok := jsonrpc.String(p.Get("protocolVersion"))
	if !ok {
		return origin{}, invalidParams("params.protocolVersion must be a string")
	}
	capabilities, info := p.Get("capabilities"), p.Get("clientInfo")
	if !isObject(capabilities) {
		return origin{}, invalidParams("params.capabilities must be an object")
	}
	if !isObject(info) {
		return origin{}, invalidParams("params.clientInfo must be an object")
	}
	if len(capabilities)+len(info) > maxClient {
		return origin{}, clientTooLong("params.clientInfo and params.capabilities")
	}
	s := &session{
		id: c.newSessionID(), revision: protocol.Negotiate(version), client: newClient(info, capabilities),
		level: protocol.DefaultLevel, subscriber: c.newSubscriber(),
	}
	if !c.charge(s.client.size()) {
		return origin{}, errOverloaded
	}
	if len(c.server.sessionHooks) > 0 && !c.oneMessage {
		if s.hooks = newHookedSession(c); s.hooks == nil {
			c.uncharge(s.client.size())
			return origin{}, errOverloaded
		}
	}
	if !c.begin(s) {
		c.uncharge(s.client.size())
		s.finishHooks()
		return origin{}, invalidRequest("the session is already initialized")
	}
	return origin{revision: s.revision, client: s.client, session: s, opening: s}, nil
}

// newSessionID returns the id of a session that begins: that of the transport, or a new one, also
// if a hook has had that of the transport: the end of its session may come later.
func (c *conn) newSessionID() string {
	if c.oneMessage {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessionID != "" && !c.idUsed {
		return c.sessionID
	}
	return rand.Text()
}

// begin sets the session of the connection, unless there is one. It reports whether it did.
func (c *conn) begin(s *session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		return false
	}
	c.session = s
	return true
}

// reject removes the session of an initialize that failed.
func (c *conn) reject(s *session) {
	s.finishHooks() // first: who does not find the session any more finds that it ends
	c.mu.Lock()
	mine := c.session == s
	if mine {
		c.session = nil
	}
	c.mu.Unlock()
	if mine {
		c.uncharge(s.client.size())
	}
	c.server.subscribers.remove(s.subscriber)
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// appendInitialize writes the InitializeResult.
func (c *conn) appendInitialize(ctx context.Context, b []byte, rev *protocol.Revision) []byte {
	s := c.server
	b = append(b, `{"protocolVersion":"`...)
	b = append(b, rev.Version...)
	b = append(b, `","capabilities":`...)
	b = s.appendCapabilities(b, rev, c.out != nil)
	b = append(b, `,"serverInfo":`...)
	b = s.info.appendImplementation(b, &rev.Fields, true)
	b = appendText(b, "instructions", s.instructions(ctx, rev))
	return append(b, '}')
}

// appendVersions writes all supported versions, newest first.
func appendVersions(b []byte) []byte {
	b = append(b, '[')
	for i, version := range protocol.Versions {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, version)
	}
	return append(b, ']')
}
