package gosdk

import (
	"context"
	encoding "encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// The lists of a server of the SDK are the same for all. This file makes them those of the caller:
// features of mounts have the form of its revision, those that it may not see are left out, and
// the resources that templates list follow after the last page of the SDK.

// list answers a list.
func (h *host) list(ctx context.Context, method string, req sdk.Request, mounts []*mount) (sdk.Result, error) {
	if r, ok := req.(*sdk.ListResourcesRequest); ok && r.Params != nil && strings.HasPrefix(r.Params.Cursor, moreCursor) {
		return h.listMore(ctx, r, mounts)
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
			err = more(ctx, from, mounts, &r, 0, "")
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

// ownerOf returns the mount of a feature, nil if it is the SDK's own.
func ownerOf[T any](mounts []*mount, of func(*mount) *set[T], item *T) (*mount, *set[T]) {
	for _, m := range mounts {
		if s := of(m); s.has(item) {
			return m, s
		}
	}
	return nil, nil
}

// lists has the first pages that were read last.
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

// listed returns the features of a mount that a caller sees, by their names. Of resources it reads
// the pages up to the first one that a template lists: those follow after all others.
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

// moreCursor is the beginning of a cursor behind the last page of the SDK. Its own cursors have no dot. The
// number of a mount and a cursor of its inner server follow.
const moreCursor = "mcpgen."

// listMore answers a page that follows after those of the SDK.
func (h *host) listMore(ctx context.Context, req *sdk.ListResourcesRequest, mounts []*mount) (sdk.Result, error) {
	number, cursor, _ := strings.Cut(strings.TrimPrefix(req.Params.Cursor, moreCursor), ".")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown cursor"}
	}
	r := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
	r.CacheScope = "private"
	from := originOf(req.Session, req.Params.Meta, req.Extra)
	if err := more(ctx, from, mounts, r, n, cursor); err != nil {
		return nil, err
	}
	return r, nil
}

// more adds the resources that templates list: the next page of the mount with that number, or of
// one after it.
func more(ctx context.Context, from *origin, mounts []*mount, r *sdk.ListResourcesResult, number int64, cursor string) error {
	before := len(r.Resources)
	for _, m := range mounts {
		if m.number < number || !m.templates.any() {
			continue
		}
		if m.number > number {
			cursor = ""
		}
		for {
			p, err := pageOf(ctx, from, m, &m.resources, cursor)
			if err != nil {
				return err
			}
			for _, resource := range p.order {
				if !m.resources.knows(resource.URI) {
					r.Resources = append(r.Resources, resource)
					r.CacheScope = "private"
				}
			}
			if cursor = p.next; cursor == "" {
				break
			}
			if len(r.Resources) > before {
				r.NextCursor = moreCursor + strconv.FormatInt(m.number, 10) + "." + cursor
				return nil
			}
		}
	}
	return nil
}
