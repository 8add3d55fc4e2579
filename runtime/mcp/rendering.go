package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file writes replies within their limits. Before a reply is written, [Request.oversize]
// returns an error for a reply that is certainly too large, and its weight is an estimate of its
// length, for which memory is charged. [replyWriter.Append] gives every [Reply] a rendering, which
// knows the revision, the limits and the first error, and counts the bytes. It is used by the
// goroutine that writes only: the request goroutine, or the goroutine that reads if the reply needs
// no handler.

// publisher contains the parts of replies that describe the server, and their limits. It does not
// change once the server serves.
type publisher struct {
	info          *ServerInfo
	identity      [revisions][]byte          // name and version, in the form of each revision
	declared      map[string]json.RawMessage // declared extensions, whose prefixes keys of _meta may begin with
	resultBytes   int
	resourceBytes int
}

// rendering is the state of writing one reply.
type rendering struct {
	by       *publisher // nil for the description of a feature, which is checked when the feature is registered
	revision *protocol.Revision
	id       jsonrpc.ID

	output      outputForm   // of the called tool
	resource    resourceForm // of the resource that is read
	description string       // of the prompt
	tools       toolBlocks   // of the sampling message

	resumed   bool // the request came with answers or with a request state
	decided   bool // the part of the server that the request sees depends on its sender
	unlimited bool // an error is written instead of a result
	most      int  // limit of the reply in bytes; 0 without a limit
	allowed   int  // bytes that may follow the text at the last call of bound
	err       error
}

// fail records an error, unless one is recorded already.
func (r *rendering) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// check is like fail for an error that may be nil.
func (r *rendering) check(err error) {
	if err != nil {
		r.fail(err)
	}
}

// closeResult writes the members that the revision requires in every result, and the closing brace.
// With full, the server is described in full (server/discover), otherwise by its name and version.
func (r *rendering) closeResult(b []byte, m Meta, full bool) []byte {
	if r.revision.Fields.ResultType {
		b = append(b, `,"resultType":"complete"`...)
	}
	return r.closeMeta(b, m, full)
}

// closeMeta is like closeResult without resultType.
func (r *rendering) closeMeta(b []byte, m Meta, full bool) []byte {
	f := &r.revision.Fields
	switch {
	case f.ServerMeta:
		b = append(b, `,"_meta":{"`+protocol.MetaServerInfo+`":`...)
		if full {
			b = r.by.info.appendImplementation(b, f, true)
		} else {
			b = append(b, r.by.identity[r.revision.Index()]...)
		}
		b = r.appendMeta(b, m, true)
		b = append(b, '}')
	case len(m) > 0:
		b = append(b, `,"_meta":{`...)
		b = r.appendMeta(b, m, false)
		b = append(b, '}')
	}
	return append(b, '}')
}

// appendCacheHints writes the time for which a result may be cached, and whether a shared cache may
// return it to other clients (server/utilities/caching).
func appendCacheHints(b []byte, rev *protocol.Revision, ttl time.Duration, private bool) []byte {
	if !rev.Fields.CacheHints {
		return b
	}
	b = append(b, `,"ttlMs":`...)
	b = strconv.AppendInt(b, max(0, ttl.Milliseconds()), 10)
	if private {
		return append(b, `,"cacheScope":"private"`...)
	}
	return append(b, `,"cacheScope":"public"`...)
}

// revisions is the number of protocol revisions, for tables.
const revisions = 5

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
