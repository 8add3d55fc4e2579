package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file connects the engine to the features of a server. The engine reads the messages of a
// connection, and asks the conn ([engine.Host]) how to handle each.

// Serve serves the client at the other end of the connection, and closes the connection at the end.
// It returns nil after the client closes its input and all of its requests have replies (within
// [Limits.DrainTime]). If ctx is cancelled, Serve cancels running handlers and returns the cause of
// ctx. It returns an error if the connection fails or the client stops reading.
//
// If the connection has a method Transport() string, [Call.Transport] returns its result.
func (s *Server) Serve(ctx context.Context, jc jsonrpc.Conn) error {
	name := ""
	if c, ok := jc.(interface{ Transport() string }); ok {
		name = c.Transport()
	}
	return s.serve(ctx, jc, name)
}

// serve is Serve with the name of the transport, which [Call.Transport] returns.
func (s *Server) serve(ctx context.Context, jc jsonrpc.Conn, transport string) error {
	if !s.begun.Load() {
		s.beginParts()
	}
	s.connected()
	c := newConn(s)
	c.Endings = s.newEndings()
	c.BeginStream(ctx, transport)
	// The warnings about a connection are logged before its first message is read, so that a client
	// that received a reply can rely on the log.
	s.warnUnguarded(ctx, transport, principalOf(c.Caller))
	return c.Conn.Serve(ctx, jc)
}

// Plan implements [engine.Host].
func (c *conn) Plan(b *engine.Buffers, rev *protocol.Revision, from engine.Caller) (how engine.Plan) {
	s, m := c.server, &b.Msg
	how.Method = rev.Methods[string(m.Method)]
	if how.Method == protocol.Unknown && s.tasks() != nil {
		how.Method = rev.TaskMethod(m.Method)
	}
	if how.Method == protocol.ToolsCall && s.finder != nil {
		how.Through = s.forward(b)
	}
	how.AtOnce = s.answersAtOnce(how.Method, m, &from)
	return how
}

// answersAtOnce reports whether the goroutine that reads replies to a request itself: it does if
// that takes little time and calls no function of users, so that no other request waits.
func (s *Server) answersAtOnce(method protocol.Method, m *jsonrpc.Message, from *engine.Caller) bool {
	if len(s.interceptors) > 0 {
		return false
	}
	switch method {
	case protocol.Initialize:
		return len(s.sessionHooks) == 0 && (s.finder == nil || !s.decides(from))
	case protocol.Discover:
		return s.finder == nil || !s.decides(from)
	case protocol.ToolsCall, protocol.ResourcesRead, protocol.PromptsGet, protocol.Complete, protocol.Listen,
		protocol.TasksGet, protocol.TasksUpdate, protocol.TasksCancel, protocol.TasksResult:
		return false
	case protocol.ResourcesList:
		return !s.decides(from) && !s.keys.change() && len(s.listersOf(pagedLists[method])) == 0
	case protocol.ToolsList, protocol.ResourcesTemplatesList, protocol.PromptsList:
		return !s.decides(from) && !s.keys.change()
	case protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		return !s.decides(from) && !s.hasScopes.Load()
	case protocol.Unknown:
		return s.extensions.methods[string(m.Method)] == nil && (s.brought.Load() == nil || s.brought.Load().methods[string(m.Method)] == nil)
	}
	return true
}

// Answer writes the reply to a request that needs no exchange.
func (c *conn) Answer(b []byte, method protocol.Method, m *jsonrpc.Message, from engine.Origin) ([]byte, *jsonrpc.Error) {
	b = jsonrpc.AppendResultPrefix(b, m.ID)
	switch method {
	case protocol.Initialize:
		return append(c.appendInitialize(c.Ctx, b, from.Revision), '}'), nil
	case protocol.SetLevel:
		return append(b, "{}}"...), c.answerSetLevel(&m.Params)
	case protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		return append(b, "{}}"...), c.subscribe(c.Ctx, &m.Params, method == protocol.ResourcesSubscribe, from.Revision)
	}
	if method == protocol.Unknown {
		return b, engine.NotFound(string(m.Method))
	}
	b, err := c.server.result(c.Ctx, b, method, &m.Params, from.Revision, nil)
	if err != nil {
		return b, err.(*jsonrpc.Error) // no function of users was called, so it cannot be another type
	}
	return append(b, '}'), nil
}

// New implements [engine.Host].
func (c *conn) New(in engine.Incoming) *engine.Exchange {
	x := &exchange{conn: c, through: in.Plan.Through}
	x.Begin(&c.Conn, x, in)
	x.call.x = x
	p := x.Params()
	x.req = Request{Method: x.MethodName, Params: p.Raw, x: x}
	switch x.Method {
	case protocol.ToolsCall, protocol.PromptsGet:
		x.req.Name, _ = jsonrpc.String(p.Get("name"))
		x.req.Arguments = p.Get("arguments")
	case protocol.ResourcesRead, protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		uri, _ := jsonrpc.String(p.Get("uri"))
		x.req.Name = uritemplate.Encode(uri)
	case protocol.TasksGet, protocol.TasksUpdate, protocol.TasksCancel:
		x.req.Name, _ = jsonrpc.String(p.Get("taskId"))
	}
	x.Feature = x.req.Name
	return &x.Exchange
}

// Notify implements [engine.Host].
func (c *conn) Notify(m *jsonrpc.Message, from engine.Caller) {
	switch string(m.Method) {
	case protocol.Initialized:
		c.startNotifying()
	case protocol.RootsListChanged:
		c.rootsChanged()
	default:
		c.extensionNotification(m, &from)
	}
}

// Open implements [engine.Host].
func (c *conn) Open(opening engine.Session) *engine.Session {
	s := c.newSession(opening)
	if len(c.server.sessionHooks) > 0 && !c.OneMessage {
		hooks := newHookedSession(c)
		if hooks == nil {
			return nil
		}
		s.hooks = hooks
	}
	return &s.Session
}
