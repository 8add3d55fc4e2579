package mcp

import (
	"errors"
	"io"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ErrNotFound means that the resource does not exist. Clients get the error that their revision
// defines for it.
var ErrNotFound = errors.New("resource not found")

// ResourceResult is the result of reading a resource (ReadResourceResult in the specification).
type ResourceResult struct {
	// Contents are the contents: usually one, several for a resource that consists of parts. If
	// Contents is empty, the resource exists and is empty.
	Contents []ResourceContents `json:"contents"`
	// TTL is the time for which the client may cache the contents; 0 means the TTL of the resource.
	// A client gets at most a day, and 0 if the server does not set a TTL.
	TTL time.Duration `json:"-"`
	// Cache tells who may cache the contents; "" means the scope of the resource. In a client, ""
	// means that the server has not set a scope.
	Cache CacheScope `json:"-"`
	Meta  Meta       `json:"_meta,omitempty"`
}

// Text returns all texts in the contents, joined.
func (p *ResourceResult) Text() string {
	var b strings.Builder
	for i := range p.Contents {
		b.WriteString(p.Contents[i].Text)
	}
	return b.String()
}

// Blob returns the first blob, or nil without one.
func (p *ResourceResult) Blob() []byte {
	for i := range p.Contents {
		if blob := p.Contents[i].Blob; blob != nil {
			return blob
		}
	}
	return nil
}

// ResourceContents is a text or a blob.
type ResourceContents struct {
	URI      string // absolute (RFC 3986); "" = the URI of the request
	MIMEType string // "" = the type of the resource
	Text     string
	Blob     []byte // the content if not nil; otherwise Text is the content
	// UI describes a page, instead of the description of its resource: the host of the client may
	// need another Domain. It takes precedence over a key ui in Meta. In a client it is nil if the
	// server describes nothing.
	UI   *ResourceUI
	Meta Meta // from revision 2025-06-18 on
}

// TextContents returns a result of one text.
func TextContents(text string) *ResourceResult {
	return &ResourceResult{Contents: []ResourceContents{{Text: text}}}
}

// BlobContents returns a result of one blob.
func BlobContents(data []byte) *ResourceResult {
	return &ResourceResult{Contents: []ResourceContents{{Blob: bytesOf(data)}}}
}

// readAll reads to the end, up to limit bytes. It fails if there are more.
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

// ReadInfo describes how a resource is read.
type ReadInfo struct {
	// TTL is the time for which a client may cache the contents, from revision 2026-07-28 on; 0
	// means not at all.
	TTL time.Duration
	// Cache tells who may cache the contents: "" means [CachePrivate].
	Cache CacheScope
	// Requires are capabilities without which a client cannot read the resource.
	Requires []Capability
	// Errors returns the message of an error for clients, and whether it has one.
	Errors func(error) (text string, ok bool)
	// HideErrors hides the messages of all other errors from clients.
	HideErrors bool
	// MaxBytes limits the size of the contents; 0 means [Limits.ResourceBytes].
	MaxBytes int
	// Timeout limits the time of a read; 0 means [WithTimeout].
	Timeout time.Duration
}

// CacheScope tells who may cache a result (server/utilities/caching).
type CacheScope string

// The scopes.
const (
	CachePublic  CacheScope = "public"  // the same for all clients
	CachePrivate CacheScope = "private" // only for the client that asked
)

// resourceForm contains the properties of a resource that apply to contents which do not set them.
type resourceForm struct {
	uri, mime string
	info      *ReadInfo
	ui        *ResourceUI
}

// resourceRoom limits the members of a result that are not contents, in bytes.
const resourceRoom = 16 << 10

func (p *ResourceResult) appendTo(b []byte, r *rendering) []byte {
	info := r.resource.info
	if info == nil {
		info = new(ReadInfo)
	}
	limit := r.by.resourceBytes
	if info.MaxBytes > 0 {
		limit = info.MaxBytes
	}
	b = append(b, `{"contents":[`...)
	// The limit applies to the contents before they are encoded: escapes and base64 make them
	// longer.
	r.bound(b, 2*limit+resourceRoom)
	for i := range p.Contents {
		if i > 0 {
			b = append(b, ',')
		}
		if r.checkSize(b); r.err != nil {
			return b
		}
		b = p.Contents[i].appendTo(b, r)
	}
	b = append(b, ']')
	ttl, scope := p.TTL, p.Cache
	if ttl == 0 {
		ttl = info.TTL
	}
	if scope == "" {
		scope = info.Cache
	}
	if r.resumed {
		ttl, scope = 0, CachePrivate
	}
	// A cache must not serve a resource to clients that may not see it.
	b = appendCacheHints(b, r.revision, ttl, scope != CachePublic || r.decided)
	return r.closeResult(b, p.Meta, false)
}

func (c *ResourceContents) appendTo(b []byte, r *rendering) []byte {
	about := &r.resource
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
	ui := c.UI
	if ui == nil && uri == about.uri {
		ui = about.ui
	}
	if valid.IsUI(uri) || ui != nil {
		if mime == "" && c.Blob == nil {
			mime = "text/plain"
		}
		r.check(checkPage(uri, mime, ui))
	}
	if ui.empty() {
		return r.closeBlock(b, nil, c.Meta)
	}
	b = ui.appendTo(append(b, `,"_meta":{`...)) // for hosts of every revision
	if r.revision.Fields.FeatureMeta {
		m := c.Meta
		if _, twice := m[uiMeta]; twice {
			m = maps.Clone(m)
			delete(m, uiMeta)
		}
		b = r.appendMeta(b, m, true)
	}
	return append(b, "}}"...)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (p *ResourceResult) weight() int {
	size := metaWeight(p.Meta)
	for i := range p.Contents {
		c := &p.Contents[i]
		size += textWeight(len(c.Text)) + blobWeight(len(c.Blob)) + metaWeight(c.Meta) + c.UI.weight()
	}
	return size
}

func (p *ResourceResult) least() (size int) {
	for i := range p.Contents {
		size += len(p.Contents[i].Text) + len(p.Contents[i].Blob)
	}
	return size
}
