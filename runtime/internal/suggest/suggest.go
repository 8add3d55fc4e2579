// Package suggest finds the name that one which does not exist was probably meant to be.
package suggest

import (
	"strings"
	"unicode/utf8"
)

// Longest bounds the work of Nearest, in bytes of a word. Longer ones have no similar one.
const Longest = 64

// Nearest returns the index of the candidate that a word was probably meant to be, -1 if none is
// similar. In this order a candidate is
//
//   - the word with at most one difference;
//   - the only one of whose words the word has some, or that has some of the words: public and
//     public_channel;
//   - the one with the fewest differences, in at most a third of the characters;
//   - the only one with words that those of the word abbreviate, or the other way round: ns and
//     namespace.
//
// A swap of neighbours is one difference; letter case, _ and - are none. The only one means one
// with fewer other words than any other.
func Nearest(word string, n int, candidate func(int) string) int {
	if len(word) > Longest {
		return -1
	}
	w := foldName(word)
	near, nearDistance := -1, 0
	for i := range n {
		c := candidate(i)
		if len(c) > Longest {
			continue
		}
		fc := foldName(c)
		limit := max(len(w), len(fc)) / 3
		if d := distance(w, fc, limit); d <= limit && (near < 0 || d < nearDistance) {
			near, nearDistance = i, d
		}
	}
	if near >= 0 && nearDistance <= 1 {
		return near
	}
	part, short := byWords(word, n, candidate)
	switch {
	case part >= 0:
		return part
	case near >= 0:
		return near
	}
	return short
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

// distance counts the insertions, deletions, replacements and swaps of neighbours between a and b.
// Over the limit it may return any larger number.
func distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	var rows [3][Longest + 1]int
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
