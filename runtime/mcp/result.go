package mcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Reply is what a [Handler] returns: a [*ToolResult] for calls of tools, a
// [*ResourceResult] for resources that are read, a [*PromptResult] for prompts, a
// [*Completion] for completions, a [*RawReply] for most other methods.
type Reply interface {
	appendTo(b []byte, r *rendering) []byte
}

// RawReply is a result as it is sent, with what every result of the revision has
// where that is missing.
type RawReply struct {
	// JSON is one object. It must not be changed.
	JSON json.RawMessage

	own bool // the server has written it
}

// ToolResult is the result of a call (CallToolResult in the specification).
type ToolResult struct {
	// Content are the blocks for the model. Where there are none, the text of
	// Structured is the one block.
	Content []Content
	// Structured is a JSON value that fits the tool's output schema, nil where
	// there is none. Clients before revision 2025-06-18 get its text only; where
	// a revision wants an object and this is something else, it and its text are
	// sent as {"result": ...}. It may alias a buffer of the request and must not be used
	// after the handlers have returned.
	Structured json.RawMessage
	// IsError says that the tool failed, and that Content says how.
	IsError bool
	Meta    Meta

	// own is Structured as the request's encoder wrote it: valid and compact.
	own json.RawMessage
}

// Result is a structured result with a text of its own, for functions that want
// to say it in other words than JSON.
type Result[T any] struct {
	Value   T
	Text    string    // "" = the JSON text of Value
	Content []Content // further blocks after the text
}

// TextResult returns a result of one block of text.
func TextResult(text string) *ToolResult {
	return &ToolResult{Content: []Content{Text{Text: text}}}
}

// ContentResult returns a result of the blocks. A nil block is left out.
func ContentResult(content ...Content) *ToolResult {
	blocks := make([]Content, 0, len(content))
	for _, c := range content {
		if c != nil {
			blocks = append(blocks, c)
		}
	}
	return &ToolResult{Content: blocks}
}

// DoneResult is the result of a function that returns nothing.
func DoneResult() *ToolResult { return TextResult("done") }

// NothingFound is the result of a function that found nothing: a failed one, so
// that the model does not take it for an empty value.
func NothingFound() *ToolResult { return failedResult("nothing found") }

func failedResult(text string) *ToolResult {
	return &ToolResult{Content: []Content{Text{Text: text}}, IsError: true}
}

// rendering is the writing of one reply.
type rendering struct {
	server   *Server
	revision *protocol.Revision
	id       jsonrpc.ID
	tool     *tool          // of a call, if it is known
	prompt   *prompt        // that is got, if it is known
	resource *foundResource // that is read, if it is known
	tools    toolBlocks     // of the message to the model that is written
	retried  bool           // the client has come back with answers
	// unlimited is set for an error in the place of a result.
	unlimited bool
	// most is how many bytes of b there may be, 0 for any number: so many more than
	// when that was set.
	most, allowed int
	err           error
}

func (r *rendering) fields() *protocol.Fields { return &r.revision.Fields }

func (r *rendering) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// check notes what is wrong with a part of the reply, if anything is.
func (r *rendering) check(err error) {
	if err != nil {
		r.fail(err)
	}
}

func (p *RawReply) appendTo(b []byte, r *rendering) []byte {
	if p.own {
		return append(b, p.JSON...)
	}
	return r.appendObject(b, p.JSON)
}

func (p *ToolResult) appendTo(b []byte, r *rendering) []byte {
	return r.closeResult(p.appendMembers(append(b, '{'), r), p.Meta, false)
}

