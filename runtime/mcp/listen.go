package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file answers subscriptions/listen (basic/patterns/subscriptions): a request that gets its
// reply when the subscription ends. [Server.listen] runs on the request goroutine, subscribes and
// acknowledges. Then the request is parked (parked.go), unless there are interceptors, which need
// its goroutine.

// subscriptionFilter is params.notifications of a listen.
type subscriptionFilter struct {
	lists [topics]bool
	uris  []string
	tasks []string // ids of the extension for tasks
}

var filterMembers = map[string]topic{
	"toolsListChanged": toolsChanged, "promptsListChanged": promptsChanged, "resourcesListChanged": resourcesChanged,
}

// readFilter reads params.notifications. It ignores members that are null, and unknown ones: those
// types are not supported.
func readFilter(p *jsonrpc.Params, most int) (f subscriptionFilter, e *jsonrpc.Error) {
	object := p.Get("notifications")
	if !jsonobject.Is(object) {
		return f, engine.InvalidParams("params.notifications must be an object")
	}
	jsonrpc.Members(object, func(name, value []byte) bool {
		if jsonobject.IsNull(value) {
			return true
		}
		if t, ok := filterMembers[string(name)]; ok {
			f.lists[t] = string(value) == "true"
			if !f.lists[t] && string(value) != "false" {
				e = engine.InvalidParams("params.notifications." + string(name) + " must be a boolean")
			}
		} else if string(name) == "resourceSubscriptions" {
			f.uris, e = readURIs(value, most)
		} else if string(name) == "taskIds" {
			f.tasks, e = readTaskIDs(value, most)
		}
		return e == nil
	})
	return f, e
}

func readURIs(array []byte, most int) (uris []string, e *jsonrpc.Error) {
	if array[0] != '[' {
		return nil, engine.InvalidParams("params.notifications.resourceSubscriptions must be an array")
	}
	jsonrpc.Elements(array, func(value []byte) bool {
		uri, ok := jsonrpc.String(value)
		switch {
		case !ok || len(uri) > maxURI:
			e = engine.InvalidParams("params.notifications.resourceSubscriptions must consist of URIs")
		case len(uris) == most:
			e = errTooManySubscriptions
		default:
			uris = append(uris, uritemplate.Encode(uri))
		}
		return e == nil
	})
	return uris, e
}

// listen answers subscriptions/listen. It acknowledges the notifications that will be sent. The
// listen ends when the client cancels it, without a reply, or when the server ends it, with one.
//
// It waits for the end only if there are interceptors, for which the request ends when listen
// returns.
func (s *Server) listen(ctx context.Context, req *Request) (Reply, error) {
	x := req.x
	sub, err := s.beginListen(ctx, x)
	if err != nil {
		return nil, err
	}
	if len(s.interceptors) == 0 {
		return &parkedListen{sub: sub}, nil
	}
	defer s.endListen(x, sub)
	defer x.PauseClock()()
	expired, stop := x.From.Expiry()
	defer stop()
	select {
	case <-ctx.Done():
	case <-x.conn.Ended:
	case <-expired:
	}
	x.EndByServer()
	return listenClosed{}, nil
}

