package mcpotel

import (
	"encoding/json"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// maxContent limits the recorded content in bytes: exporters hold thousands of spans.
const maxContent = 32 << 10

// cut returns at most maxContent bytes of a text, as valid UTF-8.
func cut(text string) string {
	if len(text) <= maxContent {
		return text
	}
	return strings.ToValidUTF8(text[:maxContent], "")
}

// resultText returns the result of a tool as JSON text: the structured content, or else the content
// blocks with their texts. It omits the data of other blocks, such as images.
func resultText(reply mcp.Reply) (string, bool) {
	result, ok := reply.(*mcp.ToolResult)
	if !ok || result == nil {
		return "", false
	}
	if result.Structured != nil {
		return string(result.Structured), true
	}
	type block struct {
		Type string `json:"type"`
		Text string `json:"text,omitempty"`
	}
	blocks := make([]block, 0, len(result.Content))
	size := 0
	for _, c := range result.Content {
		b := block{Type: blockType(c)}
		if t, ok := c.(mcp.Text); ok {
			b.Text = cut(t.Text)
		}
		blocks = append(blocks, b)
		if size += len(b.Text) + len(b.Type); size > maxContent {
			break
		}
	}
	text, err := json.Marshal(map[string]any{"content": blocks})
	return string(text), err == nil
}

// blockType returns the MCP type name of a content block.
func blockType(c mcp.Content) string {
	switch c.(type) {
	case mcp.Text:
		return "text"
	case mcp.Image:
		return "image"
	case mcp.Audio:
		return "audio"
	case mcp.ResourceLink:
		return "resource_link"
	}
	return "resource"
}
