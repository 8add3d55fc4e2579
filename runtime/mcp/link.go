package mcp

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

func init() {
	link.Of = func(server any) link.Host { return host{server.(*Server), new(clocks)} }
}

// host is the server as transports see it that give each request a channel of its
// own.
type host struct {
	*Server
	clocks *clocks
}

func (h host) Log() *slog.Logger { return h.log.Logger() }

func (h host) Limits() link.Limits {
	l := &h.limits
	return link.Limits{
		MessageBytes: l.MessageBytes, QueueBytes: l.QueueBytes,
		FirstMessageTime: l.FirstMessageTime,
		WriteTime:        l.WriteTime, DrainTime: l.DrainTime, GraceTime: l.GraceTime,
	}
}

func (h host) Memory() *membudget.Budget { return h.memory }

func (h host) Inbound() link.Inbound {
	in := inboundPool.Get().(*inbound)
	in.buffers, in.server = h.newBuffers(), h.Server
	return in
}

func (h host) Open(ctx context.Context, o link.Options) link.Conn {
	c := &conn{server: h.Server, caller: &nobody, clocks: h.clocks, out: o.Out, ended: o.Ended}
	if o.Once {
		c.ctx, c.stop = context.WithoutCancel(ctx), c.abandon
	} else {
		c.ctx, c.stop = context.WithCancelCause(ctx)
	}
	if o.Revision != nil {
		c.session = &session{
			revision: o.Revision, client: new(client), level: protocol.DefaultLevel, subscriber: c.newSubscriber(),
		}
	}
	if o.Silent != nil && h.pingAfter > 0 {
		go c.watch(c.out, h.pingAfter, o.Silent)
	}
	return (*linked)(c)
}

// inbound is a message that has come, in buffers from the pool.
type inbound struct {
	*buffers
	server *Server
}

var inboundPool = sync.Pool{New: func() any { return new(inbound) }}

// done takes the buffers out, and ends the use of the rest.
func (in *inbound) done() *buffers {
	b := in.buffers
	*in = inbound{}
	inboundPool.Put(in)
	return b
}

func (in *inbound) Buffer() []byte { return in.data[:0] }

func (in *inbound) Room(capacity int) bool {
	in.data = in.data[:0:0] // it is the caller's
	size := in.size()
	if capacity > membudget.Free {
		size += capacity
	}
	return in.account.Take(size)
}

func (in *inbound) Parse(text []byte) *jsonrpc.Error {
	in.data = text
	return in.server.parser.Parse(text, &in.msg)
}

func (in *inbound) Message() *jsonrpc.Message { return &in.msg }

func (in *inbound) Drop() {
	in.done().drop()
}

// linked is a connection as such transports see it.
type linked conn

func (l *linked) Take(in link.Inbound, from link.Caller, out link.Sink) (expect bool) {
	c := (*conn)(l)
	who := &caller{values: from.Values, header: from.Header, client: from.Client, addressed: true}
	who.principal, _ = from.Principal.(Principal)
	b := in.(*inbound).done()
	c.heard.Store(true)
	kept, asked := c.take(b, nil, who, out, false)
	if !kept {
		b.drop()
	}
	return asked
}

func (l *linked) Negotiated() *protocol.Revision { return (*conn)(l).negotiated() }

func (l *linked) Active() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running
}

func (l *linked) Drain(within time.Duration) { (*conn)(l).drain(within) }
func (l *linked) Unheard()                   { (*conn)(l).unheard() }
func (l *linked) Cancel()                    { (*conn)(l).abandon(ErrCancelled) }
func (l *linked) Close()                     { (*conn)(l).close() }

// ReleaseStream lets go the HTTP response that carries a call, if the call is going
// to take long and its client knows how to come back for the rest: in a session of
// revision 2025-11-25 over streamable HTTP (basic/transports, sending messages to
// the server). The client is asked to come back after that time. It reports whether
// the response is let go; where not, as over all other transports, everything goes
// on as before, so the result needs no attention.
func ReleaseStream(ctx context.Context, retry time.Duration) bool {
	x := exchangeFrom(ctx)
	if x == nil || x.isAnswered() {
		return false
	}
	r, ok := x.sink.(link.Releaser)
	return ok && r.Release(retry)
}

func (h host) HeaderParams(name string) []toolschema.HeaderParam {
	t, _ := h.lookUp(shelfTools, name).(*tool)
	if t == nil {
		return nil
	}
	return t.headers
}
