package mcp

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// largeResult is the size from which on a result that is encoded needs one of the places
// for replies that go beyond the budget, so that not too many are encoded at once.
const largeResult = 1 << 20

// resultStorage is an exchange whose result is being encoded, as where the encoder gets
// its storage from.
type resultStorage exchange

// Grow waits until it is the turn of the result and there is room for it, as long as the
// reply of an exchange may.
func (r *resultStorage) Grow(text []byte, capacity int) ([]byte, error) {
	x := (*exchange)(r)
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
		x.sink.Flush() // lets the next one pass that waits for the client
	}
	return growText(text, capacity), nil
}

func (r *resultStorage) Free(text []byte) { freeText(text) }

// streamStorage is resultStorage for a stream. Its items take as long as the function of
// the user does, and meanwhile it must not have what others wait for, nor wait itself.
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

// growText copies a text to storage of that capacity. Large storage is made as needed,
// since what is lent may have twice as much.
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
