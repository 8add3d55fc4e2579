package engine

import "github.com/mcpgen/mcpgen/runtime/internal/bufpool"

// This file grows the storage of an encoder while it writes a result. The encoder asks for more as
// the result grows, on the request goroutine, which may then have to wait for its turn.

// Grow returns storage of the given capacity with the text that an encoder wrote. It waits for the
// turn of the result, and for memory as long as a reply may wait.
func (x *Exchange) Grow(text []byte, capacity int) ([]byte, error) {
	if capacity <= largeResult {
		capacity = bufpool.Size(capacity)
	}
	if err := x.WaitTurn(capacity); err != nil {
		return nil, err
	}
	if b := x.Buffers; capacity > keptBuffer || !b.account.Take(b.size()+capacity) {
		if err := x.reserve(capacity, capacity > largeResult); err != nil {
			return nil, err
		}
		x.Sink.Flush() // wakes the next goroutine, since Wait has let this one pass
	}
	return growText(text, capacity), nil
}

// GrowNow is like Grow for a result whose parts are produced while it is written. Meanwhile the
// request must not hold a turn or a place that others wait for, so it does not wait.
func (x *Exchange) GrowNow(text []byte, capacity int) ([]byte, error) {
	b := x.Buffers
	if capacity <= largeResult {
		capacity = bufpool.Size(capacity)
	}
	if !b.account.Take(b.size() + capacity) {
		return nil, ErrOverloaded
	}
	return growText(text, capacity), nil
}

// largeResult is the size above which a result needs a place beyond the budget while it is encoded,
// so that few such results are encoded at the same time.
const largeResult = 1 << 20

// growText copies a text to storage of the given capacity. Large storage is allocated, since
// storage from the pool may have twice the capacity.
func growText(text []byte, capacity int) []byte {
	if capacity <= largeResult {
		return append(bufpool.Get(capacity), text...)
	}
	return append(make([]byte, 0, capacity), text...)
}

// FreeText returns storage of an encoder to its pool.
func FreeText(text []byte) {
	if cap(text) <= largeResult {
		bufpool.Put(text)
	}
}