// appendMembers writes the members of the result, without _meta.
func (p *ToolResult) appendMembers(b []byte, r *rendering) []byte {
	f := r.fields()
	structured := p.structured(r)
	b = append(b, `"content":[`...)
	r.bound(b, r.resultLimit())
	for i, c := range p.Content {
		if i > 0 {
			b = append(b, ',')
		}
		if c == nil {
			r.fail(errors.New("write result: nil content block"))
		}
		if r.full(b) {
			return b
		}
		b = c.appendTo(b, r)
	}
	if r.full(b) {
		return b
	}
	if len(p.Content) == 0 && structured != nil {
		b = jsonText{structured}.appendTo(b, r)
	}
	b = append(b, ']')
	if structured != nil && f.StructuredContent {
		b = append(b, `,"structuredContent":`...)
		if r.wraps(structured) {
			b = append(b, `{"result":`...)
			b = append(b, structured...)
			b = append(b, '}')
		} else {
			b = append(b, structured...)
		}
	}
	if p.IsError {
		b = append(b, `,"isError":true`...)
	}
	return b
}

// structured returns the structured content, checked where it is not our own.
func (p *ToolResult) structured(r *rendering) json.RawMessage {
	v := p.Structured
	if len(v) == 0 {
		return nil
	}
	if len(p.own) == len(v) && &p.own[0] == &v[0] {
		return v
	}
	v, err := compact(v)
	if err != nil {
		r.fail(fmt.Errorf("write structured content: %w", err))
	}
	return v
}

// wraps reports whether a value travels as {"result": ...}, since the revision wants
// an object: always, where the output schema does.
func (r *rendering) wraps(structured json.RawMessage) bool {
	if f := r.fields(); f.AnyOutput || !f.StructuredContent {
		return false
	}
	if r.tool != nil && r.tool.info.OutputSchema != "" {
		return r.tool.wraps()
	}
	return structured[0] != '{'
}

// closeResult writes what the revision wants in every result, and the brace.
// Discover tells all about the server, other results only what it is called.
func (r *rendering) closeResult(b []byte, m Meta, full bool) []byte {
	if r.fields().ResultType {
		b = append(b, `,"resultType":"complete"`...)
	}
	return r.closeMeta(b, m, full)
}

// closeMeta writes the _meta of a result, and its brace.
func (r *rendering) closeMeta(b []byte, m Meta, full bool) []byte {
	f := r.fields()
	switch {
	case f.ServerMeta:
		b = append(b, `,"_meta":{"`+protocol.MetaServerInfo+`":`...)
		if full {
			b = r.server.info.appendImplementation(b, f, true)
		} else {
			b = append(b, r.server.identity[r.revision.Index()]...)
		}
		b = r.appendMeta(b, m, true)
		b = append(b, '}')
	case len(m) > 0:
		b = append(b, `,"_meta":{`...)
		b = r.appendMeta(b, m, false)
		b = append(b, '}')
	}
	return append(b, '}')
}

// tooLarge is a result over the limit. How large it would be is not known: it is not
// written to its end.
type tooLarge struct {
	limit int
}

func (e *tooLarge) Error() string {
	return fmt.Sprintf("the result has more than the %d bytes that are allowed", e.limit)
}

// resultLimit is how many bytes the structured content may have, or the blocks.
func (r *rendering) resultLimit() int {
	if r.tool != nil && r.tool.info.MaxResult > 0 {
		return r.tool.info.MaxResult
	}
	return r.server.limits.ResultBytes
}

// text is what the model reads instead of the result: never a part of it.
func (e *tooLarge) text(narrow []string) string {
	text := e.Error()
	if len(narrow) == 0 {
		return text
	}
	text += "; narrow it with "
	for i, name := range narrow {
		switch {
		case i == 0:
		case i == len(narrow)-1:
			text += " or "
		default:
			text += ", "
		}
		text += name
	}
	return text
}

// problemsMeta is the machine-readable side of what is wrong with arguments.
func problemsMeta(e *wire.ArgumentsError) Meta {
	b := []byte{'['}
	for i, p := range e.Problems {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"path":`...)
		b = wire.AppendString(b, p.Path)
		b = append(b, `,"rule":`...)
		b = wire.AppendString(b, p.Rule)
		b = append(b, `,"message":`...)
		b = wire.AppendString(b, p.Message)
		b = append(b, '}')
	}
	b = append(b, ']')
	m := Meta{metaProblems: b}
	if e.More {
		m[metaProblems+"Omitted"] = json.RawMessage("true")
	}
	return m
}
