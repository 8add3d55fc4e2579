package mcpclient

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// readToolResult reads the result of tools/call. It refers to data, which must not be modified
// afterwards. The errors of this and the other reading functions are a *dial.Violation, or a
// *LimitError without target and method. report gets harmless violations, and may be nil.
func readToolResult(data []byte, l *Limits, report func(text string)) (*mcp.ToolResult, error) {
	v := new(toolResult)
	return whole(&v.ToolResult, read(data, l, report, func(r *reader) { r.toolResult(v) }))
}

// toolResult is a result with room for its content, which usually has one block.
type toolResult struct {
	mcp.ToolResult
	one [1]mcp.Content
}

var toolResultMembers = wire.Fields{
	{Name: "content", Null: true}, {Name: "structuredContent", Null: true}, {Name: "isError"},
	{Name: "resultType"}, {Name: "ttlMs"}, {Name: "cacheScope"}, {Name: "_meta"},
}

func (r *reader) toolResult(v *toolResult) {
	d, content, info := &r.d, false, resultInfo{}
	for o := d.Object(toolResultMembers); o.Next(); {
		switch o.Name() {
		case "content":
			if content = true; !r.null("content") {
				v.Content = r.readContent(d, &v.one)
			}
		case "structuredContent":
			wire.Raw(d, &v.Structured)
		case "isError":
			wire.Bool(d, &v.IsError)
		default:
			r.info(d, o.Name(), &info)
		}
	}
	v.Meta = info.meta
	if !content && !d.Failed() && info.complete() {
		r.note("a result of a tool has no content")
	}
	if v.Content == nil {
		v.Content = []mcp.Content{}
	}
}

// readContent reads an array of blocks. It stores a single block in one. A Content is small, so the
// reader collects the slice here, without the additional allocation of wire.
func (r *reader) readContent(d *wire.Decoder, one *[1]mcp.Content) []mcp.Content {
	var each []struct{}
	wire.Slice(d, &each, r.collected)
	blocks := one[:0:1]
	if len(r.blocks) > 1 {
		blocks = make([]mcp.Content, 0, len(r.blocks))
	}
	blocks = append(blocks, r.blocks...)
	clear(r.blocks)
	if r.blocks = r.blocks[:0]; cap(r.blocks) > maxCollected {
		r.blocks = nil
	}
	return blocks
}

// maxCollected limits the capacity of the slice that a reader keeps.
const maxCollected = 64

// collect reads a block of readContent.
func (r *reader) collect(d *wire.Decoder, _ *struct{}) {
	r.blocks = append(r.blocks, r.readBlock(d))
}

// resultInfo contains the members that all results and lists may have.
type resultInfo struct {
	kind  string // "complete" from revision 2026-07-28 on, "" before
	ttl   *int64 // for how many milliseconds it may be cached, at most a day; nil if the server sends none
	cache mcp.CacheScope
	meta  mcp.Meta
}

// complete reports whether a result is the final result of a request.
func (i *resultInfo) complete() bool { return i.kind == "" || i.kind == "complete" }

// readResourceResult reads the result of resources/read. It copies data, which a cache may retain.
func readResourceResult(data []byte, l *Limits, report func(text string)) (*mcp.ResourceResult, error) {
	v := new(mcp.ResourceResult)
	return whole(v, read(bytes.Clone(data), l, report, func(r *reader) { r.resourceResult(v) }))
}

var resourceResultMembers = wire.Fields{
	{Must: "contents", Null: true}, {Name: "resultType"}, {Name: "ttlMs"}, {Name: "cacheScope"}, {Name: "_meta"},
}

func (r *reader) resourceResult(v *mcp.ResourceResult) {
	d, info := &r.d, resultInfo{}
	v.Contents = []mcp.ResourceContents{}
	for o := d.Object(resourceResultMembers); o.Next(); {
		if o.Name() == "contents" {
			if !r.null("contents") {
				wire.Slice(d, &v.Contents, r.contents)
			}
			continue
		}
		r.info(d, o.Name(), &info)
	}
	if info.ttl != nil {
		v.TTL = time.Duration(*info.ttl) * time.Millisecond
	}
	v.Cache, v.Meta = info.cache, info.meta
}

// readPromptResult reads the result of prompts/get. It refers to data, like a tool result.
func readPromptResult(data []byte, l *Limits, report func(text string)) (*mcp.PromptResult, error) {
	v := new(mcp.PromptResult)
	return whole(v, read(data, l, report, func(r *reader) { r.promptResult(v) }))
}

