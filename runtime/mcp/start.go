package mcp

import (
	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file handles requests on the goroutine that reads, up to the start of the goroutine of
// each. [conn.request] owns the buffers of a message. It replies itself if no handler is needed
// ([conn.answer]) or the request is refused; otherwise [newExchange] takes the buffers over, and
// [conn.start] counts the request among those that run. Nothing here waits or calls a function
// of users.

// origin is the revision and the client of a request.
type origin struct {
	revision *protocol.Revision
	client   *client
	session  *session // of the request; nil without one
	meta     []byte   // the _meta of the request, if handlers can need it; otherwise nil
	opening  *session // that the request opens, of initialize; otherwise nil
	level    int8     // of log messages, for requests without a session
}

// request handles a request. It owns the buffers: the exchange of the request takes them
// over, or request releases them.
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
		b.release()
	}
}

// answerOrStart replies to a request, or starts an exchange that does. It returns the
// buffers, nil if the exchange owns them now.
func (c *conn) answerOrStart(b *buffers, caller *caller, out sink, from *origin) *buffers {
	m := &b.msg
	method := from.revision.Methods[string(m.Method)]
	if method == protocol.Unknown && c.server.tasks() != nil {
		method = from.revision.TaskMethod(m.Method)
	}
	key := m.ID.Key()
	through := ""
	if method == protocol.ToolsCall && c.server.finder != nil {
		through = c.server.forward(b)
	}
	var err *jsonrpc.Error
	if caller.principal.expired() {
		err = errExpired
	} else if method != protocol.ToolsCall { // whose arguments are checked when they are decoded
		err = m.Params.Check(c.server.limits.Depth)
	}
	atOnce := err == nil && c.server.answersAtOnce(method, m, caller) && !out.Full()
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
		x.through = through
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

// answersAtOnce reports whether the goroutine that reads replies to a request: if that calls no
// function of users, and takes little time.
func (s *Server) answersAtOnce(method protocol.Method, m *jsonrpc.Message, from *caller) bool {
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
		return s.extensions.methods[string(m.Method)] == nil
	}
	return true
}

// answer writes the reply to a request that needs no exchange.
func (c *conn) answer(b []byte, method protocol.Method, m *jsonrpc.Message, from *origin) ([]byte, *jsonrpc.Error) {
	b = jsonrpc.AppendResultPrefix(b, m.ID)
	switch method {
	case protocol.Initialize:
		return append(c.appendInitialize(c.ctx, b, from.revision), '}'), nil
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
func newExchange(c *conn, b *buffers, caller *caller, out sink, method protocol.Method, key jsonrpc.IDKey, from *origin) *exchange {
	m := &b.msg
	x := &exchange{
		conn: c, sink: out, revision: from.revision, method: method, key: key,
		inSession: from.session, opening: from.opening, from: *caller, exchangeStorage: exchangeStorage{buffers: b},
	}
	x.ctx.x, x.call.x = x, x
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
		uri, _ := jsonrpc.String(m.Params.Get("uri"))
		x.req.Name = uritemplate.Encode(uri)
	case protocol.TasksGet, protocol.TasksUpdate, protocol.TasksCancel:
		x.req.Name, _ = jsonrpc.String(m.Params.Get("taskId"))
	}
	x.call.method, x.call.feature = name, x.req.Name
	x.call.id = m.ID.CopyTo(x.call.idBuf[:])
	x.call.client, x.call.level = from.client, from.level
	if from.meta != nil {
		x.call.meta = append([]byte(nil), from.meta...)
	}
	return x
}

// start counts a request as running and adds it to those in flight. It returns an error if the
// request is refused.
func (c *conn) start(x *exchange) *jsonrpc.Error {
	cost := callCost + x.kept()
	if !c.server.memory.Take(cost) {
		return errOverloaded
	}
	x.cost.Store(int64(cost))
	counter := x.counter()
	if !counter.Take(x.from.countedAs()) {
		c.server.memory.Release(cost)
		return errTooManyCalls
	}
	err := c.enter(x)
	if err != nil {
		c.server.memory.Release(cost)
		counter.Give(x.from.countedAs())
	}
	return err
}

// kept is the size of what an exchange keeps besides its buffers, as far as it varies.
func (x *exchange) kept() int {
	size := len(x.call.meta)
	if x.revision.PerRequest {
		size += x.call.client.size()
	}
	return size
}

// counter returns the counter of requests of all connections to which the request belongs.
func (x *exchange) counter() *clientlimit.Counter {
	if x.method == protocol.Listen {
		return x.conn.server.listens
	}
	return x.conn.server.calls
}
