package cli

import (
	"bytes"
	"encoding/json"
)

// tokenMethod describes how tokens are estimated.
const tokenMethod = `Tokens are an estimate: four bytes count as one. Of a tool these are its name,
description and input schema, which is what clients put before a model; the total
is what all tools take of each conversation. Of the others it is the whole listing,
which a model only sees where a client chooses to show it. Each model counts in its
own way.
`

// tokens estimates how many tokens of a model's context a feature takes.
func (r row) tokens() int {
	if r.kind != "tool" {
		return tokensOf(r.listing)
	}
	// The members that the tool definitions of model APIs have.
	var tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal(r.listing, &tool); err != nil {
		return tokensOf(r.listing)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tool); err != nil {
		return tokensOf(r.listing)
	}
	return tokensOf(bytes.TrimSpace(text.Bytes()))
}

// tokensOf is right to a tenth or so for English and JSON, as measured with the
// encodings cl100k_base and o200k_base.
func tokensOf(text []byte) int { return (len(text) + 3) / 4 }

// toolTokens is what all tools take together.
func toolTokens(rows []row) int {
	sum := 0
	for _, r := range rows {
		if r.kind == "tool" {
			sum += r.tokens()
		}
	}
	return sum
}
