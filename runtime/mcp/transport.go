package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file implements the server for transports that give each request a channel of its own, such
// as HTTP. Their goroutines call it, one for each HTTP request; connections and buffers are the
// same as for other transports (conn.go, buffers.go).

// Transport returns the interface for transports that give each request a channel of its own. It is
// for the packages of this module: its type is internal, and changes without notice. To serve one
// stream of messages, use [Server.Serve].
func (s *Server) Transport() transport.Server { return transportServer{s, new(engine.Clocks)} }

// transportServer implements [transport.Server]. Its connections share clocks.
type transportServer struct {
	*Server
	clocks *engine.Clocks
}

func (h transportServer) Log() *slog.Logger { return h.log.Logger() }

func (h transportServer) Limits() transport.Limits {
	l := &h.limits
	return transport.Limits{
		ClientShare: l.ClientShare, MessageBytes: l.MessageBytes, QueueBytes: l.QueueBytes,
		Subscriptions: l.Subscriptions, SubscriptionBytes: l.subscriptionBytes(),
		FirstMessageTime: l.FirstMessageTime,
		WriteTime:        l.WriteTime, DrainTime: l.DrainTime, GraceTime: l.GraceTime,
	}
}

func (h transportServer) PublishChanges(ctx context.Context) {
	if h.changes != nil {
		h.changes.wait(ctx)
	}
}

func (h transportServer) Memory() *membudget.Budget { return h.settings.Memory }

func (h transportServer) NewMessage() transport.Message {
	if !h.begun.Load() {
		h.beginParts()
	}
	return h.settings.NewMessage()
}

func (h transportServer) Open(ctx context.Context, o transport.Options) transport.Conn {
	h.connected()
	c := newConn(h.Server)
	if o.Endings == nil && !o.Once {
		c.Endings = h.newEndings()
	}
	c.BeginMessages(ctx, &o, h.clocks)
	if o.Revision != nil {
		c.Session = &c.newSession(engine.Session{Revision: o.Revision, Client: &engine.UnknownClient, Level: protocol.DefaultLevel}).Session
	}
	if o.State != nil {
		c.Session = c.openedSession(o.State)
	}
	if o.PingTimeout != nil && h.settings.PingAfter > 0 {
		go c.Watch(c.Out, h.settings.PingAfter, o.PingTimeout)
	}
	l := (*transportConn)(c)
	if o.State != nil {
		l.Change(transport.SessionState{}, *o.State)
	}
	return l
}

// transportConn implements [transport.Conn].
type transportConn conn

func (l *transportConn) Take(in transport.Message, from transport.Caller, out transport.Sink) (expect bool) {
	c := (*conn)(l)
	who := newCaller(from)
	if c.server.hasScopes.Load() {
		c.server.warnUnguarded(c.Ctx, c.Transport, principalOf(who))
	}
	if from.Principal != nil && !c.OneMessage {
		l.Renew(from.Principal)
	}
	return c.Take(in, who, out)
}

func newCaller(from transport.Caller) *engine.Caller {
	c := &engine.Caller{Values: from.Values, Header: from.Header, Client: from.Client, Address: from.Address, Addressed: true, Groups: from.Groups}
	if p, _ := from.Principal.(*Principal); p != nil {
		setPrincipal(c, p)
	}
	return c
}

func (l *transportConn) Renew(principal any) {
	if p, _ := principal.(*Principal); p != nil {
		l.principal.Store(p)
	}
}

func (l *transportConn) Negotiated() *protocol.Revision { return (*conn)(l).Negotiated() }

func (l *transportConn) Active() int { return (*conn)(l).Runs() }

func (l *transportConn) Drain(within time.Duration) { (*conn)(l).Drain(within) }
func (l *transportConn) InputClosed()               { (*conn)(l).InputClosed() }
func (l *transportConn) Cancel()                    { (*conn)(l).Abandon(ErrCancelled) }

func (l *transportConn) Close() { (*conn)(l).Close() }

// ReleaseStream completes the HTTP response of a call before the call returns, for calls that take
// long. The client resumes the stream after the retry time to get the rest. That needs a session of
// revision 2025-11-25 over streamable HTTP (basic/transports, sending messages to the server).
// ReleaseStream reports whether the response is completed; if not, as over all other transports, it
// has no effect, so callers need not check the result.
func ReleaseStream(ctx context.Context, retry time.Duration) bool {
	x := exchangeFrom(ctx)
	if x == nil || x.IsAnswered() {
		return false
	}
	r, ok := x.Sink.(transport.Releaser)
	return ok && r.Release(retry)
}

func (h transportServer) Forwarded(p *jsonrpc.Params) (tool string, arguments []byte, through string) {
	if h.finder == nil {
		return "", nil, ""
	}
	name, arguments, through := forwarded(p)
	if through == "" {
		return "", nil, ""
	}
	tool, _ = jsonrpc.String(name)
	return tool, arguments, through
}

func (h transportServer) HeaderParams(name string) []toolschema.HeaderParam {
	t, _ := h.lookUp(toolSet, name).(*tool)
	if t == nil {
		return nil
	}
	return t.headers
}

func (h transportServer) Listing(list protocol.Method, rev *protocol.Revision) []json.RawMessage {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var all []json.RawMessage
	for _, f := range h.sets[pagedLists[list].set].items {
		if needsTask(f.Feature, rev) || !h.isServed(f.Feature, rev) {
			continue
		}
		all = append(all, f.listing(rev))
		if part := partOf(f.Feature); part != nil {
			all = append(all, part.listings()...)
		}
	}
	return all
}

func (h transportServer) WatchLists(changed func()) (stop func()) {
	return h.subscribers.watch(changed)
}

func (h transportServer) OffersCompletion() bool { return h.offersCompletion() }
