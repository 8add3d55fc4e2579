package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// origin is in which revision a request is answered, and for whom.
type origin struct {
	revision *protocol.Revision
	client   *client
	meta     []byte   // the _meta of the request, if it has any
	opening  *session // set by initialize
}

// request takes a request. It reports whether the buffers are taken over.
func (c *conn) request(b *buffers, out sink, inBatch bool) (kept bool) {
	m := &b.msg
	if batch, ok := out.(*batch); ok {
		batch.expect()
	}
	from, err := c.origin(m, inBatch)
	if err != nil {
		out.reply(jsonrpc.AppendError(nil, m.ID, err))
		return false
	}
	method := from.revision.Methods[string(m.Method)]
	if method != protocol.ToolsCall {
		err = m.Params.Check(c.server.limits.Depth)
	}
	key := m.ID.Key()
	if err == nil && c.server.answersAtOnce(method) && !out.full() {
		if c.busy(key) {
			err = duplicateID(m.ID)
		} else if b.out, err = c.answer(b.out[:0], method, m, &from); err == nil {
			out.reply(b.out)
			return false
		}
	}
	if err == nil {
		x := newExchange(c, b, out, method, key, &from)
		if err = c.start(x); err == nil {
			go x.run()
			return true
		}
		x.stop(nil)
	}
	if from.opening != nil {
		c.reject(from.opening)
	}
	out.reply(jsonrpc.AppendError(nil, m.ID, err))
	return false
}

// answersAtOnce reports whether a method is answered by the goroutine that
// reads: if no code of users is involved, and it takes no time.
func (s *Server) answersAtOnce(method protocol.Method) bool {
	switch method {
	case protocol.ToolsCall:
		return false
	case protocol.ToolsList:
		return len(s.interceptors) == 0 && s.visible == nil
	}
	return len(s.interceptors) == 0
}

// answer writes the reply to a request that needs no exchange.
func (c *conn) answer(b []byte, method protocol.Method, m *jsonrpc.Message, from *origin) ([]byte, *jsonrpc.Error) {
	b = jsonrpc.AppendResultPrefix(b, m.ID)
	b, err := c.server.result(c.ctx, b, method, &m.Params, from.revision)
	if err != nil && method == protocol.Unknown {
		err = notFound(string(m.Method))
	}
	return append(b, '}'), err
}

// newExchange prepares a request for its handlers.
func newExchange(c *conn, b *buffers, out sink, method protocol.Method, key jsonrpc.Key, from *origin) *exchange {
	m := &b.msg
	x := &exchange{
		conn: c, sink: out, revision: from.revision, method: method, key: key,
		buffers: b, opening: from.opening,
	}
	x.ctx.x = x
	x.ctx.Context, x.stop = context.WithCancelCause(c.ctx)
	name := method.String()
	if method == protocol.Unknown {
		name = string(m.Method)
	}
	x.req = Request{Method: name, Params: m.Params.Raw, x: x}
	if x.req.isCall() {
		x.req.Name, _ = jsonrpc.String(m.Params.Get("name"))
		x.req.Arguments = m.Params.Get("arguments")
	}
	x.call.method, x.call.feature = name, x.req.Name
	x.call.id = m.ID.CopyTo(x.call.idBuf[:])
	x.call.revision, x.call.client = from.revision, from.client
	if hasMore(from.meta) {
		x.call.meta = append([]byte(nil), from.meta...)
	}
	return x
}

// handle is the handler behind all interceptors.
func (s *Server) handle(ctx context.Context, req *Request) (Reply, error) {
	x := req.x
	if req.isCall() {
		return s.callTool(ctx, req)
	}
	b, err := s.result(ctx, nil, x.method, &x.buffers.msg.Params, x.revision)
	if err != nil {
		if x.method == protocol.Unknown {
			err = notFound(req.Method)
		}
		return nil, &ProtocolError{Code: err.Code, Message: err.Message, Data: err.Data}
	}
	return &RawReply{JSON: b}, nil
}

// result appends the result of every method that is not a call.
func (s *Server) result(ctx context.Context, b []byte, method protocol.Method, p *jsonrpc.Params, rev *protocol.Revision) ([]byte, *jsonrpc.Error) {
	if !p.IsObject() {
		return b, invalidParams("params must be an object")
	}
	switch method {
	case protocol.Initialize:
		return s.appendInitialize(b, rev), nil
	case protocol.Discover:
		return s.appendDiscover(b, rev), nil
	case protocol.Ping:
		return append(b, "{}"...), nil
	case protocol.ToolsList:
		return s.listTools(ctx, b, p, rev)
	}
	return b, notFound(method.String())
}

// callTool calls the tool that the request names.
func (s *Server) callTool(ctx context.Context, req *Request) (Reply, error) {
	if !s.offersTools() {
		e := notFound(req.Method)
		return nil, &ProtocolError{Code: e.Code, Message: e.Message}
	}
	p := &req.x.buffers.msg.Params
	if name := p.Get("name"); !p.IsObject() || len(name) == 0 || name[0] != '"' {
		return nil, wrongParams("params.name must be a string")
	}
	if a := req.Arguments; a != nil && a[0] != '{' {
		return nil, wrongParams("params.arguments must be an object")
	}
	t := s.tool(ctx, req.Name)
	if t == nil {
		return nil, &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool: " + req.Name}
	}
	req.tool = t
	call := t.call
	var result *ToolResult
	var err error
	if t.info.Timeout > 0 {
		result, err = s.callWithin(ctx, t, req)
	} else {
		result, err = call(ctx, req)
	}
	if err != nil {
		return nil, err
	}
	if result == nil {
		result = NothingFound()
	}
	return result, nil
}

func wrongParams(message string) *ProtocolError {
	e := invalidParams(message)
	return &ProtocolError{Code: e.Code, Message: e.Message}
}

func notFound(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
}
