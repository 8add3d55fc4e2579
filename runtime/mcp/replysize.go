package mcp

import (
	"encoding/base64"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// weight is about how long a reply is as it is sent.
func weight(reply Reply) int {
	size := 0
	switch reply := reply.(type) {
	case *ToolResult:
		size = len(reply.Structured) + metaWeight(reply.Meta)
		if len(reply.Content) == 0 {
			size += 3 * len(reply.Structured) / 2 // once more, as a text with its quotes escaped
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
	case *extensionResult:
		size = len(reply.object)
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

// full reports whether nothing more need be written, as there are too many bytes or
// something is wrong.
func (r *rendering) full(b []byte) bool {
	if r.most > 0 && len(b) > r.most {
		r.fail(&tooLarge{limit: r.allowed})
	}
	return r.err != nil
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

// tooLarge is a result over the limit. How large it would be is not known: it is not
// written to its end.
type tooLarge struct {
	limit int
}

func (e *tooLarge) Error() string {
	return fmt.Sprintf("the result has more than the %d bytes that are allowed", e.limit)
}

// text is what the model reads instead of the result: never a part of it.
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
