package mcpclient

import (
	"bytes"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The members of content blocks, by type.
var (
	textFields  = wire.Fields{{Name: "type", Required: true}, {Name: "text", Required: true}, {Name: "annotations"}, {Name: "_meta"}}
	mediaFields = wire.Fields{
		{Name: "type", Required: true}, {Name: "data", Required: true}, {Name: "mimeType"}, {Name: "annotations"}, {Name: "_meta"},
	}
	linkFields = wire.Fields{
		{Name: "type", Required: true}, {Name: "uri", Required: true}, {Name: "name"}, {Name: "title"}, {Name: "description"},
		{Name: "mimeType"}, {Name: "size"}, {Name: "icons"}, {Name: "annotations"}, {Name: "_meta"},
	}
	embeddedFields   = wire.Fields{{Name: "type", Required: true}, {Name: "resource", Required: true}, {Name: "annotations"}, {Name: "_meta"}}
	toolUseFields    = wire.Fields{{Name: "type", Required: true}, {Name: "id", Required: true}, {Name: "name", Required: true}, {Name: "input", Required: true}, {Name: "_meta"}}
	toolResultFields = wire.Fields{
		{Name: "type", Required: true}, {Name: "toolUseId", Required: true}, {Name: "content", Null: true}, {Name: "structuredContent", Null: true},
		{Name: "isError"}, {Name: "_meta"},
	}
	untypedFields = wire.Fields{{Name: "type", Required: true}}
)

// fieldsOf returns the members of a block whose type is this JSON text, nil for an unknown
// type.
func fieldsOf(kind []byte) wire.Fields {
	switch string(kind) {
	case `"text"`:
		return textFields
	case `"image"`, `"audio"`:
		return mediaFields
	case `"resource_link"`:
		return linkFields
	case `"resource"`:
		return embeddedFields
	case `"tool_use"`:
		return toolUseFields
	case `"tool_result"`:
		return toolResultFields
	}
	return nil
}

// readBlock reads a content block. One of an unknown type is kept as it is.
func (r *reader) readBlock(d *wire.Decoder, c *Content) {
	if !r.count() {
		return
	}
	kind := d.Member("type")
	fields := fieldsOf(kind)
	if fields == nil && bytes.IndexByte(kind, '\\') >= 0 {
		text, _ := jsonrpc.Bytes(kind)
		fields = fieldsOf(wire.AppendString(nil, text))
	}
	switch {
	case fields != nil:
		r.readMembers(d, c, fields)
	case len(kind) > 0 && kind[0] == '"':
		if wire.Raw(d, &c.Raw); !d.Failed() {
			text, _ := jsonrpc.Bytes(kind)
			c.Type = strings.Clone(string(text)) // a user may change Raw
		}
	default:
		r.readMembers(d, c, untypedFields)
	}
}

// readMembers reads a block of a known type.
func (r *reader) readMembers(d *wire.Decoder, c *Content, fields wire.Fields) {
	for o := d.Object(fields); o.Next(); {
		switch o.Name() {
		case "type":
			wire.String(d, &c.Type)
		case "text":
			wire.String(d, &c.Text)
		case "data":
			wire.Bytes(d, &c.Data)
		case "mimeType":
			wire.String(d, &c.MIMEType)
		case "uri":
			wire.String(d, &c.URI)
		case "name":
			wire.String(d, &c.Name)
		case "title":
			wire.String(d, &c.Title)
		case "description":
			wire.String(d, &c.Description)
		case "size":
			wire.Int(d, &c.Size)
		case "icons":
			c.Icons = readIcons(d)
		case "resource":
			wire.Ptr(d, &c.Resource, r.contents)
		case "id":
			wire.String(d, &c.ID)
		case "input":
			readObject(d, &c.Input)
		case "toolUseId":
			wire.String(d, &c.ToolUseID)
		case "content":
			if !r.null("content of a tool_result") {
				wire.Slice(d, &c.Content, r.block)
			}
		case "structuredContent":
			wire.Raw(d, &c.Structured)
		case "isError":
			wire.Bool(d, &c.IsError)
		case "annotations":
			wire.Ptr(d, &c.Annotations, r.annotations)
		case "_meta":
			readMeta(d, &c.Meta)
		}
	}
	switch {
	case d.Failed():
	case c.Data != nil && c.MIMEType == "":
		r.note("a content block of type " + c.Type + " has no mimeType")
	case c.URI != "" && c.Name == "":
		r.note("a content block of type " + c.Type + " has no name")
	}
}

var contentsFields = wire.Fields{{Name: "uri", Required: true}, {Name: "mimeType"}, {Name: "text"}, {Name: "blob"}, {Name: "_meta"}}

// readContents reads a text or a blob of a resource.
func (r *reader) readContents(d *wire.Decoder, c *Contents) {
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

var iconFields = wire.Fields{{Name: "src", Required: true}, {Name: "mimeType"}, {Name: "sizes"}, {Name: "theme"}}

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

// readMeta reads the values of _meta as they are.
func readMeta(d *wire.Decoder, m *mcp.Meta) { wire.Map(d, m, wire.Raw) }

// readObject reads any object as it is.
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
