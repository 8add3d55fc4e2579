package mcp

import (
	"encoding/base64"
	"fmt"
	"math"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file limits the sizes of replies. Before a reply is written, [Request.oversize] returns an
// error for a reply that is certainly too large, and its weight is an estimate of its length, for
// which memory is charged. While it is written, a [rendering] counts its bytes. All of this runs on
// the goroutine that writes the reply.

func metaWeight(m Meta) int {
	size := 0
	for name, value := range m {
		size += len(name) + len(value)
	}
	return size
}

func contentWeight(c Content) int {
	switch c := c.(type) {
	case Text:
		return textWeight(len(c.Text))
	case jsonText:
		return 3 * len(c.value) / 2
	case Image:
		return blobWeight(len(c.Data))
	case Audio:
		return blobWeight(len(c.Data))
	case EmbeddedResource:
		return textWeight(len(c.Text)) + blobWeight(len(c.Blob))
	}
	return 0
}

func textWeight(n int) int { return 9 * n / 8 }

func blobWeight(n int) int { return 4 * n / 3 }

// contentSize returns a lower bound for the bytes of a block when it is sent.
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

// bound limits the bytes that may follow b. They are counted while texts are written.
func (r *rendering) bound(b []byte, more int) {
	if !r.unlimited {
		r.most, r.allowed = len(b)+min(more, math.MaxInt-len(b)), more
	}
}

// checkSize fails if b exceeds the limit.
func (r *rendering) checkSize(b []byte) {
	if r.most > 0 && len(b) > r.most {
		r.fail(&tooLarge{limit: r.allowed})
	}
}

// text writes a text. It fails if the limit is exceeded, before it writes all of the text.
func (r *rendering) text(b []byte, text string) []byte {
	if r.most == 0 {
		return wire.AppendString(b, text)
	}
	if r.checkSize(b); r.err != nil {
		return b
	}
	b, ok := wire.AppendStringWithin(b, text, r.most)
	if !ok {
		r.fail(&tooLarge{limit: r.allowed})
	}
	return b
}

// bytes writes bytes in base64. It fails if they exceed the limit.
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

// tooLarge is the error for a result above the limit. The size of the result is not known, since
// the rest is not written.
type tooLarge struct {
	limit int
}

// Error returns a message with the limit.
func (e *tooLarge) Error() string {
	return fmt.Sprintf("the result has more than the %d bytes that are allowed", e.limit)
}

// text returns the content of the failed result, which the model reads. It does not contain any
// part of the result.
func (e *tooLarge) text(narrow []string) string {
	text := e.Error()
	if len(narrow) == 0 {
		return text
	}
	text += "; narrow it with "
	for i, name := range narrow {
		switch {
		case i == 0:
		case i == len(narrow)-1:
			text += " or "
		default:
			text += ", "
		}
		text += name
	}
	return text
}

func tooLargeError(e *tooLarge) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: e.Error(), Data: []byte(`{"reason":"too large"}`)}
}
