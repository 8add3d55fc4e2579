package gosdk

import (
	"context"
	"encoding/base64"
	encoding "encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// The lists of an SDK server are the same for all callers. This file adapts them to the caller:
// features of mounts get the form of the caller's revision, features that the caller may not see
// are removed, and the resources that templates list follow after the SDK's last page.

// list answers a list.
func (h *host) list(ctx context.Context, method string, req sdk.Request, mounts []*mount) (sdk.Result, error) {
	if r, ok := req.(*sdk.ListResourcesRequest); ok && r.Params != nil && strings.HasPrefix(r.Params.Cursor, moreCursor) {
		return h.listMore(ctx, method, r, mounts)
	}
	result, err := h.next(ctx, method, req)
	if err != nil {
		return nil, err
	}
	ss, _ := req.GetSession().(*sdk.ServerSession)
	from := originOf(ss, metaOf(req.GetParams()), req.GetExtra())
	switch given := result.(type) {
	case *sdk.ListToolsResult:
		r := *given
		r.Tools, err = relist(ctx, from, mounts, func(m *mount) *set[sdk.Tool] { return &m.tools }, r.Tools, &r.Cacheable)
		return &r, err
	case *sdk.ListPromptsResult:
		r := *given
		r.Prompts, err = relist(ctx, from, mounts, func(m *mount) *set[sdk.Prompt] { return &m.prompts }, r.Prompts, &r.Cacheable)
		return &r, err
	case *sdk.ListResourceTemplatesResult:
		r := *given
		r.ResourceTemplates, err = relist(ctx, from, mounts, func(m *mount) *set[sdk.ResourceTemplate] { return &m.templates }, r.ResourceTemplates, &r.Cacheable)
		return &r, err
	case *sdk.ListResourcesResult:
		r := *given
		if r.Resources, err = relist(ctx, from, mounts, func(m *mount) *set[sdk.Resource] { return &m.resources }, r.Resources, &r.Cacheable); err != nil {
			return nil, err
		}
		if r.NextCursor == "" {
			at := behind{}
			if p, ok := req.GetParams().(*sdk.ListResourcesParams); ok && p != nil {
				at.SDK = p.Cursor
			}
			err = more(ctx, from, mounts, &r, at)
		}
		return &r, err
	}
	return result, nil
}

func metaOf(p sdk.Params) map[string]any {
	switch p := p.(type) {
	case *sdk.ListToolsParams:
		if p != nil {
			return p.Meta
		}
	case *sdk.ListPromptsParams:
		if p != nil {
			return p.Meta
		}
	case *sdk.ListResourcesParams:
		if p != nil {
			return p.Meta
		}
	case *sdk.ListResourceTemplatesParams:
		if p != nil {
			return p.Meta
		}
	}
	return nil
}

// relist replaces the features of mounts in a page.
func relist[T any](ctx context.Context, from *origin, mounts []*mount, of func(*mount) *set[T], items []*T, cache *sdk.Cacheable) ([]*T, error) {
	seen := map[*mount]map[string]*T{}
	all := make([]*T, 0, len(items))
	for _, item := range items {
		m, s := ownerOf(mounts, of, item)
		if m == nil {
			all = append(all, item)
			continue
		}
		if seen[m] == nil {
			listed, private, err := listed(ctx, from, m, s)
			if err != nil {
				return nil, err
			}
			seen[m] = listed
			if private {
				cache.CacheScope = "private"
			}
		}
		if own := seen[m][s.name(item)]; own != nil {
			all = append(all, own)
		}
	}
	return all, nil
}

// ownerOf returns the mount of a feature, or nil if it belongs to the SDK's server itself.
func ownerOf[T any](mounts []*mount, of func(*mount) *set[T], item *T) (*mount, *set[T]) {
	for _, m := range mounts {
		if s := of(m); s.has(item) {
			return m, s
		}
	}
	return nil, nil
}

// lists caches the most recent first pages.
type lists[T any] struct {
	mu                sync.Mutex
	inSession, modern *page[T]
}

// page is a page of a list of an inner server.
type page[T any] struct {
	text    string
	items   map[string]*T
	order   []*T
	next    string
	private bool
}

// listed returns the features of a mount that a caller sees, by name. For resources it reads the
// pages up to the first resource that a template lists: those follow after all others.
func listed[T any](ctx context.Context, from *origin, m *mount, s *set[T]) (all map[string]*T, private bool, err error) {
	for cursor, first := "", true; first || cursor != ""; first = false {
		p, err := pageOf(ctx, from, m, s, cursor)
		if err != nil {
			return nil, false, err
		}
		private = private || p.private
		if first && p.next == "" {
			return p.items, private, nil
		}
		if all == nil {
			all = map[string]*T{}
		}
		maps.Copy(all, p.items)
		if s.list == protocol.ResourcesList && len(p.order) > 0 && !s.knows(s.name(p.order[len(p.order)-1])) {
			break
		}
		cursor = p.next
	}
	return all, private, nil
}

// pageOf reads a page.
func pageOf[T any](ctx context.Context, from *origin, m *mount, s *set[T], cursor string) (*page[T], error) {
	members := map[string]any{}
	if cursor != "" {
		members["cursor"] = cursor
	}
	if len(from.meta) > 0 {
		members["_meta"] = from.meta
	}
	params, err := encoding.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("write params: %w", err)
	}
	text, err := m.call(ctx, from, s.list, params, nil)
	if err != nil {
		return nil, err
	}
	if cursor != "" {
		return s.readPage(text)
	}
	c := &s.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	last := &c.inSession
	if from.modern {
		last = &c.modern
	}
	if p := *last; p != nil && p.text == string(text) {
		return p, nil
	}
	p, err := s.readPage(text)
	if err == nil {
		*last = p
	}
	return p, err
}

