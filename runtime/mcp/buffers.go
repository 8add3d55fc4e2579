package mcp

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// buffers are the storage of one message and of its reply, from a pool. They have one owner at a
// time, and no lock: the goroutine that reads the message, and then, for a request with a
// handler, the exchange ([newExchange]) on its goroutine. The owner releases them.
type buffers struct {
	settings *engineSettings
	data     []byte
	msg      jsonrpc.Message
	decoder  wire.Decoder
	encoder  wire.Encoder
	out      []byte
	account  membudget.Account // for all of it
}

// keptBuffer is the size up to which buffers stay in the pool.
const keptBuffer = 64 << 10

var bufferPool = sync.Pool{New: func() any { return new(buffers) }}

// newBuffers returns empty buffers, which are charged to the memory of the server.
func (s *engineSettings) newBuffers() *buffers {
	b := bufferPool.Get().(*buffers)
	b.settings = s
	b.account.Of(s.memory)
	return b
}

// load copies a message into the buffers. It reports false, and leaves them empty, if there is
// no room for it.
func (b *buffers) load(message []byte) bool {
	b.data = b.data[:0]
	if !b.account.Take(b.sizeWith(message)) {
		// Buffers from the pool may have storage of larger messages. A short message
		// needs none of it, and a ping is answered also if there is no room at all.
		*b = buffers{settings: b.settings, account: b.account}
		if !b.account.Take(b.sizeWith(message)) {
			return false
		}
	}
	if len(message) > keptBuffer {
		b.data = bufpool.Grow(b.data, len(message))
	}
	b.data = append(b.data, message...)
	return true
}

// sizeWith is the size of the buffers after load of that message.
func (b *buffers) sizeWith(message []byte) int {
	size := b.size()
	if len(message) > max(cap(b.data), membudget.Free) {
		size += bufpool.Size(len(message))
	}
	return size
}

// size is what is charged for the buffers: their capacities, except for small ones.
func (b *buffers) size() int {
	size := 0
	for _, capacity := range [...]int{cap(b.data), cap(b.out), cap(b.encoder.Bytes())} {
		if capacity > membudget.Free {
			size += capacity
		}
	}
	return size
}

// preallocate allocates storage for a large reply of that size.
func (b *buffers) preallocate(size int) {
	if size > keptBuffer {
		b.out = bufpool.Grow(b.out[:0], size)
	}
}

// releaseMessage releases the storage of the message, if it is large, and of the encoded result.
// Neither is needed once the reply is written.
func (b *buffers) releaseMessage() {
	if cap(b.data) > keptBuffer {
		b.msg.Reset()
		bufpool.Put(b.data)
		b.data = nil
	}
	b.encoder.Reset()
}

// releaseReply releases the storage of the reply.
func (b *buffers) releaseReply() {
	bufpool.Put(b.out)
	b.out = nil
}

// release returns the buffers to the pool.
func (b *buffers) release() {
	b.reset()
	bufferPool.Put(b)
}

// reset makes the buffers ready for another message.
func (b *buffers) reset() {
	b.msg.Reset()
	b.decoder.Reset(nil, wire.Options{})
	b.encoder.Reset()
	if cap(b.data) > keptBuffer {
		bufpool.Put(b.data)
		b.data = nil
	}
	if cap(b.out) > keptBuffer {
		b.releaseReply()
	}
	b.account.Set(0)
}

// message returns the message, which the buffers contain.
func (b *buffers) message() *jsonrpc.Message { return &b.msg }

// replace makes another text the message. It reports false if there is no room for it, or it is not a
// message; the message is then what it was.
func (b *buffers) replace(text []byte) bool {
	before := b.data
	b.data = text
	if b.account.Take(b.size()) && b.settings.parser.Parse(text, &b.msg) == nil {
		return true
	}
	b.data = before
	b.account.Take(b.size())
	_ = b.settings.parser.Parse(before, &b.msg) // which has been parsed before
	return false
}

// newMessageBuffers returns buffers with the message of a text.
func (s *engineSettings) newMessageBuffers(text []byte) (*buffers, *jsonrpc.Error) {
	b := s.newBuffers()
	if !b.load(text) {
		b.release()
		return nil, errOverloaded
	}
	if err := s.parser.Parse(b.data, &b.msg); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}
