package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Content is a content block: [Text], [Image], [Audio], [ResourceLink] or [EmbeddedResource]. A
// client of an older revision gets the most similar block of that revision. A block that the
// specification does not allow is not sent: the call fails, and the server logs the reason.
//
// Content that a client received consists of values of these types, not pointers, and of
// [RawContent] for blocks of other types.
type Content interface {
	json.Marshaler
	isContent()
}

// contentWriter is implemented by every [Content]. Its method is not a part of Content itself,
// because programs of clients would then link the descriptors of servers.
type contentWriter interface {
	appendTo(b []byte, r *rendering) []byte
}

func (Text) isContent()             {}
func (Image) isContent()            {}
func (Audio) isContent()            {}
func (ResourceLink) isContent()     {}
func (EmbeddedResource) isContent() {}
func (RawContent) isContent()       {}
func (jsonText) isContent()         {}

// Annotations tell a client how to use a block (server/resources, annotations).
type Annotations struct {
	Audience     []Role    `json:"audience,omitempty"`
	Priority     *float64  `json:"priority,omitempty"`    // from 0, entirely optional, to 1, required; nil = not set
	LastModified time.Time `json:"lastModified,omitzero"` // zero = not set; from revision 2025-06-18 on
}

// Role is a side of the conversation.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Text is a block of plain text. Invalid UTF-8 is replaced by U+FFFD.
type Text struct {
	Text        string
	Annotations *Annotations
	Meta        Meta
}

// Image is a picture. Data are the bytes of the file, not base64.
type Image struct {
	Data        []byte
	MIMEType    string // such as image/png; "" = application/octet-stream
	Annotations *Annotations
	Meta        Meta
}

// Audio is a piece of sound (from revision 2025-03-26 on; before, it is an embedded resource). Data
// are the bytes of the file, not base64.
type Audio struct {
	Data        []byte
	MIMEType    string // such as audio/wav; "" = application/octet-stream
	Annotations *Annotations
	Meta        Meta
}

// ResourceLink points to a resource that the client may read (from revision 2025-06-18 on; before,
// it is a text with name and URI).
type ResourceLink struct {
	URI         string // absolute (RFC 3986)
	Name        string // for programs; not ""
	Title       string
	Description string
	MIMEType    string
	Size        int64 // in bytes; 0 = not known
	Icons       []Icon
	Annotations *Annotations
	Meta        Meta
}

// EmbeddedResource is a resource with its content.
type EmbeddedResource struct {
	URI         string // absolute (RFC 3986)
	MIMEType    string // "" = text/plain for a text, application/octet-stream for a blob
	Text        string
	Blob        []byte // the content if not nil; otherwise Text is the content
	Annotations *Annotations
	Meta        Meta

	ResourceMeta Meta // metadata of the resource inside the block
}

// RawContent is a block that a client received, of a type that this package does not know. A server
// does not send it.
type RawContent struct {
	Type string
	JSON json.RawMessage // the whole block as received
}

func (c Text) appendTo(b []byte, r *rendering) []byte {
	b = append(b, `{"type":"text","text":`...)
	b = r.text(b, c.Text)
	return r.closeBlock(b, c.Annotations, c.Meta)
}

func (c Image) appendTo(b []byte, r *rendering) []byte {
	return r.media(b, "image", c.Data, c.MIMEType, c.Annotations, c.Meta)
}

func (c Audio) appendTo(b []byte, r *rendering) []byte {
	if !r.revision.Fields.Audio {
		r.check(checkMIMEType("an audio block", c.MIMEType))
		return EmbeddedResource{
			URI: "attachment:audio", MIMEType: c.MIMEType, Blob: bytesOf(c.Data), Annotations: c.Annotations,
		}.appendTo(b, r)
	}
	return r.media(b, "audio", c.Data, c.MIMEType, c.Annotations, c.Meta)
}

func (c ResourceLink) appendTo(b []byte, r *rendering) []byte {
	f := &r.revision.Fields
	r.check(checkURI("a resource link", c.URI))
	r.check(checkMIMEType("a resource link", c.MIMEType))
	r.check(checkIcons(c.Icons))
	if c.Name == "" {
		r.fail(fmt.Errorf("the resource link to %s has no name: set Name", c.URI))
	}
	if !f.ResourceLink {
		return Text{Text: c.Name + ": " + c.URI, Annotations: c.Annotations}.appendTo(b, r)
	}
	b = append(b, `{"type":"resource_link","uri":`...)
	b = wire.AppendString(b, c.URI)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, c.Name)
	if f.Title {
		b = jsonobject.AppendText(b, "title", c.Title)
	}
	b = jsonobject.AppendText(b, "description", c.Description)
	b = jsonobject.AppendText(b, "mimeType", c.MIMEType)
	if c.Size > 0 {
		b = append(b, `,"size":`...)
		b = strconv.AppendInt(b, c.Size, 10)
	}
	if f.Icons {
		b = appendIcons(b, c.Icons)
	}
	return r.closeBlock(b, c.Annotations, c.Meta)
}