func (s *set[T]) readPage(text json) (*page[T], error) {
	var members map[string]json
	var entries []json
	p := &page[T]{text: string(text), items: map[string]*T{}}
	err := encoding.Unmarshal(text, &members)
	if err == nil {
		err = encoding.Unmarshal(members[s.member], &entries)
	}
	if next := members["nextCursor"]; err == nil && next != nil {
		err = encoding.Unmarshal(next, &p.next)
	}
	if err != nil {
		return nil, fmt.Errorf("read a list: %w", err)
	}
	p.private = string(members["cacheScope"]) == `"private"`
	for _, entry := range entries {
		item, err := s.read(entry)
		if err != nil {
			return nil, fmt.Errorf("read the entry of a %s: %w", s.text, err)
		}
		p.items[s.name(item)] = item
		p.order = append(p.order, item)
	}
	return p, nil
}

// moreCursor is the beginning of a cursor after the SDK's last page. The SDK's own cursors contain
// no dot. The number of a mount follows and, sealed by its inner server, a position.
const (
	moreCursor    = "mcpgen."
	cursorPurpose = "cursor behind the Go SDK"
)

// behind is a position after the SDK's last page.
type behind struct {
	SDK    string // the cursor of that page
	Mount  int64  // the mount's number
	Cursor string // of its inner server
}

// seal returns the cursor for a position in a mount. It cannot be forged.
func (at behind) seal(ctx context.Context, m *mount) (string, error) {
	text, err := encoding.Marshal(at)
	if err != nil {
		return "", fmt.Errorf("write a cursor: %w", err)
	}
	sealed, err := m.bridge.Server().Seal(ctx, cursorPurpose, text)
	if err != nil {
		return "", err
	}
	return moreCursor + strconv.FormatInt(at.Mount, 10) + "." + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// openCursor returns the position of a cursor. ok is false if seal has not returned the cursor.
func openCursor(ctx context.Context, cursor string, mounts []*mount) (at behind, ok bool, err error) {
	number, sealed, _ := strings.Cut(strings.TrimPrefix(cursor, moreCursor), ".")
	data, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || strings.ContainsAny(sealed, "\r\n") { // the decoder skips these
		return at, false, nil
	}
	for _, m := range mounts {
		if strconv.FormatInt(m.number, 10) != number {
			continue
		}
		text, ok, err := m.bridge.Server().Unseal(ctx, cursorPurpose, data)
		if !ok || err != nil {
			return at, false, err
		}
		return at, encoding.Unmarshal(text, &at) == nil && at.Mount == m.number, nil
	}
	return at, false, nil
}

// listMore answers a page that follows after the SDK's pages. The middleware gets the request for
// the SDK's last page again; an invalid cursor is passed to the SDK, which refuses it.
func (h *host) listMore(ctx context.Context, method string, req *sdk.ListResourcesRequest, mounts []*mount) (sdk.Result, error) {
	at, ok, err := openCursor(ctx, req.Params.Cursor, mounts)
	if err != nil {
		return nil, err
	}
	if !ok {
		return h.next(ctx, method, req)
	}
	params := *req.Params
	params.Cursor = at.SDK
	result, err := h.next(ctx, method, &sdk.ListResourcesRequest{Session: req.Session, Params: &params, Extra: req.Extra})
	if given, ok := result.(*sdk.ListResourcesResult); err != nil || !ok || given == nil {
		return result, err
	}
	r := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
	r.CacheScope = "private"
	from := originOf(req.Session, req.Params.Meta, req.Extra)
	if err := more(ctx, from, mounts, r, at); err != nil {
		return nil, err
	}
	return r, nil
}

// more adds the resources that templates list: the next page of the mount at a position, or of a
// later one.
func more(ctx context.Context, from *origin, mounts []*mount, r *sdk.ListResourcesResult, at behind) error {
	before := len(r.Resources)
	for _, m := range mounts {
		if m.number < at.Mount || !m.templates.any() {
			continue
		}
		if m.number > at.Mount {
			at.Mount, at.Cursor = m.number, ""
		}
		for {
			p, err := pageOf(ctx, from, m, &m.resources, at.Cursor)
			if err != nil {
				return err
			}
			for _, resource := range p.order {
				if !m.resources.knows(resource.URI) {
					r.Resources = append(r.Resources, resource)
					r.CacheScope = "private"
				}
			}
			if at.Cursor = p.next; at.Cursor == "" {
				break
			}
			if len(r.Resources) > before {
				r.NextCursor, err = at.seal(ctx, m)
				return err
			}
		}
	}
	return nil
}
