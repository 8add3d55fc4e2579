package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// readSample reads a CreateMessageResult. It ignores unknown members, and refuses unknown blocks.
func readSample(result json.RawMessage) (*SampleResult, error) {
	if err := isObjectText(result); err != nil {
		return nil, err
	}
	role, err := memberText(result, "role")
	if err != nil {
		return nil, err
	}
	s := &SampleResult{Role: Role(role)}
	if s.Role != RoleUser && s.Role != RoleAssistant {
		return nil, fmt.Errorf("role must be user or assistant, got %q", role)
	}
	if s.Model, err = memberText(result, "model"); err != nil {
		return nil, err
	}
	if jsonobject.Member(result, "stopReason") != nil {
		if s.StopReason, err = memberText(result, "stopReason"); err != nil {
			return nil, err
		}
	}
	if meta := jsonobject.Member(result, "_meta"); jsonobject.Is(meta) {
		s.Meta = Meta{}
		jsonrpc.Members(meta, func(name, value []byte) bool {
			s.Meta[string(name)] = bytes.Clone(value)
			return true
		})
	}
	content := jsonobject.Member(result, "content")
	switch {
	case content == nil:
		return nil, errors.New("content is missing")
	case content[0] != '[':
		block, err := readBlock(content)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		s.Content = []SampleContent{block}
		return s, nil
	}
	jsonrpc.Elements(content, func(value []byte) bool {
		var block SampleContent
		if block, err = readBlock(value); err != nil {
			err = fmt.Errorf("content[%d]: %w", len(s.Content), err)
			return false
		}
		s.Content = append(s.Content, block)
		return true
	})
	return s, err
}

// readBlock reads one block of a message.
func readBlock(value []byte) (SampleContent, error) {
	if err := isObjectText(value); err != nil {
		return nil, err
	}
	kind, err := memberText(value, "type")
	if err != nil {
		return nil, err
	}
	switch kind {
	case "text":
		text, err := memberText(value, "text")
		return Text{Text: text}, err
	case "image":
		data, mime, err := readMedia(value)
		return Image{Data: data, MIMEType: mime}, err
	case "audio":
		data, mime, err := readMedia(value)
		return Audio{Data: data, MIMEType: mime}, err
	case "tool_use":
		return readToolUse(value)
	}
	return nil, fmt.Errorf("type %q is not one of text, image, audio and tool_use", kind)
}

func readMedia(value []byte) (data []byte, mime string, err error) {
	text, err := memberText(value, "data")
	if err != nil {
		return nil, "", err
	}
	if data, err = base64.StdEncoding.Strict().DecodeString(text); err != nil {
		return nil, "", errors.New("data must be base64")
	}
	mime, err = memberText(value, "mimeType")
	return data, mime, err
}

func readToolUse(value []byte) (SampleContent, error) {
	var u ToolUse
	var err error
	if u.ID, err = memberText(value, "id"); err != nil {
		return nil, err
	}
	if u.Name, err = memberText(value, "name"); err != nil {
		return nil, err
	}
	u.Input = append(json.RawMessage(nil), jsonobject.Member(value, "input")...)
	if !jsonobject.Is(u.Input) {
		return nil, errors.New("input must be an object")
	}
	return u, nil
}
