package engine

import (
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file handles requests on the goroutine that reads, until each request goroutine starts.
// [Conn.request] owns the buffers of a message. It replies itself if no handler is needed
// ([Host].Answer) or the request is refused; otherwise [Host].New takes the buffers over, and
// [Conn.start] counts it as a running request. Nothing here waits or calls a function of users.

// Origin is the revision and the client of a request.
type Origin struct {
	Revision *protocol.Revision
	client   *Client
	session  *Session // session of the request; nil without one
	meta     []byte   // the _meta of the request, if handlers can need it; otherwise nil
	opening  *Session // session that the request opens (initialize); otherwise nil
	level    int8     // level of log messages, for requests without a session
}

// request handles a request. It owns the buffers: the exchange of the request takes them over, or
// request releases them.
func (c *Conn) request(b *Buffers, caller *Caller, out Sink, inBatch bool) {
	if batch, ok := out.(*batch); ok {
		batch.expect()
	}
	var from Origin
	var err *jsonrpc.Error
	if meta := b.Msg.Params.Get("_meta"); meta == nil {
		from, err = c.sessionOrigin(&b.Msg, inBatch)
	} else {
		from, err = c.metaOrigin(&b.Msg, meta, inBatch)
	}
	switch {
	case err == nil:
		b = c.answerOrStart(b, caller, out, &from)
	case !overload(out, b.Msg.ID, err):
		out.Refuse(jsonrpc.AppendError(nil, b.Msg.ID, err), err.Code)
	}
	if b != nil {
		b.release()
	}
}

// answerOrStart replies to a request, or starts an exchange that replies. It returns the buffers,
// or nil if the exchange owns them now.
func (c *Conn) answerOrStart(b *Buffers, caller *Caller, out Sink, from *Origin) *Buffers {
	m := &b.Msg
	key := m.ID.Key()
	how := c.host.Plan(b, from.Revision, *caller)
	method := how.Method
	var err *jsonrpc.Error
	if caller.Principal != nil && caller.Expired() {
		err = errExpired
	} else if method != protocol.ToolsCall { // for tools/call, the arguments are checked when they are decoded
		err = m.Params.Check(c.Settings.Limits.Depth)
	}
	atOnce := err == nil && how.AtOnce && !out.Full()
	switch {
	case err != nil:
	case atOnce && c.busy(key):
		err = duplicateID(m.ID)
	case atOnce:
		if b.out, err = c.host.Answer(b.out[:0], method, m, *from); err == nil && !b.account.Take(b.size()) {
			err = ErrOverloaded
		}
	default:
		x := c.host.New(Incoming{Plan: how, buffers: b, from: *caller, sink: out, key: key, origin: *from})
		if err = c.start(x); err == nil {
			go x.run()
			return nil
		}
		x.Stop(nil)
		if method == protocol.Ping && isOverload(err) {
			// The reply shows that the server is alive: it does not wait for interceptors.
			b.out, err = c.host.Answer(b.out[:0], method, m, *from)
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

// start counts a request as running and adds it to those in flight. It returns an error if the
// request is refused.
func (c *Conn) start(x *Exchange) *jsonrpc.Error {
	cost := CallCost + x.kept
	if !c.Settings.Memory.Take(cost) {
		return ErrOverloaded
	}
	x.cost.Store(int64(cost))
	x.counter, x.counted = c.Settings.Calls, x.From.CountedAs()
	if x.Method == protocol.Listen {
		x.counter = c.Settings.Listens
	}
	if !x.counter.Take(x.counted) {
		c.Settings.Memory.Release(cost)
		return errTooManyCalls
	}
	err := c.enter(x)
	if err != nil {
		c.Settings.Memory.Release(cost)
		x.counter.Give(x.counted)
	}
	return err
}
