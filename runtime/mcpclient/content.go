package mcpclient

import (
	"bytes"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Content is a content block of any type, with the members that the type has
// (server/tools, tool result; client/sampling).
type Content struct {
	Type string `json:"type"` // text, image, audio, resource_link, resource, tool_use, tool_result

	Text     string `json:"text,omitempty"`
	Data     []byte `json:"data,omitempty"` // of an image or audio: the bytes, not base64
	MIMEType string `json:"mimeType,omitempty"`

	// Of a resource_link; Name of a tool_use as well.
	URI         string     `json:"uri,omitempty"`
	Name        string     `json:"name,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Size        int64      `json:"size,omitempty"` // in bytes
	Icons       []mcp.Icon `json:"icons,omitempty"`

	Resource *Contents `json:"resource,omitempty"` // of a resource

	// Of a tool_use and a tool_result, in messages of sampling.
	ID         string          `json:"id,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"` // an object
	ToolUseID  string          `json:"toolUseId,omitempty"`
	Content    []Content       `json:"content,omitempty"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`

	Annotations *mcp.Annotations `json:"annotations,omitempty"`
	Meta        mcp.Meta         `json:"_meta,omitempty"`

	// Raw is the whole block as it came, if its type is none of those above; the other
	// fields, but Type, are then empty. It is nil otherwise.
	Raw json.RawMessage `json:"-"`
}

// Text returns a block of text, for answers of Options.Sample.
func Text(text string) Content { return Content{Type: "text", Text: text} }

// MarshalJSON writes the members that a block of its type must have, even if they are
// empty, or Raw as it is.
func (c Content) MarshalJSON() ([]byte, error) { return appendContent(nil, &c) }

// UnmarshalJSON reads a block as a client does: names are compared exactly.
func (c *Content) UnmarshalJSON(data []byte) error {
	return readInto(c, data, func(r *reader, v *Content) { r.readBlock(&r.d, v) })
}

// Contents is a text or a blob of a resource.
type Contents struct {
	URI      string
	MIMEType string
	Text     string
	Blob     []byte // the content if it is not nil; otherwise Text is the content
	Meta     mcp.Meta
}

// MarshalJSON writes either text or blob.
func (c Contents) MarshalJSON() ([]byte, error) { return appendContents(nil, &c) }

// UnmarshalJSON reads either of them.
func (c *Contents) UnmarshalJSON(data []byte) error {
	return readInto(c, data, func(r *reader, v *Contents) { r.readContents(&r.d, v) })
}

// Blocks are the content of a message: one block, or several from revision 2025-11-25
// on. One block is sent without an array, which all revisions accept.
type Blocks []Content

// MarshalJSON writes one block without an array, and any other number as an array.
func (b Blocks) MarshalJSON() ([]byte, error) { return appendBlocks(nil, b) }

// UnmarshalJSON reads one block, or an array.
func (b *Blocks) UnmarshalJSON(data []byte) error {
	return readInto(b, data, func(r *reader, v *Blocks) { r.readBlocks(&r.d, v) })
}

// joined returns the texts of blocks, one per line.
func joined(blocks []Content) string {
	var b bytes.Buffer
	for _, c := range blocks {
		if c.Type == "text" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(c.Text)
		}
	}
	return b.String()
}
