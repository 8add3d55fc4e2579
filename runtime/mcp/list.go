package mcp

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file writes the lists of features (server/utilities/pagination). A list that is the same for
// every request is rendered once, under the lock of the server, also on the goroutine that reads. A
// list that depends on the request is collected on the request goroutine, without a lock while
// functions of users run, and then written.

// pagedList is one of the methods that list features.
type pagedList struct {
	set     int
	member  string
	dynamic bool // templates add resources to it
	entries bool // it has the entries of [resourcePart]
}

// entriesFlag marks cursors of the list of entries.
const entriesFlag = 0x40

// kind is the part of a cursor that identifies the list.
func (l *pagedList) kind() byte {
	if l.entries {
		return byte(l.set) | entriesFlag
	}
	return byte(l.set)
}

// skillList is the list of the entries of resources that are skills.
var skillList = pagedList{set: resourceSet, member: "skills", entries: true}

// has reports whether the list can have an entry for a feature of its set.
func (l *pagedList) has(f Feature) bool { return !l.entries || f.(*resource).part != nil }

// entry returns the entry of a feature that the list has.
func (l *pagedList) entry(f Feature, rev *protocol.Revision) []byte {
	if l.entries {
		return f.(*resource).part.entry()
	}
	return f.listing(rev)
}

// size estimates the bytes of the entry.
func (l *pagedList) size(f Feature) int {
	if l.entries {
		return len(f.(*resource).part.entry()) + 1
	}
	return f.listingSize()
}

// first returns the first pages of a list that is the same for every request, by revision.
func (l *pagedList) first(sh *featureSet) *[revisions][]byte {
	if l.entries {
		return &sh.entries
	}
	return &sh.first
}

var pagedLists = map[protocol.Method]*pagedList{
	protocol.ToolsList:              {set: toolSet, member: "tools"},
	protocol.ResourcesList:          {set: resourceSet, member: "resources", dynamic: true},
	protocol.ResourcesTemplatesList: {set: templateSet, member: "resourceTemplates"},
	protocol.PromptsList:            {set: promptSet, member: "prompts"},
}

// list appends a page of a list. If the first page is the same for every request, it is rendered
// once for each revision. With a nil b, that page itself is returned, and must not be changed.
// Functions that list resources are called only for an exchange, which is charged for the page; x
// may be nil. The error is the error of such a function, or a [*jsonrpc.Error].
func (s *Server) list(ctx context.Context, b []byte, method protocol.Method, p *jsonrpc.Params, rev *protocol.Revision, x *exchange) ([]byte, error) {
	l := pagedLists[method]
	if !s.offersList(l) {
		return b, engine.NotFound(method.String())
	}
	return s.page(ctx, b, l, p, rev, x)
}

// page appends a page of a list that the server offers.
func (s *Server) page(ctx context.Context, b []byte, l *pagedList, p *jsonrpc.Params, rev *protocol.Revision, x *exchange) ([]byte, error) {
	var from position
	if cursor := p.Get("cursor"); cursor != nil {
		var ok bool
		var err error
		if from, ok, err = s.readCursor(ctx, l, cursor); err != nil {
			return b, err
		}
		if string(cursor) == `""` {
			// A client that takes a missing nextCursor for "" would get the first page for ever.
			return b, engine.InvalidParams(`unknown cursor "": the first page is that of a request without a cursor`)
		}
		if !ok {
			return b, engine.InvalidParams("unknown cursor")
		}
	}
	keys, err := sealingKeys(ctx, s)
	if err != nil {
		return b, err
	}
	var listers []entry
	if x != nil {
		listers = s.listersOf(l)
	}
	if from != (position{}) || s.decidesFor(ctx) || len(listers) > 0 {
		page, err := s.gather(ctx, l, from, listers, rev)
		if err != nil {
			return b, err
		}
		if x != nil {
			// Wait for the turn only here, after the functions of users have returned, so that it
			// is not held while they run.
			if err := x.WaitTurn(page.size); err != nil {
				return b, err
			}
			if !x.Charge(page.size) {
				return b, engine.ErrOverloaded
			}
		}
		page.keys = keys
		return page.write(b), nil
	}
	index := rev.Index()
	sh := &s.sets[l.set]
	first := l.first(sh)
	s.mu.RLock()
	page := first[index]
	s.mu.RUnlock()
	if page == nil {
		s.mu.Lock()
		if page = first[index]; page == nil {
			page = s.renderFirst(l, rev, keys)
			if !s.keys.change() || len(sh.items) <= s.limits.PageSize { // without a cursor
				first[index] = page
			}
		}
		s.mu.Unlock()
	}
	if b == nil {
		return slices.Clip(page), nil
	}
	return append(b, page...), nil
}

// renderFirst writes the first page. The caller holds the lock.
func (s *Server) renderFirst(l *pagedList, rev *protocol.Revision, keys *seal.Keyring) []byte {
	items := s.publicItems(l, rev)
	var next position
	if most := s.limits.PageSize; len(items) > most {
		items = items[:most]
		next.number = items[most-1].number
	}
	size := 1000
	for _, f := range items {
		size += l.size(f.Feature)
	}
	w := page{server: s, list: l, rev: rev, keys: keys}
	w.begin(make([]byte, 0, size))
	for _, f := range items {
		w.item()
		if l.entries {
			w.b = append(w.b, l.entry(f.Feature, rev)...)
		} else {
			w.b = f.appendListing(w.b, rev)
		}
	}
	return w.end(next)
}

