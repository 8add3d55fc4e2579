// Package tokens estimates the number of tokens of a model's context that the listing of a feature
// takes.
package tokens

import (
	"bytes"
	"encoding/json"
)

// OfTool estimates the tokens of a tool from its entry in the result of tools/list: the tokens of
// its name, description and input schema, which clients pass to a model.
func OfTool(listing json.RawMessage) int {
	// The members of tool definitions in model APIs.
	var tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal(listing, &tool); err != nil {
		return Of(listing)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tool); err != nil {
		return Of(listing)
	}
	return Of(bytes.TrimSpace(text.Bytes()))
}

// Of estimates the tokens of a text. It is accurate to about ten percent for English and JSON, as
// measured with the encodings cl100k_base and o200k_base.
func Of(text []byte) int { return (len(text) + 3) / 4 }
