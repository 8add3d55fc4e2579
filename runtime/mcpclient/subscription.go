package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Subscription receives changes of lists and resources. It is renewed after every loss of the
// connection, and then reports everything that it selects as changed, since changes may have
// been missed.
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
	listen     context.CancelFunc // ends the request of a listen; nil in a session
	conn       *connection        // on which it has begun; nil before
	since      time.Time          // when a listen has begun
	short      int                // listens that were short, one after the other
}

// Subscribe watches what the filter selects: in a session by resources/subscribe, since
// changes of lists are always sent there; in a revision without sessions by
// subscriptions/listen. The server may accept less: see [Subscription.Acknowledged]. ctx
// bounds the beginning alone.
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

// start begins the subscription for the first time, and again like any request that may run
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
			continue // the next connection may have been opened before it had begun
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

// Acknowledged returns what the server has accepted of the filter.
func (s *Subscription) Acknowledged() Filter {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.accepted
	f.URIs = slices.Clone(f.URIs)
	return f
}

// Changes iterates over the changes, and waits for the next one. It ends when the
// subscription is closed, or the client; [Subscription.Err] says why. Changes that come
// while the last ones are handled are merged. Only one goroutine may iterate.
func (s *Subscription) Changes() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for {
			s.mu.Lock()
			if len(s.queue) > 0 {
				next := s.queue[0]
				s.queue = s.queue[1:]
				s.mu.Unlock()
				if !yield(next) {
					return
				}
				continue
			}
			s.mu.Unlock()
			select {
			case <-s.more:
			case <-s.ended:
				return
			}
		}
	}
}

// Err returns why the subscription has ended, nil after Close and while it has not.
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
				// A server that cannot unsubscribe sends changes that nothing selects.
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

// begin begins the subscription on a connection, and waits for the server. One goroutine at a
// time calls it: Subscribe, and after it has begun those that renew it.
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

// beginSession subscribes to the resources. Changes of lists are sent in every session whose
// server declares them.
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

// wireFilter is the JSON form of a Filter.
type wireFilter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

// beginListen sends subscriptions/listen, whose reply comes when the server ends it, and
// waits for the notification that begins it.
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
	if s.err != nil { // it was closed meanwhile
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
			return nil // the acknowledgement has just come
		}
		cancel(context.Cause(ctx))
		return context.Cause(ctx)
	}
}

// listening is one subscriptions/listen.
type listening struct {
	sub          *Subscription
	acknowledged chan struct{}
	has, over    bool // acknowledged, or given up before that; the lock of the connection guards them
}

// endListen forgets a listen that was not acknowledged, or has ended. It reports whether it was
// acknowledged: then it is begun again, otherwise beginListen fails.
func (x *connection) endListen(id int64, l *listening, ended bool) (acknowledged bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	l.over = !l.has
	if ended || l.over {
		delete(x.listens, id)
	}
	return l.has
}

// runListen waits until the server ends a listen, or ctx ends.
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

// listenEnd returns why the context of a listen has ended, which ends with the connection.
func (x *connection) listenEnd(ctx context.Context) error {
	if why := x.why(); why != nil {
		return &lost{sent: true, err: why}
	}
	return context.Cause(ctx)
}

// listenCancelled ends a listen that the server has cancelled. The notification may follow
// the result of the listen (basic/patterns/cancellation).
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

// again begins a listen again that the server has ended, or that was lost without the
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

// renew begins the subscription again, after a time that doubles. attempt counts from 1.
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

// changed passes a notification of a change on.
func (x *connection) changed(method string, params *jsonrpc.Params, data []byte) {
	uri := ""
	if method == protocol.ResourceUpdated {
		var ok bool
		if uri, ok = jsonrpc.String(params.Get("uri")); !ok {
			x.violation(nil, "an update of a resource without its URI", data)
			return
		}
	}
	c := x.client
	change := Change{Method: method, URI: uri}
	c.results.changed(change)
	if !x.revision.Load().PerRequest {
		if method == protocol.Acknowledged {
			x.violation(nil, "an acknowledgement, which the revision does not have", data)
			return
		}
		c.mu.Lock()
		subs := slices.Clone(c.subs)
		c.mu.Unlock()
		for _, s := range subs {
			s.add(change)
		}
		c.events.changed(change)
		return
	}
	var id int64
	jsonrpc.Members(params.Get("_meta"), func(name, value []byte) bool {
		if string(name) == protocol.MetaSubscription {
			raw, _ := jsonrpc.RawID(value)
			id = idOf(raw)
		}
		return true
	})
	x.mu.Lock()
	l, last := x.listens[id], x.last
	early := l != nil && !l.has && method != protocol.Acknowledged
	x.mu.Unlock()
	if l == nil {
		if id <= 0 || id > last {
			x.violation(nil, "a change for a subscription that does not exist", data)
		}
		return
	}
	if method == protocol.Acknowledged {
		x.acknowledge(l, params, data)
		return
	}
	if early {
		x.violation(nil, "a change before the acknowledgement of its subscription", data)
	}
	l.sub.add(change)
	c.events.changed(change)
}

// acknowledge notes what the server has accepted.
func (x *connection) acknowledge(l *listening, params *jsonrpc.Params, data []byte) {
	var f wireFilter
	if raw := params.Get("notifications"); raw != nil && json.Unmarshal(raw, &f) != nil {
		x.violation(nil, "an acknowledgement that cannot be read", data)
		return
	}
	l.sub.mu.Lock()
	l.sub.accepted = Filter(f)
	l.sub.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if !l.has && !l.over {
		l.has = true
		close(l.acknowledged)
	}
}

// selects reports whether a filter selects a change.
func (f Filter) selects(c Change) bool {
	switch c.Method {
	case ToolsChanged:
		return f.Tools
	case PromptsChanged:
		return f.Prompts
	case ResourcesChanged:
		return f.Resources
	}
	// The URI of an update may be below one that was subscribed to.
	return len(f.URIs) > 0
}

// maxChanges bounds the changes that wait: beyond it the subscription reports everything
// that it selects.
const maxChanges = 1000

// add queues a change, unless it waits already.
func (s *Subscription) add(change Change) {
	if !s.filter.selects(change) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) >= maxChanges || slices.Contains(s.queue, change) {
		return
	}
	s.queue = append(s.queue, change)
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// addAll reports everything as changed.
func (s *Subscription) addAll() {
	for _, c := range []Change{{Method: ToolsChanged}, {Method: PromptsChanged}, {Method: ResourcesChanged}} {
		s.add(c)
	}
	for _, uri := range s.filter.URIs {
		s.add(Change{Method: ResourceUpdated, URI: uri})
	}
}