// gathered is the content of a page before it is written.
type gathered struct {
	page
	features  [][]byte // in the form of the list
	resources []ResourceInfo
	next      position
	size      int // estimate of its bytes
}

// gather collects the page after a position.
func (s *Server) gather(ctx context.Context, l *pagedList, from position, listers []entry, rev *protocol.Revision) (*gathered, error) {
	g := &gathered{page: page{server: s, list: l, rev: rev, private: len(listers) > 0 || s.decidesFor(ctx)}, size: 1000}
	at := from
	if !at.dynamic {
		items, decided := s.itemsAfter(ctx, l.set, at.number, rev)
		for _, f := range items {
			if !l.has(f.Feature) || !decided && (f.unlisted || needsTask(f.Feature, rev) || !s.isListed(ctx, f.Feature)) {
				continue
			}
			if g.full() {
				g.next = at
				return g, nil
			}
			listing := l.entry(f.Feature, rev)
			g.features = append(g.features, listing)
			g.size += len(listing) + 1
			at.number = f.number
		}
	}
	for _, e := range listers {
		t := e.Feature.(*template)
		after := ""
		switch {
		case at.dynamic && e.number < at.number:
			continue
		case at.dynamic && e.number == at.number:
			after = at.key
		}
		if !s.isListed(ctx, t) {
			continue
		}
		resources, err := t.resources(ctx, s)
		if err != nil {
			return nil, err
		}
		for i := range resources {
			r := &resources[i]
			if r.URI <= after || !s.mayRead(t, r.URI) {
				continue
			}
			if g.full() {
				g.next = at
				return g, nil
			}
			g.resources = append(g.resources, *r)
			g.size += r.weight()
			at = position{dynamic: true, number: e.number, key: r.URI}
		}
	}
	return g, nil
}

func (g *gathered) full() bool { return len(g.features)+len(g.resources) == g.server.limits.PageSize }

// write appends the page.
func (g *gathered) write(b []byte) []byte {
	w := g.page
	w.begin(slices.Grow(b, g.size))
	for _, listing := range g.features {
		w.item()
		w.b = append(w.b, listing...)
	}
	for i := range g.resources {
		w.item()
		w.b = appendResource(w.b, &g.resources[i], g.resources[i].Name, w.rev)
	}
	return w.end(g.next)
}

// weight estimates the bytes of a resource in a list.
func (r *ResourceInfo) weight() int {
	size := 200 + len(r.URI) + len(r.Name) + len(r.Title) + textWeight(len(r.Description)) + metaWeight(r.Meta) + r.UI.weight()
	for i := range r.Icons {
		size += 100 + len(r.Icons[i].Source)
	}
	return size
}

// page is a page that is being written.
type page struct {
	server  *Server
	list    *pagedList
	rev     *protocol.Revision
	keys    *seal.Keyring // for the cursor
	b       []byte
	count   int
	private bool
}

func (w *page) begin(b []byte) {
	b = append(b, `{"`...)
	b = append(b, w.list.member...)
	w.b = append(b, `":[`...)
}

func (w *page) item() {
	if w.count > 0 {
		w.b = append(w.b, ',')
	}
	w.count++
}

// end writes the members after the features, with a cursor unless next is zero.
func (w *page) end(next position) []byte {
	b := append(w.b, ']')
	if next != (position{}) {
		b = append(b, `,"nextCursor":`...)
		b = wire.AppendString(b, cursor(w.list, next, w.keys))
	}
	b = w.server.appendListHints(b, w.rev, w.private)
	r := rendering{by: &w.server.published, revision: w.rev}
	return r.closeResult(b, nil, false)
}

// offersList reports whether a list is offered. If there are resources or templates, both lists of
// resources are offered.
func (s *Server) offersList(l *pagedList) bool {
	if l.set == resourceSet || l.set == templateSet {
		return s.offersResources()
	}
	return s.offers(l.set)
}

// listersOf returns the templates that add resources to a list.
func (s *Server) listersOf(l *pagedList) []entry {
	if !l.dynamic {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.listers
}

// list calls the function that lists the resources of the template.
func (t *template) list(ctx context.Context) ([]ResourceInfo, error) {
	x := exchangeFrom(ctx)
	if x == nil { // an interceptor has replaced the context
		return t.info.List(ctx)
	}
	return within(ctx, &x.req, 0, func(ctx context.Context, _ *Request) ([]ResourceInfo, error) {
		return t.info.List(ctx)
	})
}

// resources returns the valid resources of the template, sorted by URI.
func (t *template) resources(ctx context.Context, s *Server) ([]ResourceInfo, error) {
	given, err := t.list(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]ResourceInfo, 0, len(given))
	for _, r := range given {
		if !valid.IsResourceURI(r.URI) {
			s.log.Program(ctx, slog.LevelWarn, "listed resource left out: not a URI",
				slog.String("uri", r.URI), slog.String("template", t.info.URITemplate))
			continue
		}
		if r.Name == "" {
			r.Name = r.URI
		}
		if valid.IsUI(r.URI) && r.MIMEType == "" {
			r.MIMEType = UIMIMEType
		}
		if err := r.check(s.published.declared); err != nil {
			s.log.Program(ctx, slog.LevelWarn, "listed resource left out: not valid",
				slog.String("uri", r.URI), slog.String("template", t.info.URITemplate), slog.Any("error", err))
			continue
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b ResourceInfo) int { return strings.Compare(a.URI, b.URI) })
	return slices.CompactFunc(all, func(a, b ResourceInfo) bool { return a.URI == b.URI }), nil
}
