package mcpclient

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// appendElicitAnswer appends an ElicitResult without line breaks. An accepted form gets the
// defaults of the fields that the user has left out, and is checked; form is nil for a link.
// The error names the field that does not fit.
func appendElicitAnswer(b []byte, form *Form, a ElicitAnswer) ([]byte, error) {
	switch a.Action {
	case mcp.ActionAccept, mcp.ActionDecline, mcp.ActionCancel:
	default:
		return b, fmt.Errorf("the action of an answer is %q: it must be accept, decline or cancel", string(a.Action))
	}
	b = append(b, `{"action":"`...)
	b = append(b, a.Action...)
	b = append(b, '"')
	if form != nil && a.Action == mcp.ActionAccept {
		content, err := form.Complete(a.Content)
		if err != nil {
			return b, err
		}
		b = append(b, `,"content":`...)
		b = append(b, content...)
	}
	return append(b, '}'), nil
}

// appendRoots appends a ListRootsResult without line breaks.
func appendRoots(b []byte, roots []mcp.Root) []byte {
	b = append(b, `{"roots":[`...)
	for i, r := range roots {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"uri":`...)
		b = wire.AppendString(b, r.URI)
		b = appendText(b, "name", r.Name)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// appendSampleAnswer appends a CreateMessageResult without line breaks. model stands for an
// empty Model. The error is about invalid JSON in the answer.
func appendSampleAnswer(b []byte, a *SampleAnswer, model string) ([]byte, error) {
	role := a.Role
	if role == "" {
		role = string(mcp.RoleAssistant)
	}
	if a.Model != "" {
		model = a.Model
	}
	b = append(b, `{"role":`...)
	b = wire.AppendString(b, role)
	b = append(b, `,"content":`...)
	b, err := appendBlocks(b, a.Content)
	if err != nil {
		return b, err
	}
	b = append(b, `,"model":`...)
	b = wire.AppendString(b, model)
	b = appendText(b, "stopReason", a.StopReason)
	if b, err = appendMeta(b, a.Meta); err != nil {
		return b, err
	}
	return append(b, '}'), nil
}

// check returns an error for a message that is not valid, or that a revision has no form for.
func (a *SampleAnswer) check(r *protocol.ServerRequests) error {
	if role := a.Role; role != "" && role != string(mcp.RoleAssistant) && role != string(mcp.RoleUser) {
		return fmt.Errorf("the role of a message is %q: it must be assistant or user", role)
	}
	if len(a.Content) == 0 {
		return errors.New("a message of a model must have content")
	}
	if len(a.Content) > 1 && !r.MessageBlocks {
		return fmt.Errorf("the revision allows one content block in a message, and the answer has %d", len(a.Content))
	}
	for i := range a.Content {
		switch kind := a.Content[i].Type; {
		case kind == "":
			return errors.New("a content block has no type")
		case kind == "audio" && !r.MessageAudio, (kind == "tool_use" || kind == "tool_result") && !r.MessageBlocks:
			return fmt.Errorf("the revision has no content block of type %s in a message", kind)
		}
	}
	return nil
}

// appendBlocks appends one block without an array, and any other number as an array.
func appendBlocks(b []byte, blocks []Content) ([]byte, error) {
	if len(blocks) == 1 {
		return appendContent(b, &blocks[0])
	}
	return appendArray(b, blocks, appendContent)
}

// appendArray appends an array, by a function for its elements.
func appendArray[T any](b []byte, list []T, one func([]byte, *T) ([]byte, error)) ([]byte, error) {
	var err error
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = one(b, &list[i]); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

// appendContent appends a content block: the members that its type must have, and those
// that are not empty.
func appendContent(b []byte, c *Content) (_ []byte, err error) {
	if c.Raw != nil {
		return appendRaw(b, c.Raw)
	}
	b = append(b, `{"type":`...)
	b = wire.AppendString(b, c.Type)
	media, link, use := c.Type == "image" || c.Type == "audio", c.Type == "resource_link", c.Type == "tool_use"
	b = appendTextOf(b, "text", c.Text, c.Type == "text")
	if media || len(c.Data) > 0 {
		b = appendBase64(appendName(b, "data"), c.Data)
	}
	b = appendTextOf(b, "mimeType", c.MIMEType, media)
	b = appendTextOf(b, "uri", c.URI, link)
	b = appendTextOf(b, "name", c.Name, link || use)
	b = appendText(b, "title", c.Title)
	b = appendText(b, "description", c.Description)
	if c.Size != 0 {
		b = strconv.AppendInt(appendName(b, "size"), c.Size, 10)
	}
	if len(c.Icons) > 0 {
		if b, err = appendArray(appendName(b, "icons"), c.Icons, appendIcon); err != nil {
			return b, err
		}
	}
	if c.Resource != nil {
		if b, err = appendContents(appendName(b, "resource"), c.Resource); err != nil {
			return b, err
		}
	}
	b = appendTextOf(b, "id", c.ID, use)
	input := c.Input
	if input == nil && use {
		input = json.RawMessage("{}")
	}
	if b, err = appendJSONMember(b, "input", input); err != nil {
		return b, err
	}
	b = appendTextOf(b, "toolUseId", c.ToolUseID, c.Type == "tool_result")
	if c.Type == "tool_result" || len(c.Content) > 0 {
		if b, err = appendArray(appendName(b, "content"), c.Content, appendContent); err != nil {
			return b, err
		}
	}
	if b, err = appendJSONMember(b, "structuredContent", c.Structured); err != nil {
		return b, err
	}
	if c.IsError {
		b = append(b, `,"isError":true`...)
	}
	if c.Annotations != nil {
		if b, err = appendAnnotations(appendName(b, "annotations"), c.Annotations); err != nil {
			return b, err
		}
	}
	if b, err = appendMeta(b, c.Meta); err != nil {
		return b, err
	}
	return append(b, '}'), nil
}

// appendContents appends a text or a blob of a resource.
func appendContents(b []byte, c *Contents) (_ []byte, err error) {
	b = append(b, `{"uri":`...)
	b = wire.AppendString(b, c.URI)
	b = appendText(b, "mimeType", c.MIMEType)
	if c.Blob != nil {
		b = appendBase64(appendName(b, "blob"), c.Blob)
	} else {
		b = wire.AppendString(appendName(b, "text"), c.Text)
	}
	if b, err = appendMeta(b, c.Meta); err != nil {
		return b, err
	}
	return append(b, '}'), nil
}

// appendIcon and appendAnnotations are for users that send what they have received, which is
// rare.
func appendIcon(b []byte, i *mcp.Icon) ([]byte, error) { return appendValue(b, i) }

func appendAnnotations(b []byte, a *mcp.Annotations) ([]byte, error) { return appendValue(b, a) }

func appendValue(b []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(b, text...), err
}

// appendMeta appends _meta after other members, in the order of names.
func appendMeta(b []byte, m mcp.Meta) (_ []byte, err error) {
	if len(m) == 0 {
		return b, nil
	}
	b = append(b, `,"_meta":`...)
	opening := byte('{')
	for _, name := range slices.Sorted(maps.Keys(m)) {
		b = append(b, opening)
		b = wire.AppendString(b, name)
		b = append(b, ':')
		if b, err = appendRaw(b, m[name]); err != nil {
			return b, fmt.Errorf("_meta %s: %w", name, err)
		}
		opening = ','
	}
	return append(b, '}'), nil
}

// appendJSONMember appends a member with a value after others, unless that is nil.
func appendJSONMember(b []byte, name string, value json.RawMessage) ([]byte, error) {
	if value == nil {
		return b, nil
	}
	b, err := appendRaw(appendName(b, name), value)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return b, err
}

// appendRaw appends a JSON value of a user without line breaks, or null for nil.
func appendRaw(b []byte, value json.RawMessage) ([]byte, error) {
	if value == nil {
		return append(b, "null"...), nil
	}
	return wire.Compact(b, value, 0)
}

// appendText appends a member after others, unless the text is empty.
func appendText(b []byte, name, text string) []byte { return appendTextOf(b, name, text, false) }

// appendTextOf appends a member after others, unless the text is empty and not required.
func appendTextOf(b []byte, name, text string, required bool) []byte {
	if text == "" && !required {
		return b
	}
	return wire.AppendString(appendName(b, name), text)
}

// appendName appends the name of a member after others.
func appendName(b []byte, name string) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	return append(b, `":`...)
}

func appendBase64(b, data []byte) []byte {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, data)
	return append(b, '"')
}
