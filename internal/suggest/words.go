package suggest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// byWords returns the only candidate that a word has some words in common with, and the only one
// with abbreviated words; -1 for none, and for several.
func byWords(word string, n int, candidate func(int) string) (part, short int) {
	w := split(word)
	var parts, shorts only
	for i := range n {
		c := candidate(i)
		if len(c) > Longest || c == word {
			continue
		}
		others, abbreviated, ok := within(w, split(c))
		switch {
		case !ok:
		case abbreviated:
			shorts.add(i, others)
		default:
			parts.add(i, others)
		}
	}
	return parts.index(), shorts.index()
}

// only finds the single candidate with the lowest cost.
type only struct {
	at, cost, count int // of the candidates with this cost, one
}

func (o *only) add(i, cost int) {
	switch {
	case o.count == 0 || cost < o.cost:
		*o = only{i, cost, 1}
	case cost == o.cost:
		o.count++
	}
}

// index returns the only candidate, or -1.
func (o *only) index() int {
	if o.count != 1 {
		return -1
	}
	return o.at
}

// split returns the words of a name, in lower case: those between other characters than letters and
// digits, and from one capital to the next.
func split(name string) []string {
	var words []string
	start, before := -1, rune(0)
	runes := []rune(name)
	end := func(i int) {
		if start >= 0 {
			words = append(words, strings.ToLower(string(runes[start:i])))
		}
		start = -1
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
		case start < 0:
			start = i
		case unicode.IsUpper(r) && (!unicode.IsUpper(before) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end(i)
			start = i
		}
		before = r
	}
	end(len(runes))
	return words
}

// within reports whether each word of the shorter of two names is one of the longer, or an
// abbreviation of one, in their order; others counts the words that only the longer one has.
func within(a, b []string) (others int, abbreviated, ok bool) {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 1 && len(b) > 1 && a[0] == initials(b) {
		return 0, true, true
	}
	rest := b
	for _, word := range a {
		at := -1
		for i, w := range rest {
			if len(word) > 1 && word == w {
				at = i
				break
			}
			if at < 0 && (abbreviates(word, w) || abbreviates(w, word)) {
				at = i
			}
		}
		if at < 0 {
			return 0, false, false
		}
		abbreviated = abbreviated || rest[at] != word
		rest = rest[at+1:]
	}
	return len(b) - len(a), abbreviated, len(a) > 0
}

func initials(words []string) string {
	var b strings.Builder
	for _, w := range words {
		for _, r := range w {
			b.WriteRune(r)
			break
		}
	}
	return b.String()
}

// abbreviates reports whether a is the beginning of a longer word, as desc, or has its first letter
// and some of its consonants, as ns and msg.
func abbreviates(a, word string) bool {
	if utf8.RuneCountInString(a) < 2 || len(a) >= len(word) {
		return false
	}
	if strings.HasPrefix(word, a) {
		return true
	}
	if a[0] != word[0] || strings.ContainsAny(a[1:], "aeiou") {
		return false
	}
	rest := word[1:]
	for _, r := range a[1:] {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+len(string(r)):]
	}
	return true
}
