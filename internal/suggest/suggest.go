// Package suggest finds the name that a mistyped or abbreviated name probably meant, for the
// command, the programs and the arguments of calls.
package suggest

import (
	"strings"
	"unicode/utf8"
)

// Longest limits the words of Nearest, in bytes: longer words have no similar candidate.
const Longest = 64

// Nearest returns the index of the candidate that a word was probably meant to be, -1 if none is
// similar. In this order a candidate is
//
//   - the word with at most one difference;
//   - the only one of whose words the word has some, or that has some of the words: public and
//     public_channel;
//   - the one with the fewest differences, in at most a third of the characters, rounded, and not
//     in all of them;
//   - the only one with words that the words of word abbreviate, or the other way round: ns and
//     namespace.
//
// A swap of neighbours is one difference; letter case and the separators _ - . and space do not
// count. The only one means one with fewer other words than any other. A word is not meant to be
// itself.
func Nearest(word string, n int, candidate func(int) string) int {
	if len(word) > Longest {
		return -1
	}
	near, differences := similar(word, n, candidate)
	if near >= 0 && differences <= 1 {
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

// Word is like [Nearest] for a list, and returns the candidate, or "".
func Word(word string, candidates []string) string {
	if i := Nearest(word, len(candidates), func(i int) string { return candidates[i] }); i >= 0 {
		return candidates[i]
	}
	return ""
}

// Typo is like [Word] by differences alone, for words that may be meant as they are: a description
// begins with min and does not abbreviate minimum.
func Typo(word string, candidates []string) string {
	if len(word) > Longest {
		return ""
	}
	if i, _ := similar(word, len(candidates), func(i int) string { return candidates[i] }); i >= 0 {
		return candidates[i]
	}
	return ""
}

// similar returns the candidate with the fewest differences, or -1.
func similar(word string, n int, candidate func(int) string) (near, differences int) {
	w := foldName(word)
	near = -1
	for i := range n {
		c := candidate(i)
		if len(c) > Longest || c == word {
			continue
		}
		fc := foldName(c)
		limit := min((max(len(w), len(fc))+1)/3, min(len(w), len(fc))-1)
		if d := distance(w, fc, limit); d <= limit && (near < 0 || d < differences) {
			near, differences = i, d
		}
	}
	return near, differences
}

// foldName makes names equal that differ only in style.
func foldName(s string) []rune {
	s = strings.ToLower(s)
	r := make([]rune, 0, utf8.RuneCountInString(s))
	for _, c := range s {
		if c != '_' && c != '-' && c != '.' && c != ' ' {
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
