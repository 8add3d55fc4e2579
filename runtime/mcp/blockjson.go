package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file writes blocks as JSON for programs that store or show the content that a client
// received, and for answers of clients. The form that servers send depends on the revision
// (content.go).

// MarshalJSON returns the block as JSON.
func (c Text) MarshalJSON() ([]byte, error) {
	o := jsonBlock("text")
	o.text("text", c.Text)
	return o.end(c.Annotations, c.Meta)
}

// MarshalJSON returns the block as JSON.
func (c Image) MarshalJSON() ([]byte, error) { return c.marshal("image") }

// MarshalJSON returns the block as JSON.
func (c Audio) MarshalJSON() ([]byte, error) { return Image(c).marshal("audio") }

func (c Image) marshal(kind string) ([]byte, error) {
	o := jsonBlock(kind)
	o.base64("data", c.Data)
	o.text("mimeType", c.MIMEType)
	return o.end(c.Annotations, c.Meta)
}

// MarshalJSON returns the block as JSON.
func (c ResourceLink) MarshalJSON() ([]byte, error) {
	o := jsonBlock("resource_link")
	o.some("mimeType", c.MIMEType)
	o.text("uri", c.URI)
	o.text("name", c.Name)
	o.some("title", c.Title)
	o.some("description", c.Description)
	if c.Size != 0 {
		o.name("size")
		o.b = strconv.AppendInt(o.b, c.Size, 10)
	}
	if len(c.Icons) > 0 {
		o.value("icons", c.Icons)
	}
	return o.end(c.Annotations, c.Meta)
}

// MarshalJSON returns the block as JSON.
func (c EmbeddedResource) MarshalJSON() ([]byte, error) {
	o := jsonBlock("resource")
	o.value("resource", ResourceContents{URI: c.URI, MIMEType: c.MIMEType, Text: c.Text, Blob: c.Blob, Meta: c.ResourceMeta})
	return o.end(c.Annotations, c.Meta)
}

// MarshalJSON returns the contents as JSON, with either text or blob.
func (c ResourceContents) MarshalJSON() ([]byte, error) {
	var o jsonObject
	o.text("uri", c.URI)
	o.some("mimeType", c.MIMEType)
	if c.Blob != nil {
		o.base64("blob", c.Blob)
	} else {
		o.text("text", c.Text)
	}
	return o.end(nil, c.Meta)
}

// MarshalJSON returns the block as JSON.
func (c ToolUse) MarshalJSON() ([]byte, error) {
	o := jsonBlock("tool_use")
	o.text("name", c.Name)
	o.text("id", c.ID)
	input := c.Input
	if input == nil {
		input = emptyObject
	}
	o.raw("input", input)
	return o.end(nil, c.Meta)
}

// MarshalJSON returns the block as JSON.
func (c ToolOutcome) MarshalJSON() ([]byte, error) {
	o := jsonBlock("tool_result")
	o.text("toolUseId", c.ID)
	result := c.Result
	if result == nil {
		result = new(ToolResult)
	}
	o.name("content")
	appendBlocks(&o, result.Content)
	if result.Structured != nil {
		o.raw("structuredContent", result.Structured)
	}
	if result.IsError {
		o.name("isError")
		o.b = append(o.b, "true"...)
	}
	return o.end(nil, result.Meta)
}

// MarshalJSON returns the message as JSON, one block without an array.
func (m SampleMessage) MarshalJSON() ([]byte, error) {
	var o jsonObject
	o.text("role", string(m.Role))
	o.blocks(m.Content)
	return o.end(nil, m.Meta)
}

// MarshalJSON returns the message as JSON, one block without an array.
func (r SampleResult) MarshalJSON() ([]byte, error) {
	var o jsonObject
	o.text("role", string(r.Role))
	o.blocks(r.Content)
	o.text("model", r.Model)
	o.some("stopReason", r.StopReason)
	return o.end(nil, r.Meta)
}

