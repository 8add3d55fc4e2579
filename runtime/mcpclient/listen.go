package mcpclient

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// wireFilter is the JSON form of a Filter.
type wireFilter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

var filterFields = wire.Fields{
	{Name: "toolsListChanged"}, {Name: "promptsListChanged"}, {Name: "resourcesListChanged"}, {Name: "resourceSubscriptions"},
}

// read reads the JSON form of a filter.
func (f *Filter) read(raw []byte) error {
	d := wire.NewDecoder(raw, wire.Options{SkipUnknown: true})
	for o := d.Object(filterFields); o.Next(); {
		switch o.Name() {
		case "toolsListChanged":
			wire.Bool(d, &f.Tools)
		case "promptsListChanged":
			wire.Bool(d, &f.Prompts)
		case "resourcesListChanged":
			wire.Bool(d, &f.Resources)
		case "resourceSubscriptions":
			wire.Slice(d, &f.URIs, wire.String)
		}
	}
	return d.Finish()
}

// beginListen sends subscriptions/listen, whose reply arrives when the server ends it, and waits
// for the notification that begins it.
func (s *Subscription) beginListen(ctx context.Context, x *connection) error {
	c := s.client
	method := protocol.Listen.String()
	if need := (protocol.ServerCapability{Name: "resources", Member: "subscribe"}); len(s.filter.URIs) > 0 && c.testing == nil && !x.declares(need) {
		return &UnsupportedError{Target: c.target.Name(), Method: method, Capability: need.String(), Revision: x.revision.Load().Version}
	}
	params, err := object(map[string]any{"notifications": wireFilter(s.filter)}, "filter")
	if err != nil {
		return err
	}
	listen, cancel := context.WithCancelCause(x.ctx)
	p, err := x.enter(method, new(requestOptions))
	if err != nil {
		cancel(nil)
		return err
	}
	r := &Request{Method: method, Params: params, options: new(requestOptions)}
	message, err := x.appendRequest(nil, p, r)
	if err != nil {
		x.leave(p)
		cancel(nil)
		return err
	}
	l := &listening{sub: s, acknowledged: make(chan struct{})}
	x.mu.Lock()
	if x.listens == nil {
		x.listens = map[int64]*listening{}
	}
	x.listens[p.id] = l
	x.mu.Unlock()
	s.mu.Lock()
	s.since = time.Now()
	s.listen = func() { cancel(ErrClosed) }
	if s.err != nil { // it was closed in the meantime
		cancel(ErrClosed)
	}
	s.mu.Unlock()
	failed := make(chan error, 1)
	c.spawn(func() {
		err := x.runListen(listen, p, r, message)
		cancel(nil)
		if x.endListen(p.id, l, true) {
			s.again(x, err)
			return
		}
		failed <- err
	})
	ctx, done := context.WithTimeoutCause(ctx, c.limits.RequestTime, errListenTime)
	defer done()
	select {
	case <-l.acknowledged:
		return nil
	case err := <-failed:
		if err == nil {
			err = &dial.Violation{Text: "the listen ended without an acknowledgement"}
		}
		return err
	case <-ctx.Done():
		if x.endListen(p.id, l, false) {
			return nil // the acknowledgement has just arrived
		}
		cancel(context.Cause(ctx))
		return context.Cause(ctx)
	}
}

// listening is one subscriptions/listen.
type listening struct {
	sub          *Subscription
	acknowledged chan struct{}
	has, over    bool // acknowledged, or given up before; guarded by the connection's lock
}

// endListen removes a listen that was not acknowledged, or is over. It reports whether it was
// acknowledged: then the client begins it again, otherwise beginListen fails.
func (x *connection) endListen(id int64, l *listening, ended bool) (acknowledged bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	l.over = !l.has
	if ended || l.over {
		delete(x.listens, id)
	}
	return l.has
}

// runListen waits until the server ends a listen, or ctx is done.
func (x *connection) runListen(ctx context.Context, p *pending, r *Request, message []byte) error {
	if x.stream == nil {
		defer x.releaseIfIdle()
		defer x.leave(p)
		err := x.requester.Send(ctx, x.httpMessage(p, r, message), func(data []byte) bool {
			x.receive(data, p)
			_, done := x.take(p)
			return done
		})
		if _, done := x.take(p); done {
			return p.err
		}
		if ctx.Err() != nil {
			return x.listenEnd(ctx)
		}
		return err
	}
	x.out.add(message, p)
	for {
		select {
		case <-p.arrived:
			if _, done := x.take(p); done {
				return p.err
			}
		case <-ctx.Done():
			if x.leave(p) {
				x.cancel(p, context.Cause(ctx))
			}
			return x.listenEnd(ctx)
		}
	}
}

// listenEnd returns why a listen's context is done. The context also ends with the connection.
func (x *connection) listenEnd(ctx context.Context) error {
	if why := x.why(); why != nil {
		return &lost{sent: true, err: why}
	}
	return context.Cause(ctx)
}

// listenCancelled ends a listen that the server has cancelled. The notification may follow the
// result of the listen (basic/patterns/cancellation).
func (x *connection) listenCancelled(id int64, data []byte) {
	x.mu.Lock()
	p := x.waiting[id]
	switch {
	case p != nil && x.listens[id] != nil:
		delete(x.waiting, id)
		x.leftBehind(id)
		p.finish(nil, nil)
		x.mu.Unlock()
	case p == nil && id > 0 && id <= x.last:
		x.mu.Unlock()
	default:
		x.mu.Unlock()
		x.violation(nil, "a cancellation of what is not a subscription", data)
	}
}

// again begins a listen again after the server ended it, or after it was lost without the
// connection, as over HTTP.
func (s *Subscription) again(x *connection, why error) {
	c := s.client
	s.mu.Lock()
	over := s.err != nil
	if time.Since(s.since) >= c.retry.Max {
		s.short = 0
	}
	s.short++
	short := s.short
	s.mu.Unlock()
	switch {
	case over:
	case x.isGone() || c.ctx.Err() != nil: // the next connection begins it again
	case c.retry.Attempts > 1:
		go s.renew(x, short)
	default:
		if why == nil {
			why = errListenEnded
		}
		s.finish(c.wrap(protocol.Listen.String(), why))
	}
}

var errListenEnded = errors.New("the server has ended the subscription")

// acknowledge records the part of the filter that the server has accepted.
func (x *connection) acknowledge(l *listening, params *jsonrpc.Params, data []byte) {
	var f Filter
	if raw := params.Get("notifications"); raw != nil && f.read(raw) != nil {
		x.violation(nil, "an acknowledgement that cannot be read", data)
		return
	}
	l.sub.mu.Lock()
	l.sub.accepted = f
	l.sub.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if !l.has && !l.over {
		l.has = true
		close(l.acknowledged)
	}
}
