package mcp

import (
	"container/list"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file notifies clients of changes, on the goroutine that changes something
// ([Server.Register], [Server.ResourceUpdated]). This goroutine does not wait for clients: if the
// queue of a client is full, its subscriber stores the notifications, and starts a goroutine that
// sends them once there is room. The list of subscribers and each subscriber have locks.

// subscribers are the subscribers of a server, on all of its connections, in the order in which
// they were added.
type subscribers struct {
	mu       sync.RWMutex
	subs     list.List
	watchers map[*watcher]struct{}
}

// watcher calls a function after each change of a list.
type watcher struct{ changed func() }

// watch calls changed after each change of a list, until stop is called.
func (l *subscribers) watch(changed func()) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &watcher{changed}
	if l.watchers == nil {
		l.watchers = map[*watcher]struct{}{}
	}
	l.watchers[w] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers, w)
	}
}

func (l *subscribers) callWatchers() {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for w := range l.watchers {
		w.changed()
	}
}

func (l *subscribers) add(sub *subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sub.element = l.subs.PushBack(sub)
}

func (l *subscribers) remove(sub *subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sub.element != nil {
		l.subs.Remove(sub.element)
		sub.element = nil
	}
}

func (l *subscribers) each(f func(*subscriber)) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for e := l.subs.Front(); e != nil; e = e.Next() {
		f(e.Value.(*subscriber))
	}
}

// matching returns the subscribers with a subscription that the resource belongs to.
func (l *subscribers) matching(uri string) (subs []*subscriber) {
	l.each(func(sub *subscriber) {
		sub.mu.Lock()
		defer sub.mu.Unlock()
		if sub.matches(uri) != "" {
			subs = append(subs, sub)
		}
	})
	return subs
}

// subscriber is a session or a listen that gets notifications of changes. If the queue of its
// client is full, it stores each change once until there is room.
type subscriber struct {
	out engine.Sink
	// send queues a message, unless the listen or the connection is closed. number is the number of
	// its notice (notices.go), or 0: a client that resumes after this message must have got all
	// notices before.
	send    func(message []byte, number uint64)
	id      []byte        // id of the listen; nil for a session
	session *conn         // connection of the session; nil for a listen
	element *list.Element // in the list of subscribers, guarded by the lock of the list

	mu           sync.Mutex
	lists        [topics]bool
	uris         map[string]struct{} // in normal form
	tasks        int                 // tasks that a listen watches, each in its own goroutine
	request      *exchange           // the listen, or the session's latest subscription; nil if all see the same features
	pendingLists [topics]bool
	pendingURIs  []string // resources whose notification is not sent yet
	draining     bool     // a goroutine waits for room to send the pending notifications
}

// count returns the number of subscriptions to resources and tasks.
func (sub *subscriber) count() int { return len(sub.uris) + sub.tasks }

// size estimates the bytes of the subscriptions to resources.
func (sub *subscriber) size() (n int) {
	for uri := range sub.uris {
		n += subscriptionSize(uri)
	}
	return n
}

// changed notifies the client of a change of a list. number is the number of its notice, or 0
// without one.
func (sub *subscriber) changed(t topic, number uint64) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	switch {
	case !sub.lists[t]:
	case sub.draining || sub.out.Full():
		sub.pendingLists[t] = true
		sub.notifyLater()
	default:
		sub.notify(listChanged[t], "", number)
		sub.out.FlushAsync()
	}
}

// updated is like changed for a resource.
func (sub *subscriber) updated(uri string, number uint64) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	whole := sub.matches(uri)
	switch {
	case whole == "":
	case sub.draining || sub.out.Full():
		if len(sub.pendingURIs) >= 2*len(sub.uris) {
			uri = whole // so that the pending URIs are at most as many as the subscriptions
		}
		for _, pending := range sub.pendingURIs {
			if pending == uri {
				return
			}
		}
		sub.pendingURIs = append(sub.pendingURIs, uri)
		sub.notifyLater()
	default:
		sub.notify(protocol.ResourceUpdated, uri, number)
		sub.out.FlushAsync()
	}
}

// subscribed returns the URIs of the subscriptions.
func (sub *subscriber) subscribed() []string {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	return slices.Collect(maps.Keys(sub.uris))
}

// matches returns the subscription that a resource belongs to, or "".
func (sub *subscriber) matches(uri string) string {
	if len(sub.uris) == 0 {
		return ""
	}
	for part := uritemplate.Normal(uri); ; {
		for _, candidate := range [...]string{part, part + "/"} {
			if _, ok := sub.uris[candidate]; ok {
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

// notify sends one notification.
func (sub *subscriber) notify(method, uri string, number uint64) {
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
	sub.send(jsonrpc.AppendNotification(nil, method, params), number)
}

// appendSubscription writes the _meta that every message of a listen contains.
func appendSubscription(b, id []byte) []byte {
	b = append(b, `"_meta":{"`+protocol.MetaSubscription+`":`...)
	b = append(b, id...)
	return append(b, '}')
}

// notifyLater starts a goroutine that sends pending notifications as soon as there is room. It ends
// with the connection: the queue then drops messages, and so has room.
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

// drainPending sends pending notifications while there is room. It reports whether some are left.
func (sub *subscriber) drainPending() bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	defer sub.out.FlushAsync()
	for t, pending := range sub.pendingLists {
		if sub.out.Full() {
			return true
		}
		if pending {
			sub.pendingLists[t] = false
			sub.notify(listChanged[t], "", 0)
		}
	}
	for len(sub.pendingURIs) > 0 {
		if sub.out.Full() {
			return true
		}
		uri := sub.pendingURIs[0]
		sub.pendingURIs = sub.pendingURIs[1:]
		if sub.matches(uri) != "" {
			sub.notify(protocol.ResourceUpdated, uri, 0)
		}
	}
	sub.pendingURIs, sub.draining = nil, false
	return false
}