func (c EmbeddedResource) appendTo(b []byte, r *rendering) []byte {
	r.check(checkURI("an embedded resource", c.URI))
	r.check(checkMIMEType("an embedded resource", c.MIMEType))
	b = append(b, `{"type":"resource","resource":{"uri":`...)
	b = wire.AppendString(b, c.URI)
	if c.Blob != nil {
		b = jsonobject.AppendText(b, "mimeType", orElse(c.MIMEType, "application/octet-stream"))
		b = r.bytes(append(b, `,"blob":`...), c.Blob)
	} else {
		b = jsonobject.AppendText(b, "mimeType", orElse(c.MIMEType, "text/plain"))
		b = append(b, `,"text":`...)
		b = r.text(b, c.Text)
	}
	b = r.closeBlock(b, nil, c.ResourceMeta)
	return r.closeBlock(b, c.Annotations, c.Meta)
}

func (c RawContent) appendTo(b []byte, r *rendering) []byte {
	r.fail(fmt.Errorf("a block of type %q was received, and cannot be sent: its type is none of package mcp", c.Type))
	return b
}

// jsonText is the copy of structured content as a text block: the same JSON, wrapped in an object
// if the structured content is wrapped (server/tools, structured content).
type jsonText struct {
	value []byte
}

// MarshalJSON returns the block as JSON, for interceptors.
func (c jsonText) MarshalJSON() ([]byte, error) { return Text{Text: string(c.value)}.MarshalJSON() }

func (c jsonText) appendTo(b []byte, r *rendering) []byte {
	before := len(b)
	b = append(b, `{"type":"text","text":`...)
	if r.output.textOnly || !r.wraps(c.value) {
		b = append(wire.AppendString(b, c.value), '}')
	} else {
		b = append(b, `"{\"result\":`...)
		start := len(b)
		b = wire.AppendString(b, c.value)
		b = append(b[:start], b[start+1:len(b)-1]...) // without its quotes
		b = append(b, `}"}`...)
	}
	if r.most > 0 {
		r.most += len(b) - before // the limit of the structured content already covers it
	}
	return b
}

func (r *rendering) media(b []byte, kind string, data []byte, mime string, a *Annotations, m Meta) []byte {
	if mime == "" {
		mime = "application/octet-stream"
	} else if !valid.IsMediaType(mime) { // without the words where they are not needed
		r.fail(checkMIMEType("a block of type "+kind, mime))
	}
	b = append(b, `{"type":"`...)
	b = append(b, kind...)
	b = r.bytes(append(b, `","data":`...), data)
	b = append(b, `,"mimeType":`...)
	b = wire.AppendString(b, mime)
	return r.closeBlock(b, a, m)
}

// closeBlock writes the members that every block may have, and the closing brace.
func (r *rendering) closeBlock(b []byte, a *Annotations, m Meta) []byte {
	f := &r.revision.Fields
	r.check(a.check())
	b = a.appendTo(b, f)
	if f.FeatureMeta && len(m) > 0 {
		b = append(b, `,"_meta":{`...)
		b = r.appendMeta(b, m, false)
		b = append(b, '}')
	}
	return append(b, '}')
}

// appendTo writes the member annotations after others, unless a is empty.
func (a *Annotations) appendTo(b []byte, f *protocol.Fields) []byte {
	if a == nil {
		return b
	}
	start := len(b)
	b = append(b, `,"annotations":{`...)
	empty := len(b)
	if len(a.Audience) > 0 {
		b = append(b, `"audience":[`...)
		for i, role := range a.Audience {
			if i > 0 {
				b = append(b, ',')
			}
			b = wire.AppendString(b, string(role))
		}
		b = append(b, ']')
	}
	if a.Priority != nil {
		b = jsonobject.Comma(b, empty)
		b = append(b, `"priority":`...)
		b = wire.AppendFloat(b, *a.Priority, 64)
	}
	if f.LastModified && !a.LastModified.IsZero() {
		b = jsonobject.Comma(b, empty)
		b = append(b, `"lastModified":"`...)
		b = a.LastModified.AppendFormat(b, time.RFC3339)
		b = append(b, '"')
	}
	if len(b) == empty {
		return b[:start]
	}
	return append(b, '}')
}

// bytesOf returns data, or an empty slice for nil.
func bytesOf(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
