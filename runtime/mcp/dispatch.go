package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// How a request gets to its feature. [conn.request] runs on the goroutine that reads and
// decides what is answered there; for the rest it starts an exchange, on whose goroutine
// [Server.handle] and [Server.dispatch] run behind all interceptors.

// origin is in which revision a request is answered, and for whom.
type origin struct {
	revision *protocol.Revision
	client   *client
	meta     []byte   // the _meta of the request, if it has any
	opening  *session // set by initialize
	level    int8     // of log messages, for requests without a session
}

// request handles a request. It owns the buffers: the exchange of the request takes them
// over, or they are released here.
func (c *conn) request(b *buffers, caller *caller, out sink, inBatch bool) {
	if batch, ok := out.(*batch); ok {
		batch.expect()
	}
	from, err := c.origin(&b.msg, inBatch)
	switch {
	case err == nil:
		b = c.answerOrStart(b, caller, out, &from)
	case !overload(out, b.msg.ID, err):
		out.Refuse(jsonrpc.AppendError(nil, b.msg.ID, err), err.Code)
	}
	if b != nil {
		b.drop()
	}
}

// answerOrStart replies to a request, or starts an exchange that does. It returns the
// buffers, nil if the exchange owns them now.
func (c *conn) answerOrStart(b *buffers, caller *caller, out sink, from *origin) *buffers {
	m := &b.msg
	method := from.revision.Methods[string(m.Method)]
	key := m.ID.Key()
	var err *jsonrpc.Error
	if method != protocol.ToolsCall { // whose arguments are checked when they are decoded
		err = m.Params.Check(c.server.limits.Depth)
	}
	atOnce := err == nil && c.server.answersAtOnce(method, m) && !out.Full()
	switch {
	case err != nil:
	case atOnce && c.busy(key):
		err = duplicateID(m.ID)
	case atOnce:
		if b.out, err = c.answer(b.out[:0], method, m, from); err == nil && !b.account.Take(b.size()) {
			err = errOverloaded
		}
	default:
		x := newExchange(c, b, caller, out, method, key, from)
		if err = c.start(x); err == nil {
			go x.start()
			return nil
		}
		x.stop(nil)
		if method == protocol.Ping && isOverload(err) {
			// The reply shows that the server is alive: it does not wait for interceptors.
			b.out, err = c.answer(b.out[:0], method, m, from)
		}
	}
	if err == nil {
		out.Answer(b.out, 0)
		return b
	}
	if from.opening != nil {
		c.reject(from.opening)
	}
	if !overload(out, m.ID, err) {
		out.Answer(jsonrpc.AppendError(nil, m.ID, err), err.Code)
	}
	return b
}

// answersAtOnce reports whether a method is answered by the goroutine that
// reads: if no code of users is involved, and it takes no time.
func (s *Server) answersAtOnce(method protocol.Method, m *jsonrpc.Message) bool {
	if len(s.interceptors) > 0 {
		return false
	}
	switch method {
	case protocol.ToolsCall, protocol.ResourcesRead, protocol.PromptsGet, protocol.Complete, protocol.Listen:
		return false
	case protocol.ResourcesList:
		return s.visible == nil && len(s.listersOf(pagedLists[method])) == 0
	case protocol.ToolsList, protocol.ResourcesTemplatesList, protocol.PromptsList,
		protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		return s.visible == nil
	case protocol.Unknown:
		return s.extensions.methods[string(m.Method)] == nil
	}
	return true
}

// answer writes the reply to a request that needs no exchange.
func (c *conn) answer(b []byte, method protocol.Method, m *jsonrpc.Message, from *origin) ([]byte, *jsonrpc.Error) {
	b = jsonrpc.AppendResultPrefix(b, m.ID)
	switch method {
	case protocol.Initialize:
		return append(c.appendInitialize(b, from.revision), '}'), nil
	case protocol.SetLevel:
		return append(b, "{}}"...), c.setLevel(&m.Params)
	case protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		return append(b, "{}}"...), c.subscribe(c.ctx, &m.Params, method == protocol.ResourcesSubscribe, from.revision)
	}
	if method == protocol.Unknown {
		return b, notFound(string(m.Method))
	}
	b, err := c.server.result(c.ctx, b, method, &m.Params, from.revision, nil)
	if err != nil {
		return b, err.(*jsonrpc.Error) // no function of users has been called
	}
	return append(b, '}'), nil
}

