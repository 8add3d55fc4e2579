package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// send sends a request over HTTP and reads its response, in the caller's goroutine.
func (x *connection) send(ctx context.Context, p *pending, r *Request, message []byte) (json.RawMessage, error) {
	defer x.releaseIfIdle()
	defer x.leave(p)
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x.abortBy(p, cancel)
	stop := x.watch(p, cancel)
	defer stop()
	err := x.requester.Send(bounded, x.httpMessage(p, r, message), func(data []byte) bool {
		if x.initialized.Load() { // before that, only the reply is a sign of life
			p.clock.sign()
		}
		x.receive(data, p)
		return x.deliver(p)
	})
	p.delivering.Lock()
	p.returned = true
	p.delivering.Unlock()
	if _, done := x.take(p); done {
		return p.result, p.err
	}
	if cause := context.Cause(bounded); cause != nil {
		x.cancelHTTP(p, cause)
		return nil, cause
	}
	if err == nil {
		err = &lost{sent: true, err: errNoResponse}
	}
	if s, ok := err.(*dial.Status); ok && x.initialized.Load() && (s.Status == 400 || s.Status == 404) {
		// Servers without sessions send errors with a status (streamable HTTP, 2026-07-28).
		if e := replyError(s.Message); e != nil {
			return nil, e
		}
	}
	return nil, err
}

// deliver calls the caller's progress function with the newest progress, and reports whether the
// request is done. Progress may arrive on the request's own response and on the event stream of the
// session.
func (x *connection) deliver(p *pending) (done bool) {
	p.delivering.Lock()
	defer p.delivering.Unlock()
	newest, done := x.take(p)
	if newest != nil && p.progress != nil && !p.returned {
		p.progress(*newest)
	}
	return done
}

// httpMessage returns a request with the values for its header fields.
func (x *connection) httpMessage(p *pending, r *Request, message []byte) *dial.Message {
	m := &dial.Message{
		Data: message, Request: true, Method: r.Method, Name: r.Name, Revision: x.revision.Load(), Wait: p.clock.stop,
	}
	if r.Method == protocol.ToolsCall.String() && m.Revision.Fields.HeaderMirrors {
		if tool, _ := x.client.tools.get(r.Name); len(tool.params) > 0 {
			m.Arguments, m.Params = memberOf(r.Params, "arguments"), tool.params
		}
	}
	return m
}

// watch ends a request at its timeout, until the returned function is called.
func (x *connection) watch(p *pending, cancel context.CancelCauseFunc) (stop func()) {
	var mu sync.Mutex // guards timer, which its own function resets
	var timer *time.Timer
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(p.clock.left(x), func() {
		if left := p.clock.left(x); left > 0 {
			mu.Lock()
			defer mu.Unlock()
			timer.Reset(left)
			return
		}
		cancel(p.clock.over())
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		timer.Stop()
	}
}

// cancelHTTP notifies a server with sessions that the request was given up. From 2026-07-28 on,
// closing the response does that.
func (x *connection) cancelHTTP(p *pending, why error) {
	revision := x.revision.Load()
	if revision == nil || revision.PerRequest || p.method == protocol.Initialize.String() || x.isGone() {
		return
	}
	params := cancelParams(p, why)
	x.client.spawn(func() {
		ctx, cancel := context.WithTimeoutCause(x.ctx, x.client.limits.CloseTime, ErrTimeout)
		defer cancel()
		// A lost server needs no cancellation.
		_ = x.requester.Send(ctx, &dial.Message{
			Data: jsonrpc.AppendNotification(nil, protocol.Cancelled, params), Method: protocol.Cancelled, Revision: revision,
		}, nil)
	})
}

// listenTime bounds how long a connection waits until its event stream is open. Some servers send
// the header of the response only with the first event.
const listenTime = 500 * time.Millisecond

// startListening opens the stream for messages that belong to no request, and waits until the
// server has opened it: some servers drop messages that they send before, such as the question of a
// call that arrives before the GET.
func (x *connection) startListening(ctx context.Context) {
	ctx, begun := context.WithTimeout(ctx, listenTime)
	defer begun()
	x.client.spawn(func() {
		defer begun()
		x.listenHTTP(begun)
	})
	select {
	case <-ctx.Done():
	case <-x.ctx.Done():
	}
}

// listenHTTP receives the messages of a session that belong to no request. It calls begun when the
// stream is open for the first time.
func (x *connection) listenHTTP(begun func()) {
	opened := func(resumed bool) {
		if x.streams++; x.streams == 1 {
			begun()
		} else if !resumed {
			x.missed()
		}
	}
	err := x.requester.Listen(x.ctx, opened, func(data []byte) { x.receive(data, nil) })
	if s, ok := err.(*dial.Status); ok && s.Status == 404 && x.streams == 0 {
		// The server has no such stream, or does not know the session. The next request shows
		// which.
		begun()
		if _, err = x.request(x.ctx, &Request{Method: protocol.Ping.String(), options: x.client.apply(nil)}); !isSessionLost(err) {
			return
		}
	}
	switch {
	case err == nil || x.ctx.Err() != nil:
	case isSessionLost(err):
		x.replace(err)
	default:
		x.client.log.Warn("mcpclient: the event stream of the session has ended", "server", x.client.target.Name(), "error", err)
	}
}

// missed renews the subscriptions of a session whose event stream was closed for a while, since
// messages of the server were lost in that time.
func (x *connection) missed() {
	c := x.client
	c.results.lost()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.gaps++; !x.renewing {
		x.renewing = true
		c.spawn(x.renewSubscriptions)
	}
}

// renewSubscriptions renews until no further gap occurs. A server may end each stream at once, so
// the pauses grow until a stream lasts.
func (x *connection) renewSubscriptions() {
	c := x.client
	x.mu.Lock()
	if time.Since(x.renewed) >= c.retry.Max {
		x.renewals = 0
	}
	x.mu.Unlock()
	for {
		x.mu.Lock()
		gaps := x.gaps
		x.mu.Unlock()
		if x.renewals++; x.renewals > 1 && sleep(x.ctx, c.ctx, c.retry.backoff(x.renewals-1, 0)) != nil {
			return
		}
		c.mu.Lock()
		subs := slices.Clone(c.subs)
		c.mu.Unlock()
		failed := false
		for _, s := range subs {
			if !s.hasBegun(x) { // it is begun after the gap
				continue
			}
			err := s.begin(x.ctx, x)
			if isRefusal(err) {
				s.finish(c.wrap(protocol.ResourcesSubscribe.String(), err))
			} else if err != nil {
				failed = true
			}
		}
		x.mu.Lock()
		x.renewed = time.Now()
		if x.renewing = failed || x.gaps > gaps; !x.renewing {
			x.mu.Unlock()
			return
		}
		x.mu.Unlock()
	}
}

func isSessionLost(err error) bool {
	_, ok := errors.AsType[*dial.SessionLost](err)
	return ok
}
