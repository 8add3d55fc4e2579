package analyze

import (
	"fmt"

	"github.com/mcpgen/mcpgen/generator/model"
)

// hiddenRune finds the first character that a reviewer does not see but a model
// reads: directional controls, zero-width characters, the tag block and
// variation selectors of the supplementary planes. A zero-width joiner between
// two characters outside ASCII is part of ordinary text (emoji, Indic scripts)
// and is let through.
func hiddenRune(s string) (string, bool) {
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case r == 0x200C || r == 0x200D:
			if i > 0 && i+1 < len(runes) && runes[i-1] > 0x7F && runes[i+1] > 0x7F {
				continue
			}
		case r >= 0x200B && r <= 0x200F,
			r >= 0x202A && r <= 0x202E,
			r >= 0x2060 && r <= 0x206F,
			r == 0x00AD, r == 0x061C, r == 0x180E, r == 0xFEFF,
			r >= 0xE0000 && r <= 0xE0FFF:
		case r < 0x20 && r != '\n' && r != '\t', r >= 0x7F && r < 0xA0:
		default:
			continue
		}
		return fmt.Sprintf("U+%04X", r), true
	}
	return "", false
}

// visibleType refuses hidden characters in everything that a plan publishes.
func (a *analyzer) visibleType(t *model.Type, at place) bool {
	ok := true
	seen := map[*model.Type]bool{}
	var walk func(t *model.Type)
	walk = func(t *model.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		ok = a.visible(t.Doc, "doc comment of "+t.Name, at) && ok
		if t.Enum != nil {
			for _, v := range t.Enum.Values {
				ok = a.visible(v.Doc, "comment on the value "+v.JSON, at) && ok
			}
		}
		for _, f := range t.Fields {
			at := at.at(f.Pos)
			ok = a.visible(f.Description, "description of "+f.Name, at) && ok
			ok = a.visible(f.Title, "title of "+f.Name, at) && ok
			walk(f.Type)
		}
		if t.Union != nil {
			for _, v := range t.Union.Variants {
				ok = a.visible(v.Name, "name of a kind of "+t.Name, at) && ok
				walk(v.Type)
			}
		}
		ok = a.visible(t.Schema, "schema of "+t.Name, at) && ok
		walk(t.Elem)
		walk(t.Key)
	}
	walk(t)
	return ok
}
