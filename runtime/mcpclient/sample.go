package mcpclient

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// SampleRequest asks for a message of the client's model.
type SampleRequest struct {
	Messages      []SampleMessage   `json:"messages"`
	Preferences   *ModelPreferences `json:"modelPreferences,omitempty"`
	System        string            `json:"systemPrompt,omitempty"`
	Context       string            `json:"includeContext,omitempty"`
	Temperature   *float64          `json:"temperature,omitempty"`
	MaxTokens     int               `json:"maxTokens"`
	StopSequences []string          `json:"stopSequences,omitempty"`
	Metadata      json.RawMessage   `json:"metadata,omitempty"`
	Tools         []Tool            `json:"tools,omitempty"`
	ToolChoice    *ToolChoice       `json:"toolChoice,omitempty"`
	Meta          mcp.Meta          `json:"_meta,omitempty"`
}

// Text returns the texts of the messages, one per line.
func (r *SampleRequest) Text() string {
	var all []Content
	for _, m := range r.Messages {
		all = append(all, m.Content...)
	}
	return joined(all)
}

// SampleMessage is a message of the conversation with the model.
type SampleMessage struct {
	Role    string   `json:"role"`
	Content Blocks   `json:"content"`
	Meta    mcp.Meta `json:"_meta,omitempty"`
}

// ModelPreferences are the server's preferences for the model.
type ModelPreferences struct {
	Hints        []ModelHint `json:"hints,omitempty"`
	Cost         *float64    `json:"costPriority,omitempty"`
	Speed        *float64    `json:"speedPriority,omitempty"`
	Intelligence *float64    `json:"intelligencePriority,omitempty"`
}

// ModelHint is a part of the name of a model.
type ModelHint struct {
	Name string `json:"name,omitempty"`
}

// ToolChoice controls whether the model must use tools: "auto", "required" or "none".
type ToolChoice struct {
	Mode string `json:"mode,omitempty"`
}

// SampleAnswer is the message of the model.
type SampleAnswer struct {
	Role       string   `json:"role"` // "" is sent as assistant
	Content    Blocks   `json:"content"`
	Model      string   `json:"model"` // "" is sent as the name of the client
	StopReason string   `json:"stopReason,omitempty"`
	Meta       mcp.Meta `json:"_meta,omitempty"`
}

// TextAnswer returns a message of the model with a text.
func TextAnswer(text string) *SampleAnswer {
	return &SampleAnswer{Content: Blocks{Text(text)}, StopReason: "endTurn"}
}
