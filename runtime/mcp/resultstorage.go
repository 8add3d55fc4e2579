package mcp

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// resultStorage is the wire.Storage of an exchange.
type resultStorage exchange

// Grow waits for the result's turn, and for memory as long as a reply may wait.
func (r *resultStorage) Grow(text []byte, capacity int) ([]byte, error) {
	x := (*exchange)(r)
	if x.record() != nil { // a task, which no client waits for
		return (*streamStorage)(r).Grow(text, capacity)
	}
	text, err := x.Grow(text, capacity)
	return text, engineError(err)
}

func (r *resultStorage) Free(text []byte) { engine.FreeText(text) }

// streamStorage is a resultStorage for a stream, whose items the function of the user produces at
// its own pace. Grow does not wait.
type streamStorage exchange

func (r *streamStorage) Grow(text []byte, capacity int) ([]byte, error) {
	text, err := (*exchange)(r).GrowNow(text, capacity)
	return text, engineError(err)
}

func (r *streamStorage) Free(text []byte) { engine.FreeText(text) }

// encodingFailed returns the error for a result that an encoder could not write.
func (r *Request) encodingFailed(err error) error {
	if large, ok := errors.AsType[*wire.SizeError](err); ok {
		return &tooLarge{limit: large.Limit}
	}
	return &encodingError{err}
}

// encoder returns an encoder for the structured result, with the limit of the result. It belongs to
// the request, and other requests use it again after the handler returns.
func (r *Request) encoder() *wire.Encoder {
	e := &r.x.Buffers.Encoder
	e.Reset()
	limit := r.maxResult()
	if r.x.Method == protocol.ResourcesRead {
		limit = r.resourceLimit()
	}
	e.SetLimit(limit, (*resultStorage)(r.x))
	return e
}

// structured returns the result that e contains. Its JSON aliases e.
func (r *Request) structured(e *wire.Encoder) (*ToolResult, error) {
	if err := e.Err(); err != nil {
		return nil, r.encodingFailed(err)
	}
	b := e.Bytes()
	return &ToolResult{Structured: b, own: b}, nil
}

// structuredWith is like structured for a [Result]: with text instead of the JSON text, unless it
// is empty, and with further blocks.
func (r *Request) structuredWith(e *wire.Encoder, text string, content ...Content) (*ToolResult, error) {
	result, err := r.structured(e)
	if err != nil || (text == "" && len(content) == 0) {
		return result, err
	}
	result.Content = make([]Content, 0, 1+len(content))
	if text != "" {
		result.Content = append(result.Content, Text{Text: text})
	} else {
		result.Content = append(result.Content, jsonText{result.Structured})
	}
	result.Content = append(result.Content, content...)
	return result, nil
}
