package mcpclient

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Tool is an entry of tools/list.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	// Hints are nil if the server sends none. A hint that is missing beside others has the default
	// of the specification: Destructive and OpenWorld are true. A title in their place is stored in
	// Title.
	Hints *mcp.ToolHints `json:"annotations,omitempty"`
	Icons []mcp.Icon     `json:"icons,omitempty"`
	// UI is the interface of the tool, read from Meta; nil without one. A host keeps a tool that is
	// [mcp.VisibleToApp] from its model (MCP Apps, visibility).
	UI   *mcp.ToolUI `json:"-"`
	Meta mcp.Meta    `json:"_meta,omitempty"`
}

// Resource is an entry of resources/list.
type Resource struct {
	URI         string           `json:"uri"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	MIMEType    string           `json:"mimeType,omitempty"`
	Size        int64            `json:"size,omitempty"` // in bytes
	Annotations *mcp.Annotations `json:"annotations,omitempty"`
	Icons       []mcp.Icon       `json:"icons,omitempty"`
	// UI describes a page, read from Meta; nil without a description. The one of the contents takes
	// precedence (MCP Apps, metadata location).
	UI   *mcp.ResourceUI `json:"-"`
	Meta mcp.Meta        `json:"_meta,omitempty"`
}

// Template is an entry of resources/templates/list.
type Template struct {
	URITemplate string           `json:"uriTemplate"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	MIMEType    string           `json:"mimeType,omitempty"`
	Annotations *mcp.Annotations `json:"annotations,omitempty"`
	Icons       []mcp.Icon       `json:"icons,omitempty"`
	UI          *mcp.ResourceUI  `json:"-"` // as in [Resource]
	Meta        mcp.Meta         `json:"_meta,omitempty"`
}

// Prompt is an entry of prompts/list.
type Prompt struct {
	Name        string               `json:"name"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	Arguments   []mcp.PromptArgument `json:"arguments,omitempty"`
	Icons       []mcp.Icon           `json:"icons,omitempty"`
	Meta        mcp.Meta             `json:"_meta,omitempty"`
}
