package gosdk

import (
	"context"
	encoding "encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file decides which clients may subscribe to which URIs, after the middleware of the SDK's
// server. A mount is notified of each subscription to its resources: it checks the caller, and
// reports changes.

var errNotMounted = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no package is mounted on the server, so nothing can be subscribed to"}

// subscribe is the SubscribeHandler. own is the program's handler, which may be nil.
func (p *pass) subscribe(ctx context.Context, req *sdk.SubscribeRequest, own subscribeHandler) error {
	if p == nil || !p.host.hasMounted() {
		if own != nil {
			return own(ctx, req)
		}
		return errNotMounted
	}
	s := p.host.session(req.Session)
	added, err := s.reserve(req.Params.URI)
	if err != nil {
		return err
	}
	undo, err := p.admit(ctx, req, own)
	if err == nil && own != nil {
		if err = own(ctx, req); err != nil && added {
			undo()
		}
	}
	if err != nil && added {
		s.release(req.Params.URI)
	}
	return err
}

// admit returns an error if a caller may not subscribe to a URI. Otherwise the mounts that own the
// URI know the subscription until undo is called.
func (p *pass) admit(ctx context.Context, req *sdk.SubscribeRequest, own subscribeHandler) (undo func(), err error) {
	undo = func() {}
	uri := req.Params.URI
	if p.listen != nil {
		return undo, p.listen.admit(ctx, req, own)
	}
	from := originOf(req.Session, req.Params.GetMeta(), req.Extra)
	var done []*mount
	undo = func() {
		for _, m := range done {
			_, _ = m.call(context.WithoutCancel(ctx), from, protocol.ResourcesUnsubscribe, uriParams(uri), nil)
		}
	}
	owners := p.host.ownersOf(uri)
	for _, m := range owners {
		if _, err := m.call(ctx, from, protocol.ResourcesSubscribe, uriParams(uri), nil); err != nil {
			undo()
			return nil, err
		}
		done = append(done, m)
	}
	if len(owners) == 0 && own == nil {
		isOwn, err := p.host.ownURIs(ctx, req.Session)
		if err != nil {
			return nil, err
		}
		if !isOwn(uri) {
			return nil, sdk.ResourceNotFoundError(uri)
		}
	}
	return undo, nil
}

// unsubscribe is the UnsubscribeHandler.
func (p *pass) unsubscribe(ctx context.Context, req *sdk.UnsubscribeRequest, own unsubscribeHandler) error {
	if own != nil {
		if err := own(ctx, req); err != nil {
			return err
		}
	}
	if p == nil {
		return nil
	}
	if p.listen == nil {
		from := originOf(req.Session, req.Params.GetMeta(), req.Extra)
		for _, m := range p.host.ownersOf(req.Params.URI) {
			_, _ = m.call(ctx, from, protocol.ResourcesUnsubscribe, uriParams(req.Params.URI), nil)
		}
	}
	p.host.session(req.Session).release(req.Params.URI)
	return nil
}

func uriParams(uri string) []byte { return append(wire.AppendString([]byte(`{"uri":`), uri), '}') }

// ownersOf returns the mounts that own a URI.
func (h *host) ownersOf(uri string) (owners []*mount) {
	for _, m := range h.mounted() {
		if m.owns(uri) {
			owners = append(owners, m)
		}
	}
	return owners
}

// maxURI limits the length of a URI, like mcpgen's server: matching takes time.
const maxURI = 8 << 10

// ownURIs returns a function that reports whether a URI belongs to a resource or template of the
// SDK's server that no mount has added.
func (h *host) ownURIs(ctx context.Context, session *sdk.ServerSession) (func(uri string) bool, error) {
	resources, err := listResources(ctx, session)
	if err != nil {
		return nil, err
	}
	templates, err := listTemplates(ctx, session)
	if err != nil {
		return nil, err
	}
	var patterns []*regexp.Regexp
	for text, template := range templates {
		if m, _ := ownerOf(h.mounted(), func(m *mount) *set[sdk.ResourceTemplate] { return &m.templates }, template); m != nil {
			continue
		}
		if t, err := uritemplate.New(text); err == nil { // like the SDK
			patterns = append(patterns, t.Regexp())
		}
	}
	return func(uri string) bool {
		return resources[uri] != nil || len(uri) <= maxURI && slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(uri) })
	}, nil
}

// listening is a subscriptions/listen. The SDK subscribes to its URIs one after the other.
type listening struct {
	host    *host
	ctx     context.Context // ends with the listen
	req     *sdk.SubscriptionsListenRequest
	begin   sync.Once
	ended   sync.WaitGroup
	allowed []string
	err     error
	leftOut atomic.Bool // a URI was refused
}

