package mcp

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// This file calls the functions of [WithSessionHook]. begin runs on the initialize request's
// goroutine, and all other requests of the session wait for it. end runs on its own goroutine, or
// on the goroutine that has run begin if the session has closed in the meantime. Each session has a
// lock, which is not held while a function of users runs.

// WithSessionHook calls begin once for each session, and calls the function that begin returns,
// which may be nil, once after the session closes. It is for data that is stored by session, such
// as a cache with [Call.Session] as key. The option may be given more than once; sessions begin
// with the first hook and end with the last.
//
// A session begins with the initialize request (basic/lifecycle), over every transport: stdio,
// streamable HTTP and HTTP+SSE, WebSocket, sockets and in memory. If an interceptor or a limit
// refuses initialize, no session begins. Requests without a session have no hook: all requests of
// revision 2026-07-28 and later, requests to a handler without sessions (mcphttp.WithoutSessions),
// and ping before initialize.
//
// begin runs before initialize is answered, inside of interceptors. No other function of the
// program, including interceptors, is called for the session until begin returns. The context
// contains the values of the transport and is cancelled when the session closes; it does not belong
// to a call. If begin panics, initialize fails, the functions of hooks before it are called, and
// the session does not open; the client may try again, for another session with another ID. begin
// counts for [Limits.CallTime].
//
// A session closes when its connection closes or breaks, and over HTTP when the client deletes it,
// when it has been idle for too long or makes room for another one, when a ping is not answered
// ([WithPing]), and when the handler shuts down. end is then called after all running requests of
// the session have returned, or [Limits.GraceTime] after their contexts were cancelled; begin has
// always returned before. [Server.Serve] and the Shutdown of a handler wait until end returns;
// Serve for at most [Limits.DrainTime]. A panic in end is logged.
//
// begin and end are called for many sessions at once, but not for one.
func WithSessionHook(begin func(context.Context, SessionInfo) (end func())) Option {
	return func(s *Server) {
		if begin != nil {
			s.sessionHooks = append(s.sessionHooks, begin)
		}
	}
}

// hookedSession is the state of the hooks of one session. Its lock guards the fields, but is not
// held while hooks run.
type hookedSession struct {
	conn  *conn
	begun chan struct{} // closed when requests no longer have to wait

	mu     sync.Mutex
	state  hookState
	over   bool                    // the session has closed
	cancel context.CancelCauseFunc // cancels the context of the session; nil until the hooks run
	ends   []func()                // the functions that the hooks have returned
}

// hookState is the progress of the hooks of a session.
type hookState int

const (
	hooksWait hookState = iota // before the first hook is called
	hooksRun
	hooksBegun
	hooksFailed
)

// hookedCost is charged for a session with hooks until their ends have returned: a client can open
// and close sessions faster than the ends run.
const hookedCost = 4 << 10

// newHookedSession returns the state of a session that is about to begin, or nil if the memory
// budget is exhausted.
func newHookedSession(c *conn) *hookedSession {
	if !c.server.settings.Memory.Take(hookedCost) {
		return nil
	}
	return &hookedSession{conn: c, begun: make(chan struct{})}
}

// hooked returns a handler that runs the hooks of sessions around next, which includes the
// interceptors.
func (s *Server) hooked(next Handler) Handler {
	return func(ctx context.Context, req *Request) (Reply, error) {
		x := req.x
		if x.Opening == nil {
			if err := sessionOf(x.InSession).awaitHooks(ctx); err != nil {
				return nil, err
			}
			return next(ctx, req)
		}
		reply, err := next(ctx, req)
		if err == nil { // the hooks have not begun if an interceptor has answered without calling next
			err = x.beginSession()
		}
		return reply, err
	}
}

// awaitHooks waits until the hooks of the session have returned. It returns an error if the session
// has not opened. The session may be nil.
func (s *session) awaitHooks(ctx context.Context) error {
	if s == nil || s.hooks == nil {
		return nil
	}
	return s.hooks.await(ctx)
}

