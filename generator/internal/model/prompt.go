package model

import "slices"

// Prompt is a prompt.
type Prompt struct {
	Feature
	Completions []*Completion
	Call
}

// RefusesBlank reports whether an argument refuses an empty text: it is a number, one of several
// values, or a string that must not be empty. Clients with forms send an empty text for arguments
// that were left out.
func (f *Field) RefusesBlank() bool {
	t := f.Type
	for t.Kind == Pointer || t.Kind == Flagged || t.Kind == Converted {
		t = t.Elem
	}
	if t.Kind != String {
		return true
	}
	texts := f.Rules.Enum
	if len(texts) == 0 {
		for _, v := range t.Enum.Closed() {
			texts = append(texts, v.JSON)
		}
	}
	if len(texts) > 0 {
		return !slices.Contains(texts, `""`)
	}
	least := f.Rules.Limit("minLength")
	return len(t.Limits) > 0 || f.Rules.Limit("choices") != "" || f.Rules.Limit("format") != "" || least != "" && least != "0"
}