// listen handles subscriptions/listen. After the middleware, URIs that the caller may not see are
// refused; then the request continues without them, as the specification requires, in a second
// pass.
func (h *host) listen(ctx context.Context, method string, req *sdk.SubscriptionsListenRequest) (sdk.Result, error) {
	wanted := req.Params.Notifications
	if wanted == nil || len(wanted.ResourceSubscriptions) == 0 {
		return h.next(ctx, method, req)
	}
	l := &listening{host: h, req: req}
	defer l.ended.Wait()
	var stop context.CancelFunc
	l.ctx, stop = context.WithCancel(ctx)
	defer stop()
	ctx = (&pass{host: h, listen: l}).in(ctx)
	result, err := h.next(ctx, method, req)
	if err == nil || !l.leftOut.Load() {
		return result, err
	}
	params, notifications := *req.Params, *wanted
	notifications.ResourceSubscriptions = slices.DeleteFunc(slices.Clone(wanted.ResourceSubscriptions), func(uri string) bool {
		return !slices.Contains(l.allowed, uri)
	})
	params.Notifications = &notifications
	return h.next(ctx, method, &sdk.SubscriptionsListenRequest{Session: req.Session, Params: &params, Extra: req.Extra})
}

// admit returns an error for a URI of the listen that must be omitted. For the first URI, it begins
// to listen to the mounts.
func (l *listening) admit(ctx context.Context, req *sdk.SubscribeRequest, own subscribeHandler) error {
	l.begin.Do(func() { l.err = l.listen(ctx, own) })
	if l.err != nil {
		return l.err
	}
	if !slices.Contains(l.allowed, req.Params.URI) {
		l.leftOut.Store(true)
		return sdk.ResourceNotFoundError(req.Params.URI)
	}
	return nil
}

// listen listens to the mounts while the client listens, and determines the allowed URIs.
func (l *listening) listen(ctx context.Context, own subscribeHandler) error {
	uris := l.req.Params.Notifications.ResourceSubscriptions
	if !l.host.fit(uris) {
		return errTooManySubscriptions
	}
	isOwn := func(string) bool { return true }
	if own == nil {
		var err error
		if isOwn, err = l.host.ownURIs(ctx, l.req.Session); err != nil {
			return err
		}
	}
	from := originOf(l.req.Session, l.req.Params.GetMeta(), l.req.Extra)
	mounts := map[*mount][]string{}
	for _, uri := range uris {
		owners := l.host.ownersOf(uri)
		for _, m := range owners {
			mounts[m] = append(mounts[m], uri)
		}
		if len(owners) == 0 && isOwn(uri) {
			l.allowed = append(l.allowed, uri)
		}
	}
	for m, own := range mounts {
		params, err := encoding.Marshal(map[string]any{
			"_meta": from.meta, "notifications": map[string]any{"resourceSubscriptions": own},
		})
		if err != nil {
			return fmt.Errorf("write params: %w", err)
		}
		c := &listener{host: l.host, accepted: make(chan []string, 1)}
		failed := make(chan error, 1)
		l.ended.Go(func() {
			_, err := m.call(l.ctx, from, protocol.Listen, params, c)
			failed <- err
		})
		select {
		case accepted := <-c.accepted:
			l.allowed = append(l.allowed, accepted...)
		case err := <-failed:
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// subscriptionLimits limits the subscriptions of a session.
type subscriptionLimits struct{ count, bytes int }

// subscriptionSize is the approximate memory of the entry for a URI, as in mcpgen's server.
const subscriptionSize = 64

var errTooManySubscriptions = &jsonrpc.Error{
	Code: jsonrpc.CodeInternalError, Message: "too many subscriptions of this session, or their URIs are too long together",
	Data: []byte(`{"reason":"too many subscriptions"}`),
}

// hasMounted reports whether Mount was ever called.
func (h *host) hasMounted() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.last > 0
}

// fit reports whether a session may have subscriptions to these URIs.
func (h *host) fit(uris []string) bool {
	h.mu.RLock()
	most := h.most
	h.mu.RUnlock()
	size := 0
	for _, uri := range uris {
		size += len(uri) + subscriptionSize
	}
	return len(uris) <= most.count && size <= most.bytes
}

// reserve counts a subscription of the session. It returns an error if the limit is reached, and
// reports whether the subscription is new.
func (s *session) reserve(uri string) (added bool, err error) {
	s.host.mu.RLock()
	most := s.host.most
	s.host.mu.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.subscribed[uri]; there {
		return false, nil
	}
	size := len(uri) + subscriptionSize
	if len(s.subscribed) >= most.count || s.subscribedBytes+size > most.bytes {
		return false, errTooManySubscriptions
	}
	if s.subscribed == nil {
		s.subscribed = map[string]struct{}{}
	}
	s.subscribed[uri] = struct{}{}
	s.subscribedBytes += size
	return true, nil
}

// release undoes reserve.
func (s *session) release(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.subscribed[uri]; there {
		delete(s.subscribed, uri)
		s.subscribedBytes -= len(uri) + subscriptionSize
	}
}
