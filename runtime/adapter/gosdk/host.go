//lint:file-ignore SA1019 Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.

//nolint:staticcheck // Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.
package gosdk

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"weak"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// hosts contains the servers that have features of this package. A server owns its host through its
// middleware, and both can be collected together.
var hosts = struct {
	sync.Mutex
	of map[weak.Pointer[sdk.Server]]weak.Pointer[host]
}{of: map[weak.Pointer[sdk.Server]]weak.Pointer[host]{}}

// host is a server of the SDK.
type host struct {
	server *sdk.Server
	next   sdk.MethodHandler // the SDK, with the earlier middleware of the server
	// changing is held while features of mounts change.
	changing sync.Mutex
	updates  updates

	naming sync.Mutex // held while names changes
	names  *renaming  // the newest one; nil while no tool has another name

	mu       sync.RWMutex
	last     int64 // number of the latest mount
	mounts   []*mount
	sessions map[*sdk.ServerSession]*session
	options  hostOptions
	most     subscriptionLimits // the maximum of all mounts so far
}

// hostOf returns the host of a server. The host's middleware remains for the server's lifetime: the
// SDK cannot remove middleware, so one serves all mounts.
func hostOf(s *sdk.Server) *host {
	hosts.Lock()
	defer hosts.Unlock()
	key := weak.Make(s)
	if h := hosts.of[key].Value(); h != nil {
		return h
	}
	h := &host{server: s, sessions: map[*sdk.ServerSession]*session{}}
	h.updates.host = h
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		h.next = next
		return h.receive
	})
	hosts.of[key] = weak.Make(h)
	runtime.AddCleanup(s, func(key weak.Pointer[sdk.Server]) {
		hosts.Lock()
		defer hosts.Unlock()
		delete(hosts.of, key)
	}, key)
	return h
}

func (h *host) add(m *mount) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	m.number = h.last
	h.mounts = append(slices.Clip(h.mounts), m) // others read the old array
	l := m.bridge.Server().Limits()
	h.most = subscriptionLimits{max(h.most.count, l.Subscriptions), max(h.most.bytes, l.SubscriptionBytes)}
}

// remove removes a mount, and its part of each session.
func (h *host) remove(m *mount) {
	h.mu.Lock()
	h.mounts = slices.DeleteFunc(slices.Clone(h.mounts), func(other *mount) bool { return other == m })
	all := make([]*session, 0, len(h.sessions))
	for _, s := range h.sessions {
		all = append(all, s)
	}
	h.mu.Unlock()
	for _, s := range all {
		s.leave(m)
	}
}

// mounted returns the mounts. The slice must not be modified.
func (h *host) mounted() []*mount {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.mounts
}

// hasAlias reports whether a mount other than m has a tool with an alias.
func (h *host) hasAlias(m *mount, alias string) bool {
	return slices.ContainsFunc(h.mounted(), func(other *mount) bool {
		_, ok := other.canonical(alias)
		return ok && other != m
	})
}

// receive handles requests that the SDK's server cannot pass to a feature: lists, which depend on
// the caller; data for handlers in the options; and facts that sessions must record.
func (h *host) receive(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
	mounts := h.mounted()
	if slices.ContainsFunc(mounts, (*mount).hasOtherNames) {
		h.namesFirst()
	}
	switch req := req.(type) {
	case *sdk.CallToolRequest:
		return h.next(ctx, method, req)
	case *sdk.ListToolsRequest, *sdk.ListResourcesRequest, *sdk.ListResourceTemplatesRequest, *sdk.ListPromptsRequest:
		return h.list(ctx, method, req, mounts)
	case *sdk.CompleteRequest, *sdk.SubscribeRequest, *sdk.UnsubscribeRequest:
		return h.next((&pass{host: h}).in(ctx), method, req)
	case *sdk.SubscriptionsListenRequest:
		return h.listen(ctx, method, req)
	default:
		return h.receiveOther(ctx, method, req, mounts)
	}
}

// receiveOther handles messages whose types the SDK does not name.
func (h *host) receiveOther(ctx context.Context, method string, req sdk.Request, mounts []*mount) (sdk.Result, error) {
	result, err := h.next(ctx, method, req)
	if err != nil {
		return result, err
	}
	ss, _ := req.GetSession().(*sdk.ServerSession)
	switch r := result.(type) {
	case *sdk.InitializeResult:
		h.correct(r.Capabilities, mounts)
		if p, ok := req.GetParams().(*sdk.InitializeParams); ok && p.ProtocolVersion != r.ProtocolVersion && ss != nil {
			h.session(ss).setRevision(r.ProtocolVersion)
		}
	case *sdk.DiscoverResult:
		h.correct(r.Capabilities, mounts)
	}
	switch method {
	case protocol.SetLevel.String():
		if p, ok := req.GetParams().(*sdk.SetLoggingLevelParams); ok && ss != nil {
			h.session(ss).setLevel(ctx, string(p.Level))
		}
	case protocol.RootsListChanged:
		if ss != nil {
			h.session(ss).rootsChanged()
		}
	}
	return result, nil
}

// correct removes a capability that the SDK declares only because of a function of [Subscribable].
func (h *host) correct(c *sdk.ServerCapabilities, mounts []*mount) {
	h.mu.RLock()
	o := h.options
	h.mu.RUnlock()
	if c != nil && o.filledIn && !o.completes && !slices.ContainsFunc(mounts, (*mount).canComplete) {
		c.Completions = nil
	}
}
