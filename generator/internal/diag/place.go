package diag

import "go/token"

// Place is the position of a diagnostic and its subject, which becomes longer from a feature to its
// parts.
type Place struct {
	Pos     token.Position
	Subject string // "tool Search: argument filter"
}

// In returns the place of a part, at the same position.
func (p Place) In(part string) Place {
	p.Subject += ": " + part
	return p
}

// At returns the same subject at another position, unless that position is unknown.
func (p Place) At(pos token.Position) Place {
	if pos.IsValid() {
		p.Pos = pos
	}
	return p
}
