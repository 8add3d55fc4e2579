package mcp

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// largeResult is an exchange whose result is being encoded, as what the encoder asks
// before that becomes a large one.
type largeResult exchange

// BeginLarge waits for one of the places for replies that go beyond the budget, until
// the request ends. It holds nothing while it waits for the client. The place is given
// back when the reply has been queued.
func (l *largeResult) BeginLarge() error {
	x := (*exchange)(l)
	if x.beyond {
		return nil // for a result before, which an interceptor has dropped
	}
	s := x.conn.server
	for {
		x.sink.Wait()
		x.sink.Flush()                                                           // lets the next one pass that waits for the client
		if !s.memory.Enter(x.ctx.Done(), s.limits.CallTime+s.limits.GraceTime) { // the request ends first
			if x.ctx.Err() != nil {
				return context.Cause(&x.ctx)
			}
			return protocolError(errOverloaded)
		}
		if x.beyond = true; !x.sink.Full() {
			return nil
		}
		x.settle()
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
