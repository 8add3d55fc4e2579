package bridge

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// ToolResult reads the CallToolResult of a tool of another library, for the reverse: such a tool on a
// server of package mcp.
func ToolResult(text json.RawMessage) (*mcp.ToolResult, error) {
	var given struct {
		Content           []json.RawMessage
		StructuredContent json.RawMessage
		IsError           bool
		InputRequests     json.RawMessage
		Meta              mcp.Meta `json:"_meta"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	if given.InputRequests != nil {
		return nil, errors.New("the tool asks the client, which it cannot on a server of another library")
	}
	delete(given.Meta, protocol.MetaServerInfo)
	r := &mcp.ToolResult{Structured: given.StructuredContent, IsError: given.IsError, Meta: given.Meta}
	for _, block := range given.Content {
		c, err := content(block)
		if err != nil {
			return nil, fmt.Errorf("read result: %w", err)
		}
		r.Content = append(r.Content, c)
	}
	return r, nil
}

// content reads a content block.
func content(text json.RawMessage) (mcp.Content, error) {
	var b struct {
		Type, Text, MIMEType, URI, Name, Title, Description string
		Data                                                []byte
		Size                                                int64
		Icons                                               []mcp.Icon
		Annotations                                         *mcp.Annotations
		Meta                                                mcp.Meta `json:"_meta"`
		Resource                                            struct {
			URI, MIMEType, Text string
			Blob                []byte
			Meta                mcp.Meta `json:"_meta"`
		}
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, err
	}
	switch b.Type {
	case "text":
		return mcp.Text{Text: b.Text, Annotations: b.Annotations, Meta: b.Meta}, nil
	case "image":
		return mcp.Image{Data: b.Data, MIMEType: b.MIMEType, Annotations: b.Annotations, Meta: b.Meta}, nil
	case "audio":
		return mcp.Audio{Data: b.Data, MIMEType: b.MIMEType, Annotations: b.Annotations, Meta: b.Meta}, nil
	case "resource_link":
		return mcp.ResourceLink{
			URI: b.URI, Name: b.Name, Title: b.Title, Description: b.Description, MIMEType: b.MIMEType, Size: b.Size,
			Icons: b.Icons, Annotations: b.Annotations, Meta: b.Meta,
		}, nil
	case "resource":
		r := &b.Resource
		return mcp.EmbeddedResource{
			URI: r.URI, MIMEType: r.MIMEType, Text: r.Text, Blob: r.Blob, Annotations: b.Annotations, Meta: b.Meta, ResourceMeta: r.Meta,
		}, nil
	}
	return nil, fmt.Errorf("a tool cannot return a block of type %q", b.Type)
}
