package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Watch receives notifications of changes.
type Watch struct {
	client  *Client
	filter  mcpclient.Filter
	id      string                    // of the listen; "" in a session
	listen  *Running[json.RawMessage] // nil in a session
	acked   chan mcpclient.Filter
	closing sync.Once

	mu     sync.Mutex
	queue  []mcpclient.Change
	more   chan struct{} // has an element if the queue may not be empty
	ended  chan struct{}
	reason error
}

// Watch starts watching: in a session it subscribes to the resources, since list changes are always
// sent there, and from revision 2026-07-28 on it sends subscriptions/listen. It fails the test if
// the server does not accept the whole filter. The watch ends with the test, or with [Watch.Close].
func (c *Client) Watch(filter mcpclient.Filter) *Watch {
	c.t.Helper()
	w := &Watch{
		client: c, filter: filter, acked: make(chan mcpclient.Filter, 1),
		more: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	if !c.revision.PerRequest {
		c.mu.Lock()
		c.watches = append(c.watches, w)
		c.mu.Unlock()
		for _, uri := range filter.URIs {
			c.subscribe(uri, 1)
		}
		return w
	}
	params, err := objectOf(map[string]any{"notifications": wireFilter(filter)})
	if err != nil {
		c.t.Fatalf("mcptest: watch: %v", err)
	}
	method := protocol.Listen.String()
	q, options := c.newRequest(method, nil)
	q.entered = func(id string) {
		w.id = id
		c.watches = append(c.watches, w)
	}
	options = append(options, mcpclient.WithTimeout(forever), mcpclient.WithMaxTime(forever))
	w.listen = start(c, method, q, func(ctx context.Context) (*json.RawMessage, error) {
		result, err := c.once(ctx, method, params, options)
		return &result, err
	})
	timer := time.NewTimer(c.options.Timeout)
	defer timer.Stop()
	select {
	case accepted := <-w.acked:
		if what := missing(filter, accepted); what != "" {
			c.t.Fatalf("mcptest: the server does not send notifications of %s", what)
		}
	case <-w.listen.done:
		var result json.RawMessage
		if w.listen.result != nil {
			result = *w.listen.result
		}
		c.t.Fatalf("mcptest: %s ended at once: %v %s", protocol.Listen, w.listen.err, string(result))
	case <-c.gone:
		c.t.Fatalf("mcptest: %s: %v", protocol.Listen, c.failure)
	case <-timer.C:
		c.t.Fatalf("mcptest: %s: no acknowledgement within %v", protocol.Listen, c.options.Timeout)
	}
	if !c.enter() {
		return w
	}
	go func() {
		defer c.background.Done()
		select {
		case <-w.listen.done:
			w.end(errEnded)
		case <-c.gone:
		}
	}()
	return w
}

// forever is the maximum duration of a watch.
const forever = 100 * 365 * 24 * time.Hour

var (
	errEnded       = errors.New("the server has ended the subscription")
	errWatchClosed = errors.New("the watch is closed")
)

// wireFilter is the JSON form of a Filter.
type wireFilter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

// missing returns the name of a part of f that the other filter lacks.
func missing(f, other mcpclient.Filter) string {
	switch {
	case f.Tools && !other.Tools:
		return "changes of the list of tools"
	case f.Prompts && !other.Prompts:
		return "changes of the list of prompts"
	case f.Resources && !other.Resources:
		return "changes of the list of resources"
	}
	for _, uri := range f.URIs {
		if !slices.Contains(other.URIs, uri) {
			return "changes of " + uri
		}
	}
	return ""
}

// subscribe counts the watches of a session that include a resource. It subscribes for the first
// one and unsubscribes after the last one.
func (c *Client) subscribe(uri string, n int) {
	c.t.Helper()
	c.mu.Lock()
	before := c.uris[uri]
	c.uris[uri] += n
	after := c.uris[uri]
	c.mu.Unlock()
	switch {
	case before == 0 && after > 0:
		c.must(protocol.ResourcesSubscribe.String(), map[string]any{"uri": uri}, nil)
	case before > 0 && after == 0:
		c.must(protocol.ResourcesUnsubscribe.String(), map[string]any{"uri": uri}, nil)
	}
}

// changed passes a notification to the watches that select it. The underlying client reports an
// unreadable one.
func (c *Client) changed(method string, params json.RawMessage) {
	var p struct {
		URI  string                     `json:"uri"`
		Meta map[string]json.RawMessage `json:"_meta"`
		Ack  wireFilter                 `json:"notifications"`
	}
	if params != nil && read(params, &p) != nil {
		return
	}
	id := string(p.Meta[protocol.MetaSubscription])
	c.mu.Lock()
	watches := slices.Clone(c.watches)
	c.mu.Unlock()
	for _, w := range watches {
		switch {
		case w.id != id:
		case method == protocol.Acknowledged:
			select {
			case w.acked <- mcpclient.Filter(p.Ack):
			default: // already queued
			}
		// The server filters the notifications of a listen; a session receives all of them.
		case id != "" || w.matches(method):
			w.add(mcpclient.Change{Method: method, URI: p.URI})
		}
	}
}

func (w *Watch) matches(method string) bool {
	switch method {
	case mcpclient.ToolsChanged:
		return w.filter.Tools
	case mcpclient.PromptsChanged:
		return w.filter.Prompts
	case mcpclient.ResourcesChanged:
		return w.filter.Resources
	}
	return len(w.filter.URIs) > 0
}

func (w *Watch) add(change mcpclient.Change) {
	w.mu.Lock()
	w.queue = append(w.queue, change)
	w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *Watch) take() (mcpclient.Change, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return mcpclient.Change{}, false
	}
	change := w.queue[0]
	w.queue = w.queue[1:]
	return change, true
}

// end ends the watch with a reason.
func (w *Watch) end(reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reason == nil {
		w.reason = reason
		close(w.ended)
	}
}

// Next waits for the next change. It fails the test if no change arrives within Options.Timeout.
func (w *Watch) Next() mcpclient.Change {
	w.client.t.Helper()
	timer := time.NewTimer(w.client.options.Timeout)
	defer timer.Stop()
	for {
		if change, ok := w.take(); ok {
			return change
		}
		select {
		case <-w.more:
		case <-w.ended:
			if change, ok := w.take(); ok {
				return change
			}
			w.client.t.Fatalf("mcptest: the watch has ended: %v", w.reason)
		case <-timer.C:
			w.client.t.Fatalf("mcptest: no change within %v", w.client.options.Timeout)
		}
	}
}

// Changes returns the changes that Next has not returned yet, including all changes before the
// call. To ensure that, it sends the server a request and waits for the reply.
func (w *Watch) Changes() []mcpclient.Change {
	w.client.t.Helper()
	if w.client.revision.PerRequest {
		w.client.must(protocol.Discover.String(), nil, nil)
	} else {
		w.client.must(protocol.Ping.String(), nil, nil)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	changes := w.queue
	w.queue = nil
	return changes
}

// Close ends the watch.
func (w *Watch) Close() {
	w.client.t.Helper()
	w.closing.Do(func() {
		c := w.client
		c.mu.Lock()
		c.watches = slices.DeleteFunc(c.watches, func(other *Watch) bool { return other == w })
		c.mu.Unlock()
		w.end(errWatchClosed)
		if w.listen != nil {
			w.listen.Cancel("")
		} else {
			for _, uri := range w.filter.URIs {
				c.subscribe(uri, -1)
			}
		}
	})
}
