package mcpclient

import (
	"iter"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// changed passes on a notification of a change.
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

// Changes iterates over the changes, and waits for the next one. It ends when the subscription or
// the client is closed; [Subscription.Err] returns the reason. Changes that arrive while the caller
// handles earlier ones are merged. Only one goroutine may iterate.
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

// maxChanges limits the queued changes. Beyond it the subscription reports everything that it
// selects.
const maxChanges = 1000

// add queues a change unless it is already queued.
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