// MarshalJSON returns the preferences as JSON.
func (p ModelPreferences) MarshalJSON() ([]byte, error) { return p.appendTo(nil), nil }

// MarshalJSON returns the choice as JSON, an object with the mode.
func (c ToolChoice) MarshalJSON() ([]byte, error) {
	var o jsonObject
	o.text("mode", string(c))
	return o.end(nil, nil)
}

// MarshalJSON returns the tool as JSON.
func (t SampleTool) MarshalJSON() ([]byte, error) {
	var o jsonObject
	o.text("name", t.Name)
	o.some("title", t.Title)
	o.some("description", t.Description)
	o.raw("inputSchema", json.RawMessage(orElse(t.InputSchema, `{"type":"object"}`)))
	return o.end(nil, nil)
}

// MarshalJSON returns the block as it was received.
func (c RawContent) MarshalJSON() ([]byte, error) {
	if c.JSON == nil {
		o := jsonBlock(c.Type)
		return o.end(nil, nil)
	}
	return wire.Compact(nil, c.JSON, 0)
}

// jsonObject is an object that is being written, without line breaks.
type jsonObject struct {
	b   []byte
	err error // the first error
}

func jsonBlock(kind string) (o jsonObject) {
	o.text("type", kind)
	return o
}

func (o *jsonObject) name(name string) {
	if o.b == nil {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(wire.AppendString(o.b, name), ':')
}

func (o *jsonObject) text(name, text string) {
	o.name(name)
	o.b = wire.AppendString(o.b, text)
}

// some writes a member, unless the text is empty.
func (o *jsonObject) some(name, text string) {
	if text != "" {
		o.text(name, text)
	}
}

func (o *jsonObject) base64(name string, data []byte) {
	o.name(name)
	o.b = append(o.b, '"')
	o.b = base64.StdEncoding.AppendEncode(o.b, data)
	o.b = append(o.b, '"')
}

// raw writes a member with JSON that a user supplied, or null for nil.
func (o *jsonObject) raw(name string, value json.RawMessage) {
	o.name(name)
	if value == nil {
		value = json.RawMessage("null")
	}
	b, err := wire.Compact(o.b, value, 0)
	o.add(b, name, err)
}

// value writes a member with the encoding of v by encoding/json.
func (o *jsonObject) value(name string, v any) {
	o.name(name)
	text, err := json.Marshal(v)
	o.add(append(o.b, text...), name, err)
}

// blocks writes the content of a message. Revisions before 2025-11-25 allow one block only, without
// an array.
func (o *jsonObject) blocks(content []SampleContent) {
	o.name("content")
	if len(content) == 1 {
		o.append(content[0])
		return
	}
	appendBlocks(o, content)
}

func appendBlocks[T json.Marshaler](o *jsonObject, content []T) {
	o.b = append(o.b, '[')
	for i, block := range content {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.append(block)
	}
	o.b = append(o.b, ']')
}

func (o *jsonObject) append(block json.Marshaler) {
	if block == nil {
		o.b = append(o.b, "null"...)
		return
	}
	text, err := block.MarshalJSON()
	o.add(append(o.b, text...), "content", err)
}

func (o *jsonObject) add(b []byte, name string, err error) {
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("%s: %w", name, err)
	}
	o.b = b
}

// end writes the members that every block may have, and closes the object. Keys are sorted.
func (o *jsonObject) end(a *Annotations, m Meta) ([]byte, error) {
	if a != nil {
		o.value("annotations", a)
	}
	if len(m) > 0 {
		var meta jsonObject
		for _, key := range slices.Sorted(maps.Keys(m)) {
			meta.raw(key, m[key])
		}
		o.name("_meta")
		o.add(append(append(o.b, meta.b...), '}'), "_meta", meta.err)
	}
	if o.err != nil {
		return nil, o.err
	}
	return append(o.b, '}'), nil
}
