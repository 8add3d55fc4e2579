// Package suggest finds what was meant by a word that is mistyped, for the command and the
// programs.
package suggest

import (
	"strings"
	"unicode"
)

// Nearest returns the candidate that was probably meant by word, for "did you mean", or "" if none
// is near. Letter case and the separators _ - . and space do not count; otherwise a third of the
// letters may be wrong, where two swapped neighbours are one mistake. Of equally near ones, it is
// the first.
func Nearest(word string, candidates []string) string {
	w := plain(word)
	if len(w) == 0 {
		return ""
	}
	best, bestDistance := "", -1
	for _, c := range candidates {
		p := plain(c)
		limit := (max(len(w), len(p)) + 1) / 3
		if limit >= min(len(w), len(p)) {
			limit = min(len(w), len(p)) - 1
		}
		d := distance(w, p)
		if c == word || d > limit {
			continue
		}
		if bestDistance < 0 || d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// plain reduces a word to the letters that are compared.
func plain(s string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s))
}

// distance is the optimal string alignment distance: insertions, deletions, replacements and swaps
// of neighbours.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
