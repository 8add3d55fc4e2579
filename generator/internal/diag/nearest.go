package diag

import "github.com/mcpgen/mcpgen/internal/suggest"

// Nearest returns the candidate that was probably meant by word, for "did you mean", or "" if none
// is near; see [suggest.Typo].
func Nearest(word string, candidates []string) string { return suggest.Typo(word, candidates) }
