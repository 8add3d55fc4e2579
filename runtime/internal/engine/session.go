package engine

import (
	"crypto/rand"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file manages the session that initialize opens, in revisions before 2026-07-28. Sessions
// open on the goroutine that reads; Conn.mu guards them.

// Session is the state of a connection in revisions with initialize. Requests with a revision in
// their _meta neither read nor change it.
type Session struct {
	ID          string // "" for a session of one message
	Revision    *protocol.Revision
	Client      *Client
	Part        SessionPart // the server's data for it; set before the session opens
	initialized bool        // the client has sent notifications/initialized; guarded by Conn.mu
	Level       int8        // least level of the log messages to send; guarded by Conn.mu
}

// Negotiated returns the revision of the session, or nil without a session.
func (c *Conn) Negotiated() *protocol.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Session == nil {
		return nil
	}
	return c.Session.Revision
}

// sessionOrigin determines the revision of a request that does not contain one (lifecycle;
// versioning, backward compatibility).
func (c *Conn) sessionOrigin(m *jsonrpc.Message, inBatch bool) (Origin, *jsonrpc.Error) {
	if string(m.Method) == protocol.Initialize.String() {
		return c.initialize(m, inBatch)
	}
	c.mu.Lock()
	s := c.Session
	c.mu.Unlock()
	switch {
	case s != nil:
		return Origin{Revision: s.Revision, client: s.Client, session: s}, nil
	case string(m.Method) == protocol.Ping.String():
		return Origin{Revision: protocol.Latest}, nil
	}
	return Origin{}, ErrNoSession
}

// ErrNoSession is the error for a request without a revision.
var ErrNoSession = InvalidParams("no protocol revision: send initialize first, or " +
	protocol.MetaVersion + " and " + protocol.MetaCapabilities + " in params._meta")

// initialize opens the session. Later messages belong to it at once, also while interceptors handle
// the request.
func (c *Conn) initialize(m *jsonrpc.Message, inBatch bool) (Origin, *jsonrpc.Error) {
	if inBatch {
		return Origin{}, invalidRequest("initialize must not be part of a batch")
	}
	p := &m.Params
	version, ok := jsonrpc.String(p.Get("protocolVersion"))
	if !ok {
		return Origin{}, InvalidParams("params.protocolVersion must be a string")
	}
	capabilities, info := p.Get("capabilities"), p.Get("clientInfo")
	if !jsonobject.Is(capabilities) {
		return Origin{}, InvalidParams("params.capabilities must be an object")
	}
	if !jsonobject.Is(info) {
		return Origin{}, InvalidParams("params.clientInfo must be an object")
	}
	if len(capabilities)+len(info) > maxClient {
		return Origin{}, clientTooLong("params.clientInfo and params.capabilities")
	}
	client := NewClient(info, capabilities)
	if !c.Charge(client.size()) {
		return Origin{}, ErrOverloaded
	}
	s := c.host.Open(Session{ID: c.newSessionID(), Revision: protocol.Negotiate(version), Client: client, Level: protocol.DefaultLevel})
	if s == nil {
		c.Uncharge(client.size())
		return Origin{}, ErrOverloaded
	}
	if !c.Begin(s) {
		c.Uncharge(s.Client.size())
		s.Part.Finish()
		return Origin{}, invalidRequest("the session is already initialized")
	}
	return Origin{Revision: s.Revision, client: s.Client, session: s, opening: s}, nil
}

// newSessionID returns the id for a new session: the id that the transport set, or a new id. If a
// hook has already seen the transport's id, the new session needs another one, because the end of
// the earlier session may follow later.
func (c *Conn) newSessionID() string {
	if c.OneMessage {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.SessionID != "" && !c.idUsed {
		return c.SessionID
	}
	return rand.Text()
}

// Begin sets the session of the connection, unless it has one already, and reports whether it did.
func (c *Conn) Begin(s *Session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Session != nil {
		return false
	}
	c.Session = s
	return true
}

// reject removes the session of an initialize that failed.
func (c *Conn) reject(s *Session) {
	s.Part.Finish() // first, so that a goroutine that no longer finds the session finds it closed
	c.mu.Lock()
	mine := c.Session == s
	if mine {
		c.Session = nil
	}
	c.mu.Unlock()
	if mine {
		c.Uncharge(s.Client.size())
	}
	s.Part.Leave()
}

// AppendVersions writes all supported revisions, newest first.
func AppendVersions(b []byte) []byte {
	b = append(b, '[')
	for i, version := range protocol.Versions {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, version)
	}
	return append(b, ']')
}

// Opened returns the session of the connection, or nil.
func (c *Conn) Opened() *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Session
}

// SetInitialized records that the client sent notifications/initialized. It returns the session, or
// nil without a session or if the client has sent the notification before.
func (c *Conn) SetInitialized() *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.Session
	if s == nil || s.initialized {
		return nil
	}
	s.initialized = true
	return s
}

// Has reports whether s is the session of the connection, and the connection is not closing.
func (c *Conn) Has(s *Session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closing.Load() && c.Session == s
}

// UseID records that a session with the transport's id has begun.
func (c *Conn) UseID() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idUsed = true
}

// SetLevel sets the level of log messages of the session.
func (c *Conn) SetLevel(level int8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Session != nil {
		c.Session.Level = level
	}
}

// SessionState returns the session, with its fields that change.
func (c *Conn) SessionState() (s *Session, initialized bool, level int8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s = c.Session; s == nil {
		return nil, false, protocol.DefaultLevel
	}
	return s, s.initialized, s.Level
}
