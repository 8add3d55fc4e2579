package cli

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/internal/findtools"
	"github.com/mcpgen/mcpgen/internal/tokens"
)

// tokenMethod describes the estimate of tokens.
const tokenMethod = `Tokens are an estimate: four bytes count as one. For a tool they cover name,
description and input schema, which clients put before a model; the total is the
share of all tools in each conversation, above 40 tools also with package
mcpfind, which lists three tools that find and call them. For a skill they cover
its frontmatter. For other features they cover the whole listing, which a model
sees only if a client shows it. Each model counts differently.
`

// tokens estimates the tokens that a feature takes in a model's context.
func (r row) tokens() int {
	switch r.kind {
	case "tool":
		return tokens.OfTool(r.listing)
	case "skill":
		var entry map[string]json.RawMessage
		if err := json.Unmarshal(r.listing, &entry); err == nil {
			return tokens.Of(entry["frontmatter"])
		}
	}
	return tokens.Of(r.listing)
}

// findTokens returns the tokens of the tools that package mcpfind lists instead of all, or 0 if it
// lists all.
func findTokens(tools int) int {
	if tools <= findtools.Threshold {
		return 0
	}
	sum := 0
	for _, t := range findtools.All() {
		listing, err := json.Marshal(map[string]any{"name": t.Name, "description": t.Description, "inputSchema": json.RawMessage(t.InputSchema)})
		if err != nil {
			panic(err) // the definitions are constants
		}
		sum += row{kind: "tool", listing: listing}.tokens()
	}
	return sum
}

// toolTokens returns the tokens of all tools together.
func toolTokens(rows []row) int {
	sum := 0
	for _, r := range rows {
		if r.kind == "tool" {
			sum += r.tokens()
		}
	}
	return sum
}
