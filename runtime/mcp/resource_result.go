package mcp

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ErrNotFound means that the resource does not exist. Clients get the error of their revision for
// that.
var ErrNotFound = errors.New("resource not found")

// ResourceResult is the result of reading a resource (ReadResourceResult in the
// specification).
type ResourceResult struct {
	// Contents are the contents: mostly one, several for a resource that has
	// parts. Without any the resource exists and is empty.
	Contents []ResourceContents
	// TTL is how long the client may cache them; 0 means the TTL of the resource.
	TTL time.Duration
	// Cache is who may cache them; "" means the scope of the resource.
	Cache CacheScope
	Meta  Meta
}

// ResourceContents is a text or a blob.
type ResourceContents struct {
	URI      string // absolute (RFC 3986); "" = that of the request
	MIMEType string // "" = that of the resource
	Text     string
	Blob     []byte // the content, where it is not nil; otherwise Text is
	Meta     Meta   // from revision 2025-06-18 on
}

// TextContents returns a result of one text.
func TextContents(text string) *ResourceResult {
	return &ResourceResult{Contents: []ResourceContents{{Text: text}}}
}

// BlobContents returns a result of one blob.
func BlobContents(data []byte) *ResourceResult {
	return &ResourceResult{Contents: []ResourceContents{{Blob: bytesOf(data)}}}
}

// jsonContents returns the value that e holds as a text of JSON, for resources
// that are structured.
func (r *Request) jsonContents(e *wire.Encoder) (*ResourceResult, error) {
	if err := e.Err(); err != nil {
		return nil, r.encodingFailed(err)
	}
	contents := ResourceContents{Text: r.text(e)}
	if r.resource == nil || r.resource.mime == "" {
		contents.MIMEType = "application/json"
	}
	return &ResourceResult{Contents: []ResourceContents{contents}}, nil
}

// text returns what e holds as a text, which stays charged until the request ends.
func (r *Request) text(e *wire.Encoder) string {
	size := cap(e.Bytes())
	text := e.Text()
	r.x.KeepText(size)
	return text
}

// readBlob reads a resource from a reader, up to the size that it may have, and
// closes the reader where it can be closed.
func (r *Request) readBlob(from io.Reader) (result *ResourceResult, err error) {
	if c, ok := from.(io.Closer); ok {
		defer func() {
			if closed := c.Close(); closed != nil && err == nil {
				result, err = nil, fmt.Errorf("close resource: %w", closed)
			}
		}()
	}
	data, err := readAll(from, r.resourceLimit())
	if err != nil {
		return nil, err
	}
	return BlobContents(data), nil
}

// resourceLimit is how many bytes the contents of the resource may have.
func (r *Request) resourceLimit() int {
	if r.resource != nil && r.resource.info.MaxBytes > 0 {
		return r.resource.info.MaxBytes
	}
	return r.x.conn.server.limits.ResourceBytes
}

// readAll reads to the end, up to the limit. It fails if there is more.
func readAll(from io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, int64(min(limit, math.MaxInt-1))+1))
	if err != nil {
		return nil, err
	}
	if len(data) > limit {
		return nil, &tooLarge{limit: limit}
	}
	return data, nil
}

// resourceRoom is room for the members of a result besides the contents.
const resourceRoom = 16 << 10

func (p *ResourceResult) appendTo(b []byte, r *rendering) []byte {
	var about foundResource
	if r.resource != nil {
		about = *r.resource
	}
	info := about.info
	if info == nil {
		info = new(ReadInfo)
	}
	limit := r.server.limits.ResourceBytes
	if info.MaxBytes > 0 {
		limit = info.MaxBytes
	}
	b = append(b, `{"contents":[`...)
	// The limit is one of the contents as they are: escapes and base64 make them longer.
	r.bound(b, 2*limit+resourceRoom)
	for i := range p.Contents {
		if i > 0 {
			b = append(b, ',')
		}
		if r.checkSize(b); r.err != nil {
			return b
		}
		b = p.Contents[i].appendTo(b, r, &about)
	}
	b = append(b, ']')
	ttl, scope := p.TTL, p.Cache
	if ttl == 0 {
		ttl = info.TTL
	}
	if scope == "" {
		scope = info.Cache
	}
	if r.questions.resumed() {
		ttl, scope = 0, CachePrivate
	}
	// A cache must not serve a resource to clients that may not see it.
	b = appendCacheHints(b, r.revision, ttl, scope != CachePublic || r.decided)
	return r.closeResult(b, p.Meta, false)
}

func (c *ResourceContents) appendTo(b []byte, r *rendering, about *foundResource) []byte {
	uri, mime := c.URI, c.MIMEType
	if uri == "" {
		uri = about.uri
	}
	if c.URI != "" {
		r.check(checkURI("the contents of a resource", c.URI))
	}
	if c.MIMEType != about.mime { // the other one is checked
		r.check(checkMIMEType("the contents of a resource", c.MIMEType))
	}
	if mime == "" {
		mime = about.mime
	}
	b = append(b, `{"uri":`...)
	b = wire.AppendString(b, uri)
	if c.Blob != nil {
		b = jsonobject.AppendText(b, "mimeType", orElse(mime, "application/octet-stream"))
		b = r.bytes(append(b, `,"blob":`...), c.Blob)
	} else {
		b = jsonobject.AppendText(b, "mimeType", orElse(mime, "text/plain"))
		b = append(b, `,"text":`...)
		b = r.text(b, c.Text)
	}
	return r.closeBlock(b, nil, c.Meta)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
