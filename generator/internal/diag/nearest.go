package diag

import "github.com/mcpgen/mcpgen/internal/suggest"

// Nearest returns the candidate that word was probably meant to be, for "did you mean", or ""; see
// [suggest.Typo].
func Nearest(word string, candidates []string) string { return suggest.Typo(word, candidates) }
