package gosdk

import (
	"context"
	encoding "encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Subscribable returns a copy of the options of a server with functions for subscriptions that let
// every client subscribe, unless the options have such functions. Without them a server of the SDK has
// no subscriptions to resources, and nothing can add them later. Options may be nil.
func Subscribable(options *sdk.ServerOptions) *sdk.ServerOptions {
	o := sdk.ServerOptions{}
	if options != nil {
		o = *options
	}
	if o.SubscribeHandler == nil {
		o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
		o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
	}
	return &o
}

// subscribe subscribes the session of the mount too, which checks that the caller may see the
// resource, and learns of its changes.
func (h *host) subscribe(ctx context.Context, method string, req *sdk.SubscribeRequest, mounts []*mount) (sdk.Result, error) {
	params := uriParams(req.Params.URI)
	from := originOf(req.Session, req.Params.GetMeta(), req.Extra)
	var done []*mount
	undo := func() {
		for _, m := range done {
			_, _ = m.call(context.WithoutCancel(ctx), from, protocol.ResourcesUnsubscribe, params, nil)
		}
	}
	for _, m := range mounts {
		if !m.owns(req.Params.URI) {
			continue
		}
		if _, err := m.call(ctx, from, protocol.ResourcesSubscribe, params, nil); err != nil {
			undo()
			return nil, err
		}
		done = append(done, m)
	}
	result, err := h.next(ctx, method, req)
	if err != nil {
		undo()
	}
	return result, err
}

func (h *host) unsubscribe(ctx context.Context, method string, req *sdk.UnsubscribeRequest, mounts []*mount) (sdk.Result, error) {
	result, err := h.next(ctx, method, req)
	if err != nil {
		return result, err
	}
	from := originOf(req.Session, req.Params.GetMeta(), req.Extra)
	for _, m := range mounts {
		if m.owns(req.Params.URI) {
			_, _ = m.call(ctx, from, protocol.ResourcesUnsubscribe, uriParams(req.Params.URI), nil)
		}
	}
	return result, nil
}

func uriParams(uri string) []byte { return append(wire.AppendString([]byte(`{"uri":`), uri), '}') }

// listen listens to the mounts too, while the client listens. Resources of a mount that the caller
// may not see are left out.
func (h *host) listen(ctx context.Context, method string, req *sdk.SubscriptionsListenRequest, mounts []*mount) (sdk.Result, error) {
	wanted := req.Params.Notifications
	if wanted == nil || len(wanted.ResourceSubscriptions) == 0 {
		return h.next(ctx, method, req)
	}
	listening, stop := context.WithCancel(ctx)
	var ended sync.WaitGroup
	defer ended.Wait()
	defer stop()
	from := originOf(req.Session, req.Params.GetMeta(), req.Extra)
	allowed := slices.DeleteFunc(slices.Clone(wanted.ResourceSubscriptions), func(uri string) bool {
		return slices.ContainsFunc(mounts, func(m *mount) bool { return m.owns(uri) })
	})
	for _, m := range mounts {
		own := slices.DeleteFunc(slices.Clone(wanted.ResourceSubscriptions), func(uri string) bool { return !m.owns(uri) })
		if len(own) == 0 {
			continue
		}
		params, err := encoding.Marshal(map[string]any{
			"_meta": from.meta, "notifications": map[string]any{"resourceSubscriptions": own},
		})
		if err != nil {
			return nil, fmt.Errorf("write params: %w", err)
		}
		l := &listener{host: h, accepted: make(chan []string, 1)}
		failed := make(chan error, 1)
		ended.Go(func() {
			_, err := m.call(listening, from, protocol.Listen, params, l)
			failed <- err
		})
		select {
		case uris := <-l.accepted:
			allowed = append(allowed, uris...)
		case err := <-failed:
			if err != nil {
				return nil, err
			}
		}
	}
	params, notifications := *req.Params, *wanted
	notifications.ResourceSubscriptions = allowed
	params.Notifications = &notifications
	return h.next(ctx, method, &sdk.SubscriptionsListenRequest{Session: req.Session, Params: &params, Extra: req.Extra})
}

// listener is the client of a subscriptions/listen to a mount. It implements bridge.Client.
type listener struct {
	host     *host
	accepted chan []string // gets the URIs of the acknowledgement
}

// Notify passes on that a resource has changed.
func (l *listener) Notify(_ context.Context, method string, params encoding.RawMessage) {
	switch method {
	case protocol.Acknowledged:
		var p struct {
			Notifications struct{ ResourceSubscriptions []string }
		}
		_ = encoding.Unmarshal(params, &p) // without them none is accepted
		select {
		case l.accepted <- p.Notifications.ResourceSubscriptions:
		default:
		}
	case protocol.ResourceUpdated:
		if uri := uriOf(params); uri != "" {
			l.host.updates.add(uri)
		}
	}
}

// Ask is not called: a listen asks nothing.
func (l *listener) Ask(context.Context, string, encoding.RawMessage) (encoding.RawMessage, error) {
	return nil, fmt.Errorf("a listen has no questions")
}

// updateDelay is how long updates of a resource are collected: each session that has subscribed
// reports the same one.
const updateDelay = 10 * time.Millisecond

// updates are the resources whose changes the SDK's server is about to report.
type updates struct {
	host    *host
	mu      sync.Mutex
	pending map[string]struct{}
}

// add reports that a resource has changed, soon and once.
func (u *updates) add(uri string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.pending[uri]; ok {
		return
	}
	if u.pending == nil {
		u.pending = map[string]struct{}{}
	}
	u.pending[uri] = struct{}{}
	time.AfterFunc(updateDelay, func() {
		u.mu.Lock()
		delete(u.pending, uri)
		u.mu.Unlock()
		_ = u.host.server.ResourceUpdated(context.Background(), &sdk.ResourceUpdatedNotificationParams{URI: uri})
	})
}
