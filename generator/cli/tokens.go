package cli

import "github.com/mcpgen/mcpgen/internal/tokens"

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
		return tokens.Of(r.listing)
	}
	return tokens.OfTool(r.listing)
}

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