// beginListen subscribes a listen and acknowledges it.
func (s *Server) beginListen(ctx context.Context, x *exchange) (*subscriber, error) {
	if !s.offersChanges() && s.tasks() == nil {
		return nil, protocolError(engine.NotFound(x.Method.String()))
	}
	filter, e := readFilter(x.Params(), s.limits.Subscriptions)
	if e != nil {
		return nil, protocolError(e)
	}
	sub := s.negotiateFilter(ctx, x, &filter)
	part := s.tasks()
	if part == nil {
		filter.tasks = nil
	} else if filter.tasks != nil {
		var err error
		if filter.tasks, err = part.listen(ctx, x, filter.tasks); err != nil {
			return nil, err
		}
	}
	sub.tasks = len(filter.tasks)
	if e := refusedAs(ctx, nil); e != nil {
		return nil, protocolError(e)
	}
	if e := x.conn.reserve(sub.count(), sub.size()); e != nil {
		return nil, protocolError(e)
	}
	cost := sub.size() + sub.tasks*watchCost
	if !s.settings.Memory.Take(cost) {
		x.conn.unreserve(sub.count(), sub.size())
		return nil, protocolError(engine.ErrOverloaded)
	}
	x.AddCharge(cost)
	// The lock is held until the acknowledgement is queued, so that no notification precedes it.
	sub.mu.Lock()
	defer sub.mu.Unlock()
	s.subscribers.add(sub)
	sub.send(filter.acknowledgement(sub.id), 0)
	x.Sink.FlushAsync()
	for _, id := range filter.tasks {
		go part.watch(ctx, x, sub, id)
	}
	return sub, nil
}

// endListen unsubscribes the listen.
func (s *Server) endListen(x *exchange, sub *subscriber) {
	s.subscribers.remove(sub)
	x.conn.unreserve(sub.count(), sub.size())
}

// negotiateFilter removes from the filter the notifications that the server does not offer, and
// returns the subscriber for the rest.
func (s *Server) negotiateFilter(ctx context.Context, x *exchange, f *subscriptionFilter) *subscriber {
	sub := &subscriber{out: x.Sink, id: append([]byte(nil), x.ID.Raw()...), uris: map[string]struct{}{}}
	sub.send = func(message []byte, _ uint64) { x.Notify(message) }
	if s.decides(&x.From) {
		sub.request = x
	}
	offered := s.offersListChanged()
	for t := range f.lists {
		f.lists[t] = f.lists[t] && offered[t]
	}
	sub.lists = f.lists
	honoured := f.uris[:0]
	for _, uri := range f.uris {
		normal := uritemplate.Normal(uri)
		if _, twice := sub.uris[normal]; !twice && !s.without.subscribe && s.findResource(ctx, uri) != nil {
			sub.uris[normal] = struct{}{}
			honoured = append(honoured, uri)
		}
	}
	f.uris = honoured
	return sub
}

// acknowledgement returns the first message of a listen.
func (f *subscriptionFilter) acknowledgement(id []byte) []byte {
	b := appendSubscription([]byte{'{'}, id)
	b = append(b, `,"notifications":{`...)
	start := len(b)
	for _, name := range [...]string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"} {
		if f.lists[filterMembers[name]] {
			b = append(jsonobject.Comma(b, start), '"')
			b = append(b, name...)
			b = append(b, `":true`...)
		}
	}
	if len(f.uris) > 0 {
		b = append(jsonobject.Comma(b, start), `"resourceSubscriptions":[`...)
		for i, uri := range f.uris {
			if i > 0 {
				b = append(b, ',')
			}
			b = wire.AppendString(b, uri)
		}
		b = append(b, ']')
	}
	if len(f.tasks) > 0 {
		b = append(jsonobject.Comma(b, start), `"taskIds":[`...)
		for i, id := range f.tasks {
			if i > 0 {
				b = append(b, ',')
			}
			b = wire.AppendString(b, id)
		}
		b = append(b, ']')
	}
	b = append(b, "}}"...)
	return jsonrpc.AppendNotification(nil, protocol.Acknowledged, b)
}

// listenClosed is the result of a listen that the server ends.
type listenClosed struct{}

func (listenClosed) weight() int { return 0 }
func (listenClosed) least() int  { return 0 }

func (listenClosed) appendTo(b []byte, r *rendering) []byte {
	b = append(b, `{"resultType":"complete","_meta":{"`+protocol.MetaServerInfo+`":`...)
	b = append(b, r.by.identity[r.revision.Index()]...)
	b = append(b, `,"`+protocol.MetaSubscription+`":`...)
	b = append(b, r.id.Raw()...)
	return append(b, "}}"...)
}
