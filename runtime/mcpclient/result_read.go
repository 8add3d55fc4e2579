package mcpclient

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// readToolResult reads the result of tools/call. It refers to data, which must not be
// changed afterwards. The errors of this and the other functions that read are a
// *dial.Violation, or a *LimitError without target and method; report gets what does no harm,
// and may be nil.
func readToolResult(data []byte, l *Limits, report func(text string)) (*ToolResult, error) {
	return read(data, l, report, (*reader).toolResult)
}

var toolResultMembers = wire.Fields{
	{Name: "content", Null: true}, {Name: "structuredContent", Null: true}, {Name: "isError"},
	{Name: "resultType"}, {Name: "ttlMs"}, {Name: "cacheScope"}, {Name: "_meta"},
}

func (r *reader) toolResult(v *ToolResult) {
	d, content := &r.d, false
	for o := d.Object(toolResultMembers); o.Next(); {
		switch o.Name() {
		case "content":
			if content = true; !r.null("content") {
				wire.Slice(d, &v.Content, r.block)
			}
		case "structuredContent":
			wire.Raw(d, &v.Structured)
		case "isError":
			wire.Bool(d, &v.IsError)
		default:
			r.info(d, o.Name(), &v.ResultInfo)
		}
	}
	if !content && !d.Failed() && v.complete() {
		r.note("a result of a tool has no content")
	}
	if v.Content == nil {
		v.Content = []Content{}
	}
}

// complete reports whether a result is the last one of a request.
func (i *ResultInfo) complete() bool { return i.ResultType == "" || i.ResultType == "complete" }

// readReadResult reads the result of resources/read. It copies data, which a cache may have.
func readReadResult(data []byte, l *Limits, report func(text string)) (*ReadResult, error) {
	return read(bytes.Clone(data), l, report, (*reader).readResult)
}

var readResultMembers = wire.Fields{
	{Name: "contents", Required: true, Null: true}, {Name: "resultType"}, {Name: "ttlMs"}, {Name: "cacheScope"}, {Name: "_meta"},
}

func (r *reader) readResult(v *ReadResult) {
	d := &r.d
	v.Contents = []Contents{}
	for o := d.Object(readResultMembers); o.Next(); {
		if o.Name() == "contents" {
			if !r.null("contents") {
				wire.Slice(d, &v.Contents, r.contents)
			}
			continue
		}
		r.info(d, o.Name(), &v.ResultInfo)
	}
}

// readPromptResult reads the result of prompts/get. It refers to data, as a tool's.
func readPromptResult(data []byte, l *Limits, report func(text string)) (*PromptResult, error) {
	return read(data, l, report, (*reader).promptResult)
}

var promptResultMembers = wire.Fields{
	{Name: "description"}, {Name: "messages", Required: true, Null: true}, {Name: "resultType"}, {Name: "ttlMs"}, {Name: "cacheScope"}, {Name: "_meta"},
}

func (r *reader) promptResult(v *PromptResult) {
	d := &r.d
	v.Messages = []PromptMessage{}
	for o := d.Object(promptResultMembers); o.Next(); {
		switch o.Name() {
		case "description":
			wire.String(d, &v.Description)
		case "messages":
			if !r.null("messages") {
				wire.Slice(d, &v.Messages, r.message)
			}
		default:
			r.info(d, o.Name(), &v.ResultInfo)
		}
	}
}

var promptMessageFields = wire.Fields{{Name: "role", Required: true}, {Name: "content", Required: true}}

func (r *reader) readPromptMessage(d *wire.Decoder, m *PromptMessage) {
	if !r.count() {
		return
	}
	for o := d.Object(promptMessageFields); o.Next(); {
		switch o.Name() {
		case "role":
			wire.String(d, &m.Role)
		case "content":
			r.left++ // a message counts once
			r.readBlock(d, &m.Content)
		}
	}
}

// info reads a member that all results and lists have.
func (r *reader) info(d *wire.Decoder, name string, i *ResultInfo) {
	switch name {
	case "resultType":
		wire.String(d, &i.ResultType)
	case "ttlMs":
		var text []byte
		if wire.Raw(d, &text); !d.Failed() {
			ttl := r.ttl(text)
			i.TTL = &ttl
		}
	case "cacheScope":
		var text []byte
		if wire.Raw(d, &text); !d.Failed() {
			i.Cache = r.cacheScope(text)
		}
	case "_meta":
		readMeta(d, &i.Meta)
	}
}

// maxTTL is how long a result is kept at most.
const maxTTL = int64(24 * time.Hour / time.Millisecond)

// ttl returns how many milliseconds a result may be kept: none if the server has not sent
// a count of them (server/utilities/caching).
func (r *reader) ttl(text []byte) int64 {
	ms, err := strconv.ParseFloat(string(text), 64)
	if text[0] == '"' || err != nil && !math.IsInf(ms, 1) || ms < 0 || ms != math.Trunc(ms) {
		r.note("ttlMs must be a number of milliseconds, got " + short(text) + ": the result is not kept")
		return 0
	}
	return int64(min(ms, float64(maxTTL)))
}

// Cache scopes.
const (
	scopePublic  = "public"
	scopePrivate = "private"
)

// cacheScope returns the scope of a cache. An unknown one is private.
func (r *reader) cacheScope(text []byte) string {
	switch string(text) {
	case `"public"`:
		return scopePublic
	case `"private"`:
	default:
		r.note("cacheScope must be public or private, got " + short(text) + ": taken as private")
	}
	return scopePrivate
}

// short is a JSON text, cut where it is long.
func short(text []byte) string {
	if len(text) > 60 {
		return strconv.QuoteToGraphic(string(text[:60])) + "..."
	}
	return string(text)
}

// readCompletion reads the result of completion/complete. It refers to data, as a tool's.
func readCompletion(data []byte, l *Limits, report func(text string)) (*mcp.Completion, error) {
	return read(data, l, report, (*reader).completion)
}

var (
	completeFields   = wire.Fields{{Name: "completion", Required: true}}
	completionFields = wire.Fields{{Name: "values", Required: true, Null: true}, {Name: "total"}, {Name: "hasMore"}}
)

// maxCompletions is how many values the specification allows (server/utilities/completion).
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
