package gosdk

import (
	"context"
	encoding "encoding/json"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// listener is the client of a subscriptions/listen to a mount. It implements bridge.Client.
type listener struct {
	host     *host
	accepted chan []string // gets the acknowledged URIs
}

// Notify passes on that a resource has changed.
func (l *listener) Notify(_ context.Context, method string, params encoding.RawMessage) {
	switch method {
	case protocol.Acknowledged:
		var p struct {
			Notifications struct{ ResourceSubscriptions []string }
		}
		_ = encoding.Unmarshal(params, &p) // without params, no URI is accepted
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

// updateDelay is the time for which updates of a resource are collected: each session that has
// subscribed reports the same one.
const updateDelay = 10 * time.Millisecond

// updates contains the resources whose changes the SDK's server will report soon.
type updates struct {
	host    *host
	mu      sync.Mutex
	pending map[string]struct{}
}

// add schedules a single report that a resource has changed.
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
