package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file defines the results of handlers. The request goroutine makes a result, and renders it
// after the interceptors have returned (rendering.go), so no lock is needed: a handler that keeps a
// result must not change it.

// Reply is the result of a [Handler]: a [*ToolResult] for calls of tools, a [*ResourceResult] for
// resources, a [*PromptResult] for prompts, a [*Completion] for completions, a [*RawReply] for most
// other methods.
type Reply interface {
	appendTo(b []byte, r *rendering) []byte
	// weight estimates the bytes of the reply when it is sent.
	weight() int
	// least returns a lower bound for the bytes of the reply, counting the parts that are limited.
	least() int
}

// RawReply is a result as JSON. The server adds the members that the revision requires in every
// result, if they are missing.
type RawReply struct {
	// JSON is one object. It must not be changed.
	JSON json.RawMessage

	own bool // the server has written it
}

// ToolResult is the result of a call (CallToolResult in the specification).
type ToolResult struct {
	// Content are the blocks for the model. If it is empty, the client gets Structured as JSON text
	// in the one block.
	Content []Content `json:"content"`
	// Structured is a JSON value that fits the tool's output schema, or nil. Clients before
	// revision 2025-06-18 get its text only. If a revision requires an object and Structured is
	// another value, the value and its text are sent as {"result": ...}. Structured may alias a
	// buffer of the request and must not be used after the handlers have returned. In a client it
	// is the value as received.
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	// IsError means that the tool failed. Content describes the failure.
	IsError bool `json:"isError,omitempty"`
	Meta    Meta `json:"_meta,omitempty"`

	// own is Structured if the request's encoder has written it: valid and compact.
	own json.RawMessage
}

// Result is a structured result with its own text, for functions that describe the value in other
// words than JSON.
type Result[T any] struct {
	Value   T
	Text    string    // "" = Value as JSON
	Content []Content // further blocks after the text
}

// Text returns the text blocks, one per line.
func (p *ToolResult) Text() string {
	var b strings.Builder
	for _, c := range p.Content {
		if t, ok := c.(Text); ok {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(t.Text)
		}
	}
	return b.String()
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

// nothingFound returns the result of a function that found nothing: a failed one, so that the model
// does not take it for an empty value.
func nothingFound() *ToolResult { return failedResult("nothing found") }

func failedResult(text string) *ToolResult {
	return &ToolResult{Content: []Content{Text{Text: text}}, IsError: true}
}

// outputForm describes the form of the results of a tool.
type outputForm struct {
	textOnly bool // without structured content
	declared bool // the tool has an output schema
	wrapped  bool // that schema is wrapped in an object, and values too, in revisions that require one
	most     int  // limit in bytes; 0 = the limit of the server
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
		if r.checkSize(b); r.err != nil {
			return b
		}
		b = c.(contentWriter).appendTo(b, r)
	}
	if r.checkSize(b); r.err != nil {
		return b
	}
	if len(p.Content) == 0 && structured != nil {
		b = jsonText{structured}.appendTo(b, r)
	}
	b = append(b, ']')
	if structured != nil && r.revision.Fields.StructuredContent && !r.output.textOnly {
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

// structured returns the structured content. It checks content that the encoder of the request has
// not written.
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

// wraps reports whether a value is sent as {"result": ...}, since the revision requires an object.
// If the tool has an output schema, the schema decides.
func (r *rendering) wraps(structured json.RawMessage) bool {
	if f := &r.revision.Fields; f.AnyOutput || !f.StructuredContent {
		return false
	}
	if r.output.declared {
		return r.output.wrapped
	}
	return structured[0] != '{'
}

// resultLimit returns the limit for the structured content in bytes, which is also the limit for
// the blocks.
func (r *rendering) resultLimit() int {
	if r.output.most > 0 {
		return r.output.most
	}
	return r.by.resultBytes
}

// problemsMeta returns the _meta with the problems of arguments, for programs.
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

func (p *RawReply) weight() int { return len(p.JSON) }

func (p *RawReply) least() int {
	if p.own {
		return 0
	}
	return len(p.JSON)
}

func (p *ToolResult) weight() int {
	size := len(p.Structured)
	if len(p.Meta) > 0 {
		size += metaWeight(p.Meta)
	}
	if len(p.Content) == 0 {
		size += 3 * len(p.Structured) / 2 // the same JSON again, as a text with escaped quotes
	}
	for _, c := range p.Content {
		size += contentWeight(c)
	}
	return size
}

func (p *ToolResult) least() int {
	content := 0
	for _, c := range p.Content {
		if _, own := c.(jsonText); !own {
			content += contentSize(c)
		}
	}
	return max(len(p.Structured), content)
}