// newExchange prepares a request for its handlers.
func newExchange(c *conn, b *buffers, caller *caller, out sink, method protocol.Method, key jsonrpc.Key, from *origin) *exchange {
	m := &b.msg
	x := &exchange{
		conn: c, sink: out, revision: from.revision, method: method, key: key,
		buffers: b, opening: from.opening, from: caller,
	}
	x.ctx.x, x.ctx.parent = x, c.ctx
	name := method.String()
	if method == protocol.Unknown {
		name = string(m.Method)
	}
	x.req = Request{Method: name, Params: m.Params.Raw, x: x}
	switch method {
	case protocol.ToolsCall, protocol.PromptsGet:
		x.req.Name, _ = jsonrpc.String(m.Params.Get("name"))
		x.req.Arguments = m.Params.Get("arguments")
	case protocol.ResourcesRead, protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		x.req.Name, _ = jsonrpc.String(m.Params.Get("uri"))
	}
	x.call.method, x.call.feature = name, x.req.Name
	x.call.id = m.ID.CopyTo(x.call.idBuf[:])
	x.call.revision, x.call.client, x.call.level = from.revision, from.client, from.level
	x.ctx.values = caller.values
	x.call.principal, x.call.header = caller.principal, caller.header
	if hasMore(from.meta) {
		x.call.meta = append([]byte(nil), from.meta...)
	}
	return x
}

// handle is the handler behind all interceptors.
func (s *Server) handle(ctx context.Context, req *Request) (Reply, error) {
	switch {
	case req.x.method.MayAskClient():
		return s.converse(ctx, req)
	case req.x.method == protocol.Listen:
		return s.listen(ctx, req)
	}
	return s.dispatch(ctx, req)
}

// dispatch answers a request by its method.
func (s *Server) dispatch(ctx context.Context, req *Request) (Reply, error) {
	x := req.x
	p := &x.buffers.msg.Params
	switch x.method {
	case protocol.Initialize:
		return &RawReply{JSON: x.conn.appendInitialize(nil, x.revision), own: true}, nil
	case protocol.ToolsCall:
		return s.callTool(ctx, req)
	case protocol.ResourcesRead:
		return s.readResource(ctx, req)
	case protocol.PromptsGet:
		return s.getPrompt(ctx, req)
	case protocol.Complete:
		return s.completeArgument(ctx, req)
	case protocol.SetLevel:
		return emptyReply(x.conn.setLevel(p))
	case protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		return emptyReply(x.conn.subscribe(ctx, p, x.method == protocol.ResourcesSubscribe, x.revision))
	case protocol.Unknown:
		if m := s.extensions.method(req.Method, x.revision); m != nil {
			return m.answer(ctx, req)
		}
		return nil, protocolError(notFound(req.Method))
	}
	b, err := s.result(ctx, nil, x.method, p, x.revision, x)
	if e, ok := err.(*jsonrpc.Error); ok {
		return nil, protocolError(e)
	}
	if err != nil {
		return nil, err
	}
	return &RawReply{JSON: b, own: true}, nil
}

// emptyReply is the reply to a request that is done or refused.
func emptyReply(e *jsonrpc.Error) (Reply, error) {
	if e != nil {
		return nil, protocolError(e)
	}
	return &RawReply{JSON: emptyObject, own: true}, nil
}

func protocolError(e *jsonrpc.Error) *ProtocolError {
	return &ProtocolError{Code: e.Code, Message: e.Message, Data: e.Data}
}

// result appends the result of a method that is about no one feature. Functions of
// users that list resources are called only for an exchange; x may be nil. The error is
// theirs, or a [*jsonrpc.Error].
func (s *Server) result(ctx context.Context, b []byte, method protocol.Method, p *jsonrpc.Params, rev *protocol.Revision, x *exchange) ([]byte, error) {
	if !p.IsObject() {
		return b, invalidParams("params must be an object")
	}
	switch method {
	case protocol.Discover:
		return s.appendDiscover(b, rev), nil
	case protocol.Ping:
		return append(b, "{}"...), nil
	case protocol.ToolsList, protocol.ResourcesList, protocol.ResourcesTemplatesList, protocol.PromptsList:
		return s.list(ctx, b, method, p, rev, x)
	}
	return b, notFound(method.String())
}

// callTool calls the tool that the request names.
func (s *Server) callTool(ctx context.Context, req *Request) (Reply, error) {
	if !s.offers(shelfTools) {
		return nil, protocolError(notFound(req.Method))
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
	if err := req.x.admit(ctx, t.info.Requires, !t.repeatable()); err != nil {
		return nil, err
	}
	result, err := within(ctx, req, t.info.Timeout, t.call)
	if err != nil {
		return nil, err
	}
	if result == nil {
		result = NothingFound()
	}
	return result, nil
}

func wrongParams(message string) *ProtocolError {
	return protocolError(invalidParams(message))
}

func notFound(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
}