// await implements [sessionHooks].
func (h *hookedSession) await(ctx context.Context) error {
	select {
	case <-h.begun:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state != hooksBegun || h.over {
		return protocolError(engine.ErrNoSession)
	}
	return nil
}

// beginSession calls the hooks of the session that the request opens. If they have been called
// already, it waits until they have returned.
func (x *exchange) beginSession() error {
	opening := sessionOf(x.Opening)
	if opening == nil || opening.hooks == nil {
		return nil
	}
	h := opening.hooks.(*hookedSession)
	h.mu.Lock()
	switch {
	case h.over:
		h.mu.Unlock()
		return ErrConnectionClosed
	case h.state != hooksWait: // an interceptor calls next more than once, or does not wait for it
		h.mu.Unlock()
		return opening.awaitHooks(&x.Ctx)
	}
	h.state = hooksRun
	own, cancel := context.WithCancelCause(h.conn.Ctx)
	h.cancel = cancel
	h.mu.Unlock()
	h.conn.UseID()

	state := hooksFailed
	var ends []func()
	defer func() { h.haveRun(state, ends) }() // deferred, since a hook may end the goroutine
	ctx := sessionContext{own, x.From.Values}
	server := x.conn.server
	info := SessionInfo{
		ID: x.Opening.ID, Transport: x.conn.Transport, Principal: identity(&x.From), Client: clientInfo(x.Opening.Client),
		Revision: x.Revision.Version, Header: x.From.Header,
	}
	for _, begin := range server.sessionHooks {
		var end func()
		e := &panicError{reference: newReference()}
		if !usercode.Call(func() { end = begin(ctx, info) }, func(f usercode.Failure) {
			server.log.Program(ctx, slog.LevelError, "begin of a session panicked", append(f.Attrs(), slog.String("reference", e.reference))...)
		}) {
			return e
		}
		if end != nil {
			ends = append(ends, end)
		}
	}
	state = hooksBegun
	return nil
}

// haveRun records the functions that the hooks have returned. If a hook has failed, or the session
// has closed in the meantime, it calls these functions.
func (h *hookedSession) haveRun(state hookState, ends []func()) {
	h.mu.Lock()
	h.state, h.ends = state, ends
	over, failed := h.over, state == hooksFailed
	h.over = over || failed
	if failed && !over {
		h.conn.Endings.Add()
	}
	h.mu.Unlock()
	close(h.begun)
	if failed || over {
		h.cancel(ErrConnectionClosed)
		h.end()
	}
}

// finish closes the session for its hooks, once. It does not wait for their ends, which are called
// when the requests of the connection have returned, at the latest after [Limits.GraceTime].
func (h *hookedSession) finish() {
	h.mu.Lock()
	if h.over {
		h.mu.Unlock()
		return
	}
	h.over = true
	state, cancel := h.state, h.cancel
	if state != hooksWait {
		h.conn.Endings.Add()
	}
	h.mu.Unlock()
	switch state {
	case hooksWait: // they will not be called
		close(h.begun)
		h.conn.server.settings.Memory.Release(hookedCost)
	case hooksRun: // haveRun calls end when they have returned
		cancel(ErrConnectionClosed)
	case hooksBegun:
		cancel(ErrConnectionClosed)
		go func() {
			if len(h.ends) > 0 {
				h.conn.Drain(h.conn.server.limits.GraceTime)
			}
			h.end()
		}()
	}
}

// end calls the functions that the hooks have returned, the last one first. It runs once.
func (h *hookedSession) end() {
	defer h.conn.Endings.Done()
	defer h.conn.server.settings.Memory.Release(hookedCost)
	for _, end := range slices.Backward(h.ends) {
		h.conn.server.callEnd(end)
	}
}

// callEnd calls an end of a hook, on its own goroutine, since the end may exit its goroutine
// (runtime.Goexit) and the other ends must still be called.
func (s *Server) callEnd(end func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		usercode.Call(end, func(f usercode.Failure) {
			s.log.Program(context.Background(), slog.LevelError, "end of a session panicked", f.Attrs()...)
		})
	}()
	<-ended
}

// newEndings returns a counter for the sessions of a connection, or nil if there are no hooks.
func (s *Server) newEndings() *transport.Endings {
	if len(s.sessionHooks) == 0 {
		return nil
	}
	return new(transport.Endings)
}

// sessionContext is the context of a session, with the values of the transport.
type sessionContext struct {
	context.Context
	values context.Context // nil without values
}

func (c sessionContext) Value(key any) any {
	if value := c.Context.Value(key); value != nil || c.values == nil {
		return value
	}
	return c.values.Value(key)
}
