package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// ResultInfo are the metadata of a result or a list.
type ResultInfo struct {
	// ResultType is "complete" from revision 2026-07-28 on, "" before.
	ResultType string `json:"resultType,omitempty"`
	// TTL is for how many milliseconds it may be cached: at most a day, and 0 if the server
	// has sent another value than a count of them. Cache is the scope of that cache: "public",
	// or "private", which any other text counts as. Lists and resources have them from revision
	// 2026-07-28 on.
	TTL   *int64   `json:"ttlMs,omitempty"`
	Cache string   `json:"cacheScope,omitempty"`
	Meta  mcp.Meta `json:"_meta,omitempty"`
}

// ToolResult is the result of a call.
type ToolResult struct {
	Content []Content `json:"content"`
	// Structured is the unchanged JSON of the structured content: nil if there is none,
	// as before revision 2025-06-18. [Call] reads it in every revision.
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	ResultInfo

	tool string // that was called; "" for a result that was read otherwise
}

// Text returns the text blocks, one per line.
func (r *ToolResult) Text() string { return joined(r.Content) }

// ReadResult is a resource that was read.
type ReadResult struct {
	Contents []Contents `json:"contents"`
	ResultInfo
}

// Text returns the texts of the contents, joined.
func (r *ReadResult) Text() string {
	var b strings.Builder
	for _, c := range r.Contents {
		b.WriteString(c.Text)
	}
	return b.String()
}

// Blob returns the first blob, nil where there is none.
func (r *ReadResult) Blob() []byte {
	for _, c := range r.Contents {
		if c.Blob != nil {
			return c.Blob
		}
	}
	return nil
}

// PromptResult is the result of prompts/get.
type PromptResult struct {
	Description string          `json:"description,omitempty"`
	Messages    []PromptMessage `json:"messages"`
	ResultInfo
}

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}

// Text returns the texts of the messages, one per line, each with its role: "user:
// Review this".
func (r *PromptResult) Text() string {
	var lines []string
	for _, m := range r.Messages {
		if m.Content.Type == "text" {
			lines = append(lines, m.Role+": "+m.Content.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// Progress is a progress notification of a request.
type Progress struct {
	Done    float64 `json:"progress"`
	Total   float64 `json:"total,omitempty"`   // 0 = unknown
	Message string  `json:"message,omitempty"` // from revision 2025-03-26 on
}

// LogMessage is a log message of the server.
type LogMessage struct {
	Level  string          `json:"level"`
	Logger string          `json:"logger,omitempty"`
	Data   json.RawMessage `json:"data"`
}

// String returns the message as one line: level, logger, data.
func (m LogMessage) String() string {
	return fmt.Sprintf("%s %s: %s", m.Level, m.Logger, string(m.Data))
}

// DiscoverResult is what a server says of itself: the result of server/discover, or of initialize.
type DiscoverResult struct {
	mcp.ServerInfo // without ListTTL and PrivateLists, which only the author of a server sets
	Capabilities   map[string]json.RawMessage
	// Versions are the protocol versions of the server, from revision 2026-07-28 on.
	Versions []string
}
