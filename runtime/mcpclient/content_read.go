package mcpclient

import (
	"bytes"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/uimeta"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The members of content blocks, by type.
var (
	textFields  = wire.Fields{{Must: "type"}, {Must: "text"}, {Name: "annotations"}, {Name: "_meta"}}
	mediaFields = wire.Fields{
		{Must: "type"}, {Must: "data"}, {Name: "mimeType"}, {Name: "annotations"}, {Name: "_meta"},
	}
	linkFields = wire.Fields{
		{Must: "type"}, {Must: "uri"}, {Name: "name"}, {Name: "title"}, {Name: "description"},
		{Name: "mimeType"}, {Name: "size"}, {Name: "icons"}, {Name: "annotations"}, {Name: "_meta"},
	}
	embeddedFields = wire.Fields{{Must: "type"}, {Must: "resource"}, {Name: "annotations"}, {Name: "_meta"}}
	toolUseFields  = wire.Fields{{Must: "type"}, {Must: "id"}, {Must: "name"}, {Must: "input"}, {Name: "_meta"}}
	outcomeFields  = wire.Fields{
		{Must: "type"}, {Must: "toolUseId"}, {Name: "content", Null: true}, {Name: "structuredContent", Null: true},
		{Name: "isError"}, {Name: "_meta"},
	}
	untypedFields = wire.Fields{{Must: "type"}}
)

// readBlock reads a content block. It keeps a block of an unknown type unchanged.
func (r *reader) readBlock(d *wire.Decoder) mcp.Content {
	if !r.count() {
		return nil
	}
	switch kind := blockType(d); string(kind) {
	case `"text"`:
		return r.readText(d)
	case `"image"`:
		return r.readMedia(d, "image")
	case `"audio"`:
		return mcp.Audio(r.readMedia(d, "audio"))
	case `"resource_link"`:
		return r.readLink(d)
	case `"resource"`:
		return r.readEmbedded(d)
	default:
		return readRaw(d, kind)
	}
}

// readSampled reads a block of a message of sampling, like readBlock.
func (r *reader) readSampled(d *wire.Decoder) mcp.SampleContent {
	if !r.count() {
		return nil
	}
	switch kind := blockType(d); string(kind) {
	case `"text"`:
		return r.readText(d)
	case `"image"`:
		return r.readMedia(d, "image")
	case `"audio"`:
		return mcp.Audio(r.readMedia(d, "audio"))
	case `"tool_use"`:
		return r.readToolUse(d)
	case `"tool_result"`:
		return r.readOutcome(d)
	default:
		return readRaw(d, kind)
	}
}

// blockType returns the type of a block as JSON without escapes.
func blockType(d *wire.Decoder) []byte {
	kind := d.Member("type")
	if bytes.IndexByte(kind, '\\') >= 0 {
		text, _ := jsonrpc.Bytes(kind)
		kind = wire.AppendString(nil, text)
	}
	return kind
}

// common reads a member that all blocks may have. Blocks that occur only in sampling have no
// annotations.
func (r *reader) common(d *wire.Decoder, name string, a **mcp.Annotations, m *mcp.Meta) {
	switch name {
	case "type":
		d.Skip()
	case "annotations":
		wire.Ptr(d, a, r.annotations)
	case "_meta":
		readMeta(d, m)
	}
}

func (r *reader) readText(d *wire.Decoder) (c mcp.Text) {
	for o := d.Object(textFields); o.Next(); {
		switch o.Name() {
		case "text":
			wire.String(d, &c.Text)
		default:
			r.common(d, o.Name(), &c.Annotations, &c.Meta)
		}
	}
	return c
}

// readMedia reads an image or an audio block, which have the same members.
func (r *reader) readMedia(d *wire.Decoder, kind string) (c mcp.Image) {
	for o := d.Object(mediaFields); o.Next(); {
		switch o.Name() {
		case "data":
			wire.Bytes(d, &c.Data)
		case "mimeType":
			wire.String(d, &c.MIMEType)
		default:
			r.common(d, o.Name(), &c.Annotations, &c.Meta)
		}
	}
	if c.MIMEType == "" && !d.Failed() {
		r.note("a content block of type " + kind + " has no mimeType")
	}
	return c
}

func (r *reader) readLink(d *wire.Decoder) (c mcp.ResourceLink) {
	for o := d.Object(linkFields); o.Next(); {
		switch o.Name() {
		case "uri":
			wire.String(d, &c.URI)
		case "name":
			wire.String(d, &c.Name)
		case "title":
			wire.String(d, &c.Title)
		case "description":
			wire.String(d, &c.Description)
		case "mimeType":
			wire.String(d, &c.MIMEType)
		case "size":
			wire.Int(d, &c.Size)
		case "icons":
			c.Icons = readIcons(d)
		default:
			r.common(d, o.Name(), &c.Annotations, &c.Meta)
		}
	}
	if c.Name == "" && !d.Failed() {
		r.note("a content block of type resource_link has no name")
	}
	return c
}

func (r *reader) readEmbedded(d *wire.Decoder) (c mcp.EmbeddedResource) {
	for o := d.Object(embeddedFields); o.Next(); {
		switch o.Name() {
		case "resource":
			var inside mcp.ResourceContents
			r.readContents(d, &inside)
			c.URI, c.MIMEType, c.Text, c.Blob, c.ResourceMeta = inside.URI, inside.MIMEType, inside.Text, inside.Blob, inside.Meta
		default:
			r.common(d, o.Name(), &c.Annotations, &c.Meta)
		}
	}
	return c
}

func (r *reader) readToolUse(d *wire.Decoder) (c mcp.ToolUse) {
	for o := d.Object(toolUseFields); o.Next(); {
		switch o.Name() {
		case "id":
			wire.String(d, &c.ID)
		case "name":
			wire.String(d, &c.Name)
		case "input":
			readObject(d, &c.Input)
		default:
			r.common(d, o.Name(), nil, &c.Meta)
		}
	}
	return c
}

func (r *reader) readOutcome(d *wire.Decoder) mcp.ToolOutcome {
	result := &mcp.ToolResult{Content: []mcp.Content{}}
	c := mcp.ToolOutcome{Result: result}
	for o := d.Object(outcomeFields); o.Next(); {
		switch o.Name() {
		case "toolUseId":
			wire.String(d, &c.ID)
		case "content":
			if !r.null("content of a tool_result") {
				blocks := []mcp.Content{}
				elements(d, func() { blocks = append(blocks, r.readBlock(d)) })
				result.Content = blocks
			}
		case "structuredContent":
			wire.Raw(d, &result.Structured)
		case "isError":
			wire.Bool(d, &result.IsError)
		default:
			r.common(d, o.Name(), nil, &result.Meta)
		}
	}
	return c
}

// readRaw reads a block of a type that package mcp does not have. A block without a type is an
// error.
func readRaw(d *wire.Decoder, kind []byte) (c mcp.RawContent) {
	if len(kind) == 0 || kind[0] != '"' {
		for o := d.Object(untypedFields); o.Next(); {
			wire.String(d, &c.Type)
		}
		return c
	}
	if wire.Raw(d, &c.JSON); !d.Failed() {
		text, _ := jsonrpc.Bytes(kind)
		c.Type = strings.Clone(string(text)) // a user may change JSON
	}
	return c
}

var contentsFields = wire.Fields{{Must: "uri"}, {Name: "mimeType"}, {Name: "text"}, {Name: "blob"}, {Name: "_meta"}}

// readContents reads a text or a blob of a resource.
func (r *reader) readContents(d *wire.Decoder, c *mcp.ResourceContents) {
	if !r.count() {
		return
	}
	text, blob := false, false
	for o := d.Object(contentsFields); o.Next(); {
		switch o.Name() {
		case "uri":
			wire.String(d, &c.URI)
		case "mimeType":
			wire.String(d, &c.MIMEType)
		case "text":
			text = true
			wire.String(d, &c.Text)
		case "blob":
			blob = true
			wire.Bytes(d, &c.Blob)
		case "_meta":
			readMeta(d, &c.Meta)
			c.UI = uimeta.Resource(c.Meta)
		}
	}
	switch {
	case d.Failed():
	case text && blob:
		d.Fail(wire.RuleOneOf, "must have either text or blob, has both")
	case !text && !blob:
		d.Fail(wire.RuleOneOf, "must have either text or blob, has neither")
	}
}

var annotationsFields = wire.Fields{{Name: "audience"}, {Name: "priority"}, {Name: "lastModified"}}

func (r *reader) readAnnotations(d *wire.Decoder, a *mcp.Annotations) {
	for o := d.Object(annotationsFields); o.Next(); {
		switch o.Name() {
		case "audience":
			audience := []mcp.Role{}
			elements(d, func() {
				var role mcp.Role
				wire.String(d, &role)
				audience = append(audience, role)
			})
			a.Audience = audience
		case "priority":
			wire.Ptr(d, &a.Priority, wire.Float)
		case "lastModified":
			var text string
			if wire.String(d, &text); text != "" && a.LastModified.UnmarshalText([]byte(text)) != nil {
				r.note("lastModified is left out: it must be a date and time of RFC 3339, got " + shortText(text))
			}
		}
	}
}

var iconFields = wire.Fields{{Must: "src"}, {Name: "mimeType"}, {Name: "sizes"}, {Name: "theme"}}

func readIcons(d *wire.Decoder) []mcp.Icon {
	icons := []mcp.Icon{}
	elements(d, func() { icons = append(icons, readIcon(d)) })
	return icons
}

func readIcon(d *wire.Decoder) (i mcp.Icon) {
	for o := d.Object(iconFields); o.Next(); {
		switch o.Name() {
		case "src":
			wire.String(d, &i.Source)
		case "mimeType":
			wire.String(d, &i.MIMEType)
		case "sizes":
			wire.Slice(d, &i.Sizes, wire.String)
		case "theme":
			wire.String(d, &i.Theme)
		}
	}
	return i
}

// readMeta reads the values of _meta unchanged.
func readMeta(d *wire.Decoder, m *mcp.Meta) { wire.Map(d, m, wire.Raw) }

// readObject reads any object unchanged.
func readObject[T ~[]byte](d *wire.Decoder, v *T) {
	var raw []byte
	wire.Raw(d, &raw)
	switch {
	case d.Failed():
	case raw[0] != '{':
		d.Fail(wire.RuleType, "must be an object")
	default:
		*v = T(raw)
	}
}
