package mcpclient

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Subscription receives changes of lists and resources. The client renews it after every loss of
// the connection, and then reports everything that it selects as changed, since it may have missed
// changes.
type Subscription struct {
	client *Client
	filter Filter

	mu       sync.Mutex
	accepted Filter
	// subscribed are the URIs that the server may have accepted in the newest session.
	subscribed []string
	queue      []Change // each at most once
	more       chan struct{}
	ended      chan struct{}
	err        error
	listen     context.CancelFunc // ends the listen request; nil in a session
	conn       *connection        // on which it has begun; nil before that
	since      time.Time          // when a listen has begun
	short      int                // number of consecutive short listens
}

// Subscribe watches the selection of the filter: in a session by resources/subscribe, since servers
// send changes of lists there anyway; in a revision without sessions by subscriptions/listen. The
// server may accept less: see [Subscription.Acknowledged]. ctx limits only the beginning.
func (c *Client) Subscribe(ctx context.Context, filter Filter) (*Subscription, error) {
	filter.URIs = slices.Clone(filter.URIs)
	s := &Subscription{client: c, filter: filter, more: make(chan struct{}, 1), ended: make(chan struct{})}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, c.err
	}
	c.subs = append(c.subs, s)
	c.mu.Unlock()
	if err := s.start(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// start begins the subscription for the first time. It tries again like any request that may run
// twice.
func (s *Subscription) start(ctx context.Context) error {
	c := s.client
	r := &Request{Method: protocol.Listen.String(), options: new(requestOptions)}
	var done progressOfAttempts
	for attempt := 1; ; attempt++ {
		x, err := c.connected(ctx)
		if err != nil {
			return c.wrap(r.Method, err)
		}
		if !x.has(protocol.Listen) {
			r.Method = protocol.ResourcesSubscribe.String()
		}
		if s.hasBegun(x) {
			return nil
		}
		if err = s.begin(ctx, x); err == nil {
			if !x.isGone() || c.retry.Attempts <= 1 { // with one attempt, the loss ends the subscription
				return nil
			}
			continue // the next connection may have been opened before the subscription had begun
		}
		wait, again := c.again(ctx, x, r, err, attempt, &done)
		if ctx.Err() != nil || !again || attempt >= c.retry.Attempts || sleep(ctx, c.ctx, wait) != nil {
			return c.wrap(r.Method, err)
		}
	}
}

// hasBegun reports whether the subscription has begun on a connection.
func (s *Subscription) hasBegun(x *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn == x
}

// Acknowledged returns the part of the filter that the server has accepted.
func (s *Subscription) Acknowledged() Filter {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.accepted
	f.URIs = slices.Clone(f.URIs)
	return f
}

// Err returns why the subscription ended. It returns nil after Close, and while the subscription is
// active.
func (s *Subscription) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return reason(s.err)
}

// Close ends the subscription. It does not wait for the server.
func (s *Subscription) Close() error {
	c := s.client
	c.mu.Lock()
	c.subs = slices.DeleteFunc(c.subs, func(other *Subscription) bool { return other == s })
	used := map[string]bool{}
	for _, other := range c.subs {
		for _, uri := range other.filter.URIs {
			used[uri] = true
		}
	}
	x := c.current
	c.mu.Unlock()
	s.finish(ErrClosed)
	if x == nil || !x.has(protocol.ResourcesUnsubscribe) {
		return nil
	}
	s.mu.Lock()
	uris := slices.DeleteFunc(slices.Clone(s.subscribed), func(uri string) bool { return used[uri] })
	s.mu.Unlock()
	if len(uris) > 0 {
		c.spawn(func() {
			for _, uri := range uris {
				// Without unsubscribe, the server sends changes that nothing selects.
				_, _ = x.request(x.ctx, uriRequest(protocol.ResourcesUnsubscribe, uri, c.apply(nil)))
			}
		})
	}
	return nil
}

func uriRequest(m protocol.Method, uri string, o *requestOptions) *Request {
	return &Request{
		Method: m.String(), Name: uri, Params: append(addMember([]byte{'{'}, "uri", wire.AppendString(nil, uri)), '}'), options: o,
	}
}

// finish ends the subscription.
func (s *Subscription) finish(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = why
	close(s.ended)
	if s.listen != nil {
		s.listen()
	}
}

// begin begins the subscription on a connection, and waits for the server. One goroutine at a time
// calls it: first Subscribe, then the goroutines that renew it.
func (s *Subscription) begin(ctx context.Context, x *connection) error {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return nil
	}
	s.subscribed = nil
	s.mu.Unlock()
	var err error
	if x.has(protocol.Listen) {
		err = s.beginListen(ctx, x)
	} else {
		err = s.beginSession(ctx, x)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	renewed := s.conn != nil
	s.conn = x
	s.mu.Unlock()
	if renewed {
		s.addAll()
	}
	return nil
}

// restore begins the subscription on a new connection.
func (s *Subscription) restore(ctx context.Context, x *connection) {
	err := s.begin(ctx, x)
	switch {
	case err == nil, x.isGone():
	case isRefusal(err):
		s.finish(s.client.wrap(protocol.Listen.String(), err))
	default: // requests must not wait for it
		go s.renew(x, 1)
	}
}

// isRefusal reports whether a server will not accept a subscription later either.
func isRefusal(err error) bool {
	switch err.(type) {
	case *jsonrpc.Error, *UnsupportedError:
		return true
	}
	return false
}

// beginSession subscribes to the resources. Servers that declare changes of lists send them in
// every session.
func (s *Subscription) beginSession(ctx context.Context, x *connection) error {
	c := s.client
	accepted := Filter{
		Tools:     s.filter.Tools && x.declares(protocol.ServerCapability{Name: "tools", Member: "listChanged"}),
		Prompts:   s.filter.Prompts && x.declares(protocol.ServerCapability{Name: "prompts", Member: "listChanged"}),
		Resources: s.filter.Resources && x.declares(protocol.ServerCapability{Name: "resources", Member: "listChanged"}),
	}
	for _, uri := range s.filter.URIs {
		method := protocol.ResourcesSubscribe
		if err := c.supports(x, method.String()); err != nil {
			return err
		}
		_, err := x.request(ctx, uriRequest(method, uri, c.apply(nil)))
		if _, refused := err.(*jsonrpc.Error); !refused {
			s.mu.Lock()
			s.subscribed = append(s.subscribed, uri)
			s.mu.Unlock()
		}
		if err != nil {
			return err
		}
		accepted.URIs = append(accepted.URIs, uri)
	}
	s.mu.Lock()
	s.accepted = accepted
	s.mu.Unlock()
	if x.requester != nil {
		x.listenOnce.Do(func() { x.startListening(ctx) })
	}
	return nil
}

// renew begins the subscription again, after a delay that doubles. attempt counts from 1.
func (s *Subscription) renew(x *connection, attempt int) {
	c := s.client
	for ; ; attempt++ {
		if sleep(x.ctx, c.ctx, c.retry.backoff(attempt, 0)) != nil {
			return
		}
		select {
		case <-s.ended:
			return
		default:
		}
		err := s.begin(x.ctx, x)
		if err == nil || x.isGone() {
			return
		}
		if isRefusal(err) {
			s.finish(c.wrap(protocol.Listen.String(), err))
			return
		}
	}
}
