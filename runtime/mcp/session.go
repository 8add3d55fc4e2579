package mcp

import (
	"crypto/rand"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file is the session that initialize opens, in revisions before 2026-07-28. Sessions open on the
// goroutine that reads; conn.mu guards them.

// engineSession is the state of a connection in revisions with initialize. Requests with a revision in
// their _meta neither read nor change it.
type engineSession struct {
	id          string // "" for a session of one message
	revision    *protocol.Revision
	client      *client
	part        sessionPart // what the server keeps for it; set before the session opens
	initialized bool        // the client has sent notifications/initialized; guarded by conn.mu
	level       int8        // the least level of log messages that are sent; guarded by conn.mu
}

// negotiated is the revision of the session, nil if there is none.
func (c *engineConn) negotiated() *protocol.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return nil
	}
	return c.session.revision
}

// sessionOrigin decides on a request that carries no revision
// (lifecycle; versioning, backward compatibility).
func (c *engineConn) sessionOrigin(m *jsonrpc.Message, inBatch bool) (origin, *jsonrpc.Error) {
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
func (c *engineConn) initialize(m *jsonrpc.Message, inBatch bool) (origin, *jsonrpc.Error) {
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
	client := newClient(info, capabilities)
	if !c.charge(client.size()) {
		return origin{}, errOverloaded
	}
	s := c.host.Open(engineSession{id: c.newSessionID(), revision: protocol.Negotiate(version), client: client, level: protocol.DefaultLevel})
	if s == nil {
		c.uncharge(client.size())
		return origin{}, errOverloaded
	}
	if !c.begin(s) {
		c.uncharge(s.client.size())
		s.part.Finish()
		return origin{}, invalidRequest("the session is already initialized")
	}
	return origin{revision: s.revision, client: s.client, session: s, opening: s}, nil
}

// newSessionID returns the id of a session that begins: that of the transport, or a new one, also
// if a hook has had that of the transport: the end of its session may come later.
func (c *engineConn) newSessionID() string {
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
func (c *engineConn) begin(s *engineSession) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		return false
	}
	c.session = s
	return true
}

// reject removes the session of an initialize that failed.
func (c *engineConn) reject(s *engineSession) {
	s.part.Finish() // first: who does not find the session any more finds that it ends
	c.mu.Lock()
	mine := c.session == s
	if mine {
		c.session = nil
	}
	c.mu.Unlock()
	if mine {
		c.uncharge(s.client.size())
	}
	s.part.Leave()
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

// opened returns the session of the connection, nil if there is none.
func (c *engineConn) opened() *engineSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// initialized records that the client has sent notifications/initialized. It returns the session, nil
// without one or if the client has sent that before.
func (c *engineConn) initialized() *engineSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session
	if s == nil || s.initialized {
		return nil
	}
	s.initialized = true
	return s
}

// has reports whether a session is that of the connection, which is not closing.
func (c *engineConn) has(s *engineSession) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closing && c.session == s
}

// useID records that the session with the id that the transport has given has begun.
func (c *engineConn) useID() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idUsed = true
}

// setLevel sets the level of log messages of the session.
func (c *engineConn) setLevel(level int8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		c.session.level = level
	}
}

// sessionState returns the session, and what changes of it.
func (c *engineConn) sessionState() (s *engineSession, initialized bool, level int8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s = c.session; s == nil {
		return nil, false, protocol.DefaultLevel
	}
	return s, s.initialized, s.level
}
