package mcp

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file is the storage of an encoder while it writes a result. The encoder asks for more as
// the result grows, on the goroutine of the request, which may wait for its turn then.

// largeResult is the size from which on a result needs a place beyond the budget while it is
// encoded, so that few such results are encoded at the same time.
const largeResult = 1 << 20

// resultStorage is the wire.Storage of an exchange.
type resultStorage exchange

// Grow waits for the turn of the result and for room, as long as a reply may.
func (r *resultStorage) Grow(text []byte, capacity int) ([]byte, error) {
	x := (*exchange)(r)
	if x.record() != nil { // which has no client that others wait for
		return (*streamStorage)(r).Grow(text, capacity)
	}
	if capacity <= largeResult {
		capacity = bufpool.Size(capacity)
	}
	if err := x.waitTurn(capacity); err != nil {
		return nil, err
	}
	if b := x.buffers; capacity > keptBuffer || !b.account.Take(b.size()+capacity) {
		if err := x.reserve(capacity, capacity > largeResult); err != nil {
			return nil, err
		}
		x.sink.Flush() // Wait let one handler pass; wake the next
	}
	return growText(text, capacity), nil
}

func (r *resultStorage) Free(text []byte) { freeText(text) }

// streamStorage is resultStorage for a stream. The function of the user produces its items in
// its own time. Meanwhile the request must not hold a turn or a place that others wait for, so
// Grow does not wait.
type streamStorage exchange

func (r *streamStorage) Grow(text []byte, capacity int) ([]byte, error) {
	b := (*exchange)(r).buffers
	if capacity <= largeResult {
		capacity = bufpool.Size(capacity)
	}
	if !b.account.Take(b.size() + capacity) {
		return nil, protocolError(errOverloaded)
	}
	return growText(text, capacity), nil
}

func (r *streamStorage) Free(text []byte) { freeText(text) }

// growText copies a text to storage of that capacity. Large storage is allocated, since that
// from the pool may have twice the capacity.
func growText(text []byte, capacity int) []byte {
	if capacity <= largeResult {
		return append(bufpool.Get(capacity), text...)
	}
	return append(make([]byte, 0, capacity), text...)
}

func freeText(text []byte) {
	if cap(text) <= largeResult {
		bufpool.Put(text)
	}
}

// encodingFailed is the error for a result that an encoder could not write.
func (r *Request) encodingFailed(err error) error {
	if large, ok := errors.AsType[*wire.SizeError](err); ok {
		return &tooLarge{limit: large.Limit}
	}
	return &encodingError{err}
}
