package mcpclient

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// pages reads one list, page by page, within the limits of a list. It serves one goroutine.
//
//	p := toolPages(limits, report)
//	for p.more {
//		... request the page at p.cursor, which is nil for the first one
//		items, err := p.add(result)
//	}
type pages[T any] struct {
	pageList
	read func(*reader, *T)
	key  func(*T) string
}

// pageList is the part of pages that is the same for all kinds of lists, so that its code is linked
// once.
type pageList struct {
	member string // of the result that contains the items
	item   string // for messages
	limits *Limits
	report func(text string)

	more   bool
	cursor *string // of the next page, nil for the first one
	// info is the resultInfo of the last added page. If two pages have different cache scopes, it
	// is private from there on, and mixed is set: the earlier pages must not be cached as public.
	info  resultInfo
	mixed bool

	count    int // pages
	items    int
	bytes    int
	keys     map[string]struct{} // of items
	cursors  map[string]struct{}
	problems int // with the items of a page
}

// listKind contains the differences between the lists.
type listKind[T any] struct {
	member string
	item   string
	read   func(*reader, *T)
	key    func(*T) string
}

var (
	listOfTools     = &listKind[Tool]{"tools", "tool", (*reader).tool, func(t *Tool) string { return t.Name }}
	listOfResources = &listKind[Resource]{"resources", "resource", (*reader).resource, func(r *Resource) string { return r.URI }}
	listOfTemplates = &listKind[Template]{"resourceTemplates", "resource template", (*reader).template, func(t *Template) string { return t.URITemplate }}
	listOfPrompts   = &listKind[Prompt]{"prompts", "prompt", (*reader).prompt, func(p *Prompt) string { return p.Name }}
)

func toolPages(l *Limits, report func(text string)) *pages[Tool] {
	return newPages(listOfTools, l, report)
}

func resourcePages(l *Limits, report func(text string)) *pages[Resource] {
	return newPages(listOfResources, l, report)
}

func templatePages(l *Limits, report func(text string)) *pages[Template] {
	return newPages(listOfTemplates, l, report)
}

func promptPages(l *Limits, report func(text string)) *pages[Prompt] {
	return newPages(listOfPrompts, l, report)
}

func newPages[T any](kind *listKind[T], l *Limits, report func(text string)) *pages[T] {
	return &pages[T]{
		pageList: pageList{
			member: kind.member, item: kind.item, limits: l, report: report, more: true,
			keys: map[string]struct{}{}, cursors: map[string]struct{}{},
		},
		read: kind.read, key: kind.key,
	}
}

// add reads a page, and returns its items, without invalid and repeated ones, which it reports. The
// items refer to a copy of data. After an error the list is over.
func (p *pages[T]) add(data []byte) ([]T, error) {
	texts, err := p.next(data)
	if err != nil {
		return nil, err
	}
	items := make([]T, 0, len(texts))
	for i, text := range texts {
		var item T
		if err := read(text, p.limits, p.note, func(r *reader) { p.read(r, &item) }); err != nil {
			p.leave(i, err.Error())
		} else if p.isNew(i, p.key(&item)) {
			items = append(items, item)
		}
	}
	p.noteRest()
	return items, nil
}

// next reads a page, and returns its items as JSON.
func (p *pageList) next(data []byte) ([][]byte, error) {
	p.more, p.problems = false, 0
	if p.bytes += len(data); p.bytes > p.limits.MessageBytes {
		return nil, p.beyond(p.name(), "MessageBytes", p.limits.MessageBytes)
	}
	data = bytes.Clone(data)
	page, err := p.page(data)
	if err != nil {
		return nil, err
	}
	p.count++
	p.items += len(page.items)
	p.mixed = p.mixed || p.count > 1 && page.info.cache != p.info.cache
	p.info = page.info
	if p.mixed {
		p.info.cache = mcp.CachePrivate
	}
	if page.next == nil {
		return page.items, nil
	}
	if _, again := p.cursors[*page.next]; again {
		return nil, &dial.Violation{Text: "the cursor " + shortText(*page.next) + " has come twice in the " + p.name(), Bytes: beginning(data)}
	}
	if p.count >= p.limits.listPages() {
		return nil, p.beyond("pages of the "+p.name(), "ListItems", p.limits.ListItems)
	}
	cursor := strings.Clone(*page.next)
	p.cursors[cursor] = struct{}{}
	p.cursor, p.more = &cursor, true
	return page.items, nil
}

func (p *pageList) name() string { return "list of " + p.item + "s" }

func (p *pageList) beyond(what, limit string, value int) *LimitError {
	return &LimitError{What: what, Limit: limit, Value: value}
}

// page is one page whose items are still JSON.
type page struct {
	items [][]byte
	next  *string
	info  resultInfo
}

// page reads a page without its items.
func (p *pageList) page(data []byte) (*page, error) {
	l := *p.limits
	l.ContentItems += l.ListItems // the items of the page are elements too
	fields := wire.Fields{
		{Must: p.member, Null: true}, {Name: "nextCursor"},
		{Name: "resultType"}, {Name: "ttlMs"}, {Name: "cacheScope"}, {Name: "_meta"},
	}
	v := new(page)
	return whole(v, read(data, &l, p.report, func(r *reader) {
		r.left = p.limits.ListItems - p.items
		r.beyond = *p.beyond(p.name(), "ListItems", p.limits.ListItems)
		d := &r.d
		for o := d.Object(fields); o.Next(); {
			switch o.Name() {
			case p.member:
				if !r.null(p.member) {
					wire.Slice(d, &v.items, r.item)
				}
			case "nextCursor":
				wire.Ptr(d, &v.next, wire.String)
			default:
				r.info(d, o.Name(), &v.info)
			}
		}
	}))
}

// readItem reads an item of a list unchanged.
func (r *reader) readItem(d *wire.Decoder, item *[]byte) {
	if r.count() {
		wire.Raw(d, item)
	}
}

// maxItemNotes limits the reported problems with the items of one page.
const maxItemNotes = 20

// note reports a problem with an item.
func (p *pageList) note(text string) {
	if p.problems++; p.problems <= maxItemNotes && p.report != nil {
		p.report(text)
	}
}

// noteRest reports the number of further problems.
func (p *pageList) noteRest() {
	if p.problems > maxItemNotes && p.report != nil {
		p.report(fmt.Sprintf("%d more problems with %ss", p.problems-maxItemNotes, p.item))
	}
}

// leave reports an omitted item.
func (p *pageList) leave(i int, why string) {
	p.note(fmt.Sprintf("%s[%d] is left out: %s", p.member, i, why))
}

// isNew reports whether an item is new.
func (p *pageList) isNew(i int, key string) bool {
	if _, twice := p.keys[key]; twice {
		p.leave(i, "there was a "+p.item+" "+shortText(key)+" before")
		return false
	}
	p.keys[key] = struct{}{}
	return true
}

// shortText returns a quoted string, cut if it is long.
func shortText(s string) string {
	if len(s) > 60 {
		return strconv.Quote(s[:60]) + "..."
	}
	return strconv.Quote(s)
}
