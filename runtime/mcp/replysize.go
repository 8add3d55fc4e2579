package mcp

import (
	"encoding/base64"
	"fmt"
	"math"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file has the sizes of replies. Before a reply is written, [Request.oversize] returns an
// error for one that has too many bytes in any case, and [weight] estimates its length, for which
// room is made. While it is written, a [rendering] counts its bytes. All of it runs on the
// goroutine that writes the reply.

// weight estimates how many bytes a reply has when it is sent.
func weight(reply Reply) int {
	size := 0
	switch reply := reply.(type) {
	case *ToolResult:
		size = len(reply.Structured) + metaWeight(reply.Meta)
		if len(reply.Content) == 0 {
			size += 3 * len(reply.Structured) / 2 // a second time, as a text with escaped quotes
		}
		for _, c := range reply.Content {
			size += contentWeight(c)
		}
	case *ResourceResult:
		size = metaWeight(reply.Meta)
		for i := range reply.Contents {
			size += textWeight(len(reply.Contents[i].Text)) + blobWeight(len(reply.Contents[i].Blob)) + metaWeight(reply.Contents[i].Meta)
		}
	case *PromptResult:
		size = metaWeight(reply.Meta)
		for i := range reply.Messages {
			size += contentWeight(reply.Messages[i].Content)
		}
	case *RawReply:
		size = len(reply.JSON)
	case *InputRequired:
		size = len(reply.sealed)
		for i := range reply.open {
			size += len(reply.open[i].params)
		}
	case *Completion:
		for _, value := range reply.Values[:min(len(reply.Values), maxCompletions)] {
			size += textWeight(len(value))
		}
	}
	return size
}

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

// oversize returns an error for a reply whose parts alone are too large. It returns nil if the
// reply fits, or its size is known only after it is written.
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

// contentSize is how many bytes a block has at least when it is sent.
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

// bound sets how many bytes may follow b. They are counted while texts are written.
func (r *rendering) bound(b []byte, more int) {
	if !r.unlimited {
		r.most, r.allowed = len(b)+min(more, math.MaxInt-len(b)), more
	}
}

// checkSize fails if there are too many bytes.
func (r *rendering) checkSize(b []byte) {
	if r.most > 0 && len(b) > r.most {
		r.fail(&tooLarge{limit: r.allowed})
	}
}

// text writes a text. It fails if there are too many bytes, before it writes all of them.
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

// bytes writes bytes in base64. It fails if there are too many.
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

// tooLarge is the error for a result above the limit. Its size is not known, since the rest is
// not written.
type tooLarge struct {
	limit int
}

// Error gives the limit.
func (e *tooLarge) Error() string {
	return fmt.Sprintf("the result has more than the %d bytes that are allowed", e.limit)
}

// text is the text of the failed result, which the model reads. It has no part of the result.
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
