package engine

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Buffers are the storage of one message and of its reply, from a pool. They have one owner at a
// time, and so no lock: the goroutine that reads the message, and then, for a request with a
// handler, the exchange ([Exchange.Begin]) on its goroutine. The owner releases them.
type Buffers struct {
	settings *Settings
	data     []byte
	Msg      jsonrpc.Message
	Decoder  wire.Decoder // for the arguments of the request
	Encoder  wire.Encoder // for its result
	out      []byte
	account  membudget.Account // charges message and reply
}

// keptBuffer is the size up to which buffers stay in the pool.
const keptBuffer = 64 << 10

var bufferPool = sync.Pool{New: func() any { return new(Buffers) }}

// newBuffers returns empty buffers, which are charged to the memory of the server.
func (s *Settings) newBuffers() *Buffers {
	b := bufferPool.Get().(*Buffers)
	if b.settings != s { // the buffers are new, or from another server of the process
		b.settings = s
		b.account.Of(s.Memory)
	}
	return b
}

// load copies a message into the buffers. It returns false, and leaves them empty, if the budget
// does not allow it.
func (b *Buffers) load(message []byte) bool {
	b.data = b.data[:0]
	if !b.account.Take(b.sizeWith(message)) {
		// Buffers from the pool may contain storage of larger messages. A short message does not
		// need it, and a ping is answered even if the budget is exhausted.
		*b = Buffers{settings: b.settings, account: b.account}
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

// sizeWith returns the size of the buffers after load of that message.
func (b *Buffers) sizeWith(message []byte) int {
	size := b.size()
	if len(message) > max(cap(b.data), membudget.Free) {
		size += bufpool.Size(len(message))
	}
	return size
}

// size returns the bytes that the buffers are charged for: their capacities, except for small ones.
func (b *Buffers) size() int {
	size := 0
	for _, capacity := range [...]int{cap(b.data), cap(b.out), cap(b.Encoder.Bytes())} {
		if capacity > membudget.Free {
			size += capacity
		}
	}
	return size
}

// preallocate allocates storage for a large reply of the given size.
func (b *Buffers) preallocate(size int) {
	if size > keptBuffer {
		b.out = bufpool.Grow(b.out[:0], size)
	}
}

// releaseMessage releases the storage of the message, if it is large, and of the encoded result.
// Neither is needed once the reply is written.
func (b *Buffers) releaseMessage() {
	if cap(b.data) > keptBuffer {
		b.Msg.Reset()
		bufpool.Put(b.data)
		b.data = nil
	}
	b.Encoder.Reset()
}

// releaseReply releases the storage of the reply.
func (b *Buffers) releaseReply() {
	bufpool.Put(b.out)
	b.out = nil
}

// release returns the buffers to the pool.
func (b *Buffers) release() {
	b.reset()
	bufferPool.Put(b)
}

// reset makes the buffers ready for another message.
func (b *Buffers) reset() {
	b.Msg.Reset()
	b.Decoder.Reset(nil, wire.Options{})
	b.Encoder.Reset()
	if cap(b.data) > keptBuffer {
		bufpool.Put(b.data)
		b.data = nil
	}
	if cap(b.out) > keptBuffer {
		b.releaseReply()
	}
	b.account.Set(0)
}

// Replace replaces the message by another text. It returns false if the budget does not allow it,
// or text is not a message; the message is then unchanged.
func (b *Buffers) Replace(text []byte) bool {
	before := b.data
	b.data = text
	if b.account.Take(b.size()) && b.settings.Parser.Parse(text, &b.Msg) == nil {
		return true
	}
	b.data = before
	b.account.Take(b.size())
	_ = b.settings.Parser.Parse(before, &b.Msg) // cannot fail: it was parsed before
	return false
}

// NewMessageBuffers returns buffers with the message in text.
func (s *Settings) NewMessageBuffers(text []byte) (*Buffers, *jsonrpc.Error) {
	b := s.newBuffers()
	if !b.load(text) {
		b.release()
		return nil, ErrOverloaded
	}
	if err := s.Parser.Parse(b.data, &b.Msg); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}
