package wire

import (
	"strings"
	"unicode/utf8"
)

// longestSuggested bounds the work of nearest, in bytes of a word.
const longestSuggested = 64

// mostCompared bounds the work of nearest for all words of one Decoder together,
// in candidates.
const mostCompared = 2000

// nearest is [nearest], while d has not compared too many.
func (d *Decoder) nearest(word string, n int, candidate func(int) string) int {
	if len(word) > longestSuggested || d.compared+n > mostCompared {
		return -1
	}
	d.compared += n
	return nearest(word, n, candidate)
}

// nearest returns the index of the candidate that a word was probably meant to be, -1
// if there is no similar one: at most a third of its characters differ, where a swap of
// neighbours counts as one difference, and letter case, _ and - do not count.
func nearest(word string, n int, candidate func(int) string) int {
	w := foldName(word)
	best, bestDistance := -1, 0
	for i := range n {
		c := candidate(i)
		if len(c) > longestSuggested {
			continue
		}
		fc := foldName(c)
		limit := max(len(w), len(fc)) / 3
		if d := distance(w, fc, limit); d <= limit && (best < 0 || d < bestDistance) {
			best, bestDistance = i, d
		}
	}
	return best
}

// foldName makes names equal that differ only in style.
func foldName(s string) []rune {
	s = strings.ToLower(s)
	r := make([]rune, 0, utf8.RuneCountInString(s))
	for _, c := range s {
		if c != '_' && c != '-' && c != ' ' {
			r = append(r, c)
		}
	}
	return r
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours between a and b. Over the limit it may return any larger number.
func distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	var rows [3][longestSuggested + 1]int
	before, above, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		above[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			v := min(above[j]+cost, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				v = min(v, before[j-1]+1)
			}
			row[j+1] = v
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
