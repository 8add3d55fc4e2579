package mcp

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// resultStorage is the wire.Storage of an exchange.
type resultStorage exchange

// Grow waits for the turn of the result and for room, as long as a reply may.
func (r *resultStorage) Grow(text []byte, capacity int) ([]byte, error) {
	x := (*exchange)(r)
	if x.record() != nil { // which has no client that others wait for
		return (*streamStorage)(r).Grow(text, capacity)
	}
	text, err := x.Grow(text, capacity)
	return text, engineError(err)
}

func (r *resultStorage) Free(text []byte) { engine.FreeText(text) }

// streamStorage is resultStorage for a stream, whose items the function of the user produces in its own
// time. Grow does not wait.
type streamStorage exchange

func (r *streamStorage) Grow(text []byte, capacity int) ([]byte, error) {
	text, err := (*exchange)(r).GrowNow(text, capacity)
	return text, engineError(err)
}

func (r *streamStorage) Free(text []byte) { engine.FreeText(text) }

// encodingFailed is the error for a result that an encoder could not write.
func (r *Request) encodingFailed(err error) error {
	if large, ok := errors.AsType[*wire.SizeError](err); ok {
		return &tooLarge{limit: large.Limit}
	}
	return &encodingError{err}
}
