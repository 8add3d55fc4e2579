package analyze

import (
	"go/token"

	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// place is where a diagnostic points and what it is about; it grows on the way
// down, from the tool to the argument.
type place struct {
	pos     token.Position
	subject string // "tool Search: argument filter"
}

// in returns the place of a part.
func (p place) in(part string) place {
	p.subject += ": " + part
	return p
}

// at returns the same subject at a more exact position.
func (p place) at(pos token.Position) place {
	if pos.IsValid() {
		p.pos = pos
	}
	return p
}

// used returns the place as package schema wants it.
func (p place) used(use schema.Use) schema.Place {
	return schema.Place{Pos: p.pos, Subject: p.subject, Use: use}
}