var promptResultMembers = wire.Fields{
	{Name: "description"}, {Must: "messages", Null: true}, {Name: "resultType"}, {Name: "ttlMs"}, {Name: "cacheScope"}, {Name: "_meta"},
}

func (r *reader) promptResult(v *mcp.PromptResult) {
	d, info := &r.d, resultInfo{}
	v.Messages = []mcp.PromptMessage{}
	for o := d.Object(promptResultMembers); o.Next(); {
		switch o.Name() {
		case "description":
			wire.String(d, &v.Description)
		case "messages":
			if !r.null("messages") {
				wire.Slice(d, &v.Messages, r.message)
			}
		default:
			r.info(d, o.Name(), &info)
		}
	}
	v.Meta = info.meta
}

var promptMessageFields = wire.Fields{{Must: "role"}, {Must: "content"}}

func (r *reader) readPromptMessage(d *wire.Decoder, m *mcp.PromptMessage) {
	if !r.count() {
		return
	}
	for o := d.Object(promptMessageFields); o.Next(); {
		switch o.Name() {
		case "role":
			wire.String(d, &m.Role)
		case "content":
			r.left++ // a message counts once
			m.Content = r.readBlock(d)
		}
	}
}

// info reads a member that all results and lists may have.
func (r *reader) info(d *wire.Decoder, name string, i *resultInfo) {
	switch name {
	case "resultType":
		if wire.String(d, &i.kind); !i.complete() && !d.Failed() {
			r.note("a result has the resultType " + shortText(i.kind) + ", which the client does not know")
		}
	case "ttlMs":
		var text []byte
		if wire.Raw(d, &text); !d.Failed() {
			ttl := r.ttl(text)
			i.ttl = &ttl
		}
	case "cacheScope":
		var text []byte
		if wire.Raw(d, &text); !d.Failed() {
			i.cache = r.cacheScope(text)
		}
	case "_meta":
		readMeta(d, &i.meta)
	}
}

// maxTTL is the maximum time for which a result is cached.
const maxTTL = int64(24 * time.Hour / time.Millisecond)

// ttl returns the milliseconds for which a result may be cached, or 0 if the server has not sent a
// count (server/utilities/caching).
func (r *reader) ttl(text []byte) int64 {
	ms, err := strconv.ParseFloat(string(text), 64)
	if text[0] == '"' || err != nil && !math.IsInf(ms, 1) || ms < 0 || ms != math.Trunc(ms) {
		r.note("ttlMs must be a number of milliseconds, got " + short(text) + ": the result is not kept")
		return 0
	}
	return int64(min(ms, float64(maxTTL)))
}

// cacheScope returns a cache scope. An unknown scope is private.
func (r *reader) cacheScope(text []byte) mcp.CacheScope {
	switch string(text) {
	case `"public"`:
		return mcp.CachePublic
	case `"private"`:
	default:
		r.note("cacheScope must be public or private, got " + short(text) + ": taken as private")
	}
	return mcp.CachePrivate
}

// short returns a JSON text, cut if it is long.
func short(text []byte) string {
	if len(text) > 60 {
		return strconv.QuoteToGraphic(string(text[:60])) + "..."
	}
	return string(text)
}

// readCompletion reads the result of completion/complete. It refers to data, like a tool result.
func readCompletion(data []byte, l *Limits, report func(text string)) (*mcp.Completion, error) {
	v := new(mcp.Completion)
	return whole(v, read(data, l, report, func(r *reader) { r.completion(v) }))
}

var (
	completeFields   = wire.Fields{{Must: "completion"}}
	completionFields = wire.Fields{{Must: "values", Null: true}, {Name: "total"}, {Name: "hasMore"}}
)

// maxCompletions is the number of values that the specification allows
// (server/utilities/completion).
const maxCompletions = 100

func (r *reader) completion(v *mcp.Completion) {
	d := &r.d
	for o := d.Object(completeFields); o.Next(); {
		for o := d.Object(completionFields); o.Next(); {
			switch o.Name() {
			case "values":
				if !r.null("values") {
					wire.Slice(d, &v.Values, wire.String)
				}
			case "total":
				wire.Int(d, &v.Total)
			case "hasMore":
				wire.Bool(d, &v.HasMore)
			}
		}
	}
	if len(v.Values) > maxCompletions {
		r.note("a completion has " + strconv.Itoa(len(v.Values)) + " values, and may have 100")
	}
}
