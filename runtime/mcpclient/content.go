package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Meta is metadata beside a result, a feature or a content block.
type Meta = map[string]json.RawMessage

// Content is a content block of any type, with the members that the type has
// (server/tools, tool result; client/sampling).
type Content struct {
	Type string `json:"type"` // text, image, audio, resource_link, resource, tool_use, tool_result

	Text     string `json:"text,omitempty"`
	Data     []byte `json:"data,omitempty"` // of an image or audio: the bytes, not base64
	MIMEType string `json:"mimeType,omitempty"`

	// Of a resource_link; Name of a tool_use as well.
	URI         string `json:"uri,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Size        int64  `json:"size,omitempty"` // in bytes
	Icons       []Icon `json:"icons,omitempty"`

	Resource *Contents `json:"resource,omitempty"` // of a resource

	// Of a tool_use and a tool_result, in messages of sampling.
	ID         string          `json:"id,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"` // an object
	ToolUseID  string          `json:"toolUseId,omitempty"`
	Content    []Content       `json:"content,omitempty"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`

	Annotations *Annotations `json:"annotations,omitempty"`
	Meta        Meta         `json:"_meta,omitempty"`
}

// Text returns a block of text, for answers of Options.Sample.
func Text(text string) Content { return Content{Type: "text", Text: text} }

// MarshalJSON writes the members that a block of its type must have, even if they are
// empty.
func (c Content) MarshalJSON() ([]byte, error) {
	type plain Content
	w := struct {
		plain
		Text    *string          `json:"text,omitempty"`
		Data    *[]byte          `json:"data,omitempty"`
		Input   *json.RawMessage `json:"input,omitempty"`
		Content *[]Content       `json:"content,omitempty"`
	}{plain: plain(c)}
	switch c.Type {
	case "text":
		w.Text = &c.Text
	case "image", "audio":
		w.Data = notNil(&c.Data)
	case "tool_use":
		if c.Input == nil {
			c.Input = json.RawMessage("{}")
		}
		w.Input = &c.Input
	case "tool_result":
		w.Content = notNil(&c.Content)
	}
	return json.Marshal(w)
}

func notNil[T any](s *[]T) *[]T {
	if *s == nil {
		*s = []T{}
	}
	return s
}

// Contents is a text or a blob of a resource.
type Contents struct {
	URI      string
	MIMEType string
	Text     string
	Blob     []byte // the content if it is not nil; otherwise Text is the content
	Meta     Meta
}

// wireContents is the JSON form of Contents.
type wireContents struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *[]byte `json:"blob,omitempty"`
	Meta     Meta    `json:"_meta,omitempty"`
}

// MarshalJSON writes either text or blob.
func (c Contents) MarshalJSON() ([]byte, error) {
	w := wireContents{URI: c.URI, MIMEType: c.MIMEType, Meta: c.Meta}
	if c.Blob != nil {
		w.Blob = &c.Blob
	} else {
		w.Text = &c.Text
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads either of them.
func (c *Contents) UnmarshalJSON(data []byte) error {
	var w wireContents
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*c = Contents{URI: w.URI, MIMEType: w.MIMEType, Meta: w.Meta}
	switch {
	case w.Text != nil && w.Blob != nil:
		return errors.New("contents of a resource have both text and blob")
	case w.Text != nil:
		c.Text = *w.Text
	case w.Blob != nil:
		c.Blob = *w.Blob
	default:
		return errors.New("contents of a resource have neither text nor blob")
	}
	return nil
}

// Annotations are hints for clients on how to use content or a resource
// (server/resources, annotations).
type Annotations struct {
	Audience     []string `json:"audience,omitempty"`
	Priority     *float64 `json:"priority,omitempty"`
	LastModified string   `json:"lastModified,omitempty"` // in the form of RFC 3339
}

// Icon is a picture for a user interface.
type Icon struct {
	Source   string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
	Theme    string   `json:"theme,omitempty"`
}

// Blocks are the content of a message: one block, or several from revision 2025-11-25
// on. One block is sent without an array, which all revisions accept.
type Blocks []Content

// MarshalJSON writes one block without an array, and any other number as an array.
func (b Blocks) MarshalJSON() ([]byte, error) {
	if len(b) == 1 {
		return json.Marshal(b[0])
	}
	return json.Marshal(*notNil((*[]Content)(&b)))
}

// UnmarshalJSON reads one block, or an array.
func (b *Blocks) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return json.Unmarshal(data, (*[]Content)(b))
	}
	*b = make(Blocks, 1)
	return json.Unmarshal(data, &(*b)[0])
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
