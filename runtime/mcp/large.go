package mcp

import (
	"encoding/base64"
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
		if err := x.claim(capacity, capacity > largeResult); err != nil {
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

// oversize tells that a reply is too large by what it is made of already, before room
// is made for it. It returns nil for one that may not be too large.
func (r *Request) oversize(reply Reply) *tooLarge {
	size, limit := 0, r.x.conn.server.limits.ResultBytes
	switch reply := reply.(type) {
	case *ToolResult:
		limit = r.maxResult()
		content := 0
		for _, c := range reply.Content {
			if _, own := c.(jsonText); !own {
				content += contentSize(c)
			}
		}
		size = max(len(reply.Structured), content)
	case *PromptResult:
		for i := range reply.Messages {
			size += contentSize(reply.Messages[i].Content)
		}
	case *ResourceResult:
		limit = r.resourceLimit()
		for i := range reply.Contents {
			size += len(reply.Contents[i].Text) + len(reply.Contents[i].Blob)
		}
	case *RawReply:
		if !reply.own {
			size = len(reply.JSON)
		}
	case *extensionResult:
		size = len(reply.object)
	case *Completion:
		for _, value := range reply.Values[:min(len(reply.Values), maxCompletions)] {
			size += len(value)
		}
	}
	if size <= limit {
		return nil
	}
	return &tooLarge{limit: limit}
}

// contentSize is how many bytes a block has at least as it is sent.
func contentSize(c Content) int {
	switch c := c.(type) {
	case Text:
		return len(c.Text)
	case Image:
		return base64.StdEncoding.EncodedLen(len(c.Data))
	case Audio:
		return base64.StdEncoding.EncodedLen(len(c.Data))
	case EmbeddedResource:
		return len(c.Text) + base64.StdEncoding.EncodedLen(len(c.Blob))
	}
	return 0
}

// bound sets how many bytes more the reply may have, which is looked at while its
// texts are written.
func (r *rendering) bound(b []byte, more int) {
	if !r.unlimited {
		r.most, r.allowed = len(b)+more, more
	}
}

// text writes a text, as long as there are not too many bytes.
func (r *rendering) text(b []byte, text string) []byte {
	if r.most == 0 {
		return wire.AppendString(b, text)
	}
	if r.full(b) {
		return b
	}
	b, ok := wire.AppendStringWithin(b, text, r.most)
	if !ok {
		r.fail(&tooLarge{limit: r.allowed})
	}
	return b
}

// bytes writes bytes in base64, unless there are too many.
func (r *rendering) bytes(b, data []byte) []byte {
	if r.most > 0 && len(b)+base64.StdEncoding.EncodedLen(len(data)) > r.most {
		r.fail(&tooLarge{limit: r.allowed})
	}
	if r.err != nil {
		return b
	}
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, data)
	return append(b, '"')
}

// full reports whether nothing more need be written, as there are too many bytes or
// something is wrong.
func (r *rendering) full(b []byte) bool {
	if r.most > 0 && len(b) > r.most {
		r.fail(&tooLarge{limit: r.allowed})
	}
	return r.err != nil
}
