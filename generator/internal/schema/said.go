package schema

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
)

// saysValues reports whether a description already contains the comments of an enumeration's
// values: it names each value, and next to it, behind all of them or in front of all of them, the
// words of its comment. With list, for values that the schema does not enumerate, their names
// suffice if no value has a comment.
func saysValues(desc string, texts []string, docs map[string]string, list bool) bool {
	words := plainWords(desc)
	var places []valuePlace
	commented := false
	for _, text := range texts {
		value := text
		if v, err := jsontext.Decode(text); err == nil {
			if s, ok := v.(string); ok {
				value = s
			}
		}
		p := valuePlace{words: plainWords(value), doc: withoutArticles(plainWords(docs[text]))}
		if p.start = indexWords(words, p.words); p.start < 0 || len(p.words) == 0 {
			return false
		}
		commented = commented || len(p.doc) > 0
		places = append(places, p)
	}
	if !commented {
		return list
	}
	slices.SortFunc(places, func(a, b valuePlace) int { return a.start - b.start })
	behind, before := true, true
	for i, p := range places {
		next, last := len(words), 0
		if i+1 < len(places) {
			next = places[i+1].start
		}
		if i > 0 {
			last = places[i-1].end()
		}
		if p.end() > next {
			return false // one value is a part of another
		}
		behind = behind && indexWords(withoutArticles(words[p.end():next]), p.doc) >= 0
		before = before && indexWords(withoutArticles(words[last:p.start]), p.doc) >= 0
	}
	return behind || before
}

// valuePlace is the place of a value in a description.
type valuePlace struct {
	words, doc []string
	start      int
}

func (p valuePlace) end() int { return p.start + len(p.words) }

// repeatsName reports whether a comment contains only the words of its field's name.
func repeatsName(doc string, names ...string) bool {
	squeezed := strings.Join(slices.Compact(withoutArticles(plainWords(doc))), "") // "Name is the name"
	return slices.ContainsFunc(names, func(name string) bool {
		return squeezed == strings.Join(plainWords(name), "")
	})
}

// plainWords returns the words of a text in lower case, without punctuation.
func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// withoutArticles removes words that do not change the meaning.
func withoutArticles(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return w == "a" || w == "an" || w == "the" || w == "is" || w == "are" || w == "it"
	})
}

// indexWords returns the index of the first occurrence of some words in others, or -1.
func indexWords(all, some []string) int {
	for i := 0; i+len(some) <= len(all); i++ {
		if slices.Equal(all[i:i+len(some)], some) {
			return i
		}
	}
	return -1
}
