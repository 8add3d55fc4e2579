package mcp

import (
	"container/list"
	"context"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// topic is a kind of change that clients want to hear of.
type topic int

// The lists that change.
const (
	toolsChanged topic = iota
	promptsChanged
	resourcesChanged
	topics
)

var listChanged = [topics]string{protocol.ToolsListChanged, protocol.PromptsListChanged, protocol.ResourcesListChanged}

// topicOf is what changes when features of a shelf come and go.
var topicOf = [setCount]topic{
	toolSet: toolsChanged, resourceSet: resourcesChanged, templateSet: resourcesChanged, promptSet: promptsChanged,
}

// ResourceUpdated tells the clients that have subscribed to the resource that it
// has changed. That may also be a part of one that they have subscribed to: of
// file:///docs/ the part file:///docs/a.txt. It waits for no client; one that
// reads slowly gets one message for several changes. A client to which
// [WithVisible] does not show the resource gets none.
func (s *Server) ResourceUpdated(uri string) {
	if !s.isNotifiable(uri) {
		return
	}
	if s.visible == nil {
		s.subscribers.each(func(sub *subscriber) { sub.updated(uri) })
		return
	}
	// The filter is the user's code: it is called without a lock.
	for _, sub := range s.subscribers.matching(uri) {
		if s.mayNotify(sub, uri) {
			sub.updated(uri)
		}
	}
}

// audience are the subscribers of a server, on all of its connections, in the
// order in which they have come.
type subscribers struct {
	mu   sync.RWMutex
	subs list.List
}

func (a *subscribers) add(sub *subscriber) {
	a.mu.Lock()
	defer a.mu.Unlock()
	sub.element = a.subs.PushBack(sub)
}

func (a *subscribers) remove(sub *subscriber) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if sub.element != nil {
		a.subs.Remove(sub.element)
		sub.element = nil
	}
}

func (a *subscribers) each(f func(*subscriber)) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for seat := a.subs.Front(); seat != nil; seat = seat.Next() {
		f(seat.Value.(*subscriber))
	}
}

// of returns the subscribers that a resource belongs to a subscription of.
func (a *subscribers) matching(uri string) (subs []*subscriber) {
	a.each(func(sub *subscriber) {
		sub.mu.Lock()
		defer sub.mu.Unlock()
		if sub.matches(uri) != "" {
			subs = append(subs, sub)
		}
	})
	return subs
}

// subscriber hears of changes: a session, or a listen. What it is told never waits
// for its client. Where there is no room, it is kept, each change once, until
// there is.
type subscriber struct {
	out sink
	// send queues a message, unless it is too late for it.
	send    func(message []byte)
	id      []byte        // of the listen; nil for a session
	element *list.Element // in the audience; guarded by it

	mu           sync.Mutex
	lists        [topics]bool
	uris         map[string]struct{}
	request      context.Context // of the latest subscription, for [WithVisible]; nil without the option
	pendingLists [topics]bool
	pendingURIs  []string // late ones
	draining     bool     // a goroutine waits for room
}

// size is about what the subscriptions to resources take, in bytes.
func (sub *subscriber) size() (n int) {
	for uri := range sub.uris {
		n += subscriptionSize(uri)
	}
	return n
}

func (sub *subscriber) changed(t topic) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	switch {
	case !sub.lists[t]:
	case sub.draining || sub.out.Full():
		sub.pendingLists[t] = true
		sub.notifyLater()
	default:
		sub.notify(listChanged[t], "")
		sub.out.FlushAsync()
	}
}

func (sub *subscriber) updated(uri string) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	whole := sub.matches(uri)
	switch {
	case whole == "":
	case sub.draining || sub.out.Full():
		if len(sub.pendingURIs) >= 2*len(sub.uris) {
			uri = whole // of which there are not more than subscriptions
		}
		for _, late := range sub.pendingURIs {
			if late == uri {
				return
			}
		}
		sub.pendingURIs = append(sub.pendingURIs, uri)
		sub.notifyLater()
	default:
		sub.notify(protocol.ResourceUpdated, uri)
		sub.out.FlushAsync()
	}
}

// wants returns the subscription that a resource belongs to, "" if there is none.
func (sub *subscriber) matches(uri string) string {
	if len(sub.uris) == 0 {
		return ""
	}
	for part := uri; ; {
		for _, candidate := range [...]string{part, part + "/"} {
			if _, ok := sub.uris[candidate]; ok && strings.HasPrefix(uri+"/", candidate) {
				return candidate
			}
		}
		i := strings.LastIndexByte(part, '/')
		if i < 0 {
			return ""
		}
		part = part[:i]
	}
}

// tell sends one notification.
func (sub *subscriber) notify(method, uri string) {
	var params []byte
	if sub.id != nil {
		params = appendSubscription(append(params, '{'), sub.id)
	}
	if uri != "" {
		if params == nil {
			params = append(params, '{')
		} else {
			params = append(params, ',')
		}
		params = append(params, `"uri":`...)
		params = wire.AppendString(params, uri)
	}
	if params != nil {
		params = append(params, '}')
	}
	sub.send(jsonrpc.AppendNotification(nil, method, params))
}

// appendSubscription writes the _meta that every message of a listen has.
func appendSubscription(b, id []byte) []byte {
	b = append(b, `"_meta":{"`+protocol.MetaSubscription+`":`...)
	b = append(b, id...)
	return append(b, '}')
}

// tellLater has a goroutine send what is late as soon as there is room. It ends
// with the connection, which makes room by forgetting.
func (sub *subscriber) notifyLater() {
	if sub.draining {
		return
	}
	sub.draining = true
	go func() {
		for {
			sub.out.Wait()
			more := sub.drainPending()
			sub.out.Flush()
			if !more {
				return
			}
		}
	}()
}

// tellSome sends what is late while there is room. It reports false when nothing
// is left.
func (sub *subscriber) drainPending() bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	defer sub.out.FlushAsync()
	for t, late := range sub.pendingLists {
		if sub.out.Full() {
			return true
		}
		if late {
			sub.pendingLists[t] = false
			sub.notify(listChanged[t], "")
		}
	}
	for len(sub.pendingURIs) > 0 {
		if sub.out.Full() {
			return true
		}
		uri := sub.pendingURIs[0]
		sub.pendingURIs = sub.pendingURIs[1:]
		if sub.matches(uri) != "" {
			sub.notify(protocol.ResourceUpdated, uri)
		}
	}
	sub.pendingURIs, sub.draining = nil, false
	return false
}
