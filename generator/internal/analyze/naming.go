package analyze

import (
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/valid"
)

// snake turns a Go identifier into the published form of naming=snake: SearchBooks is search_books,
// ListUserIDs is list_user_ids, GetHTTPProxy is get_http_proxy. A run of capitals is one word, its
// last letter belongs to the next word where a small one follows, and a plural s belongs to the
// run.
func snake(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		if i > 0 && startsWord(runes, i) && runes[i-1] != '_' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Trim(b.String(), "_")
}

// PublishedName is the name of a feature by the function and the type whose method it is, "" for
// none.
func PublishedName(owner, function string) string {
	if owner == "" {
		return snake(function)
	}
	return snake(owner) + "_" + snake(function)
}

// startsWord reports whether a new word begins at runes[i], i > 0.
func startsWord(runes []rune, i int) bool {
	r, prev := runes[i], runes[i-1]
	if !unicode.IsUpper(r) {
		return false
	}
	if !unicode.IsUpper(prev) {
		return true
	}
	// Inside a run of capitals only the one that opens a word of small letters starts something
	// new: the P of HTTPProxy, not the D of IDs.
	return i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !pluralAt(runes, i+1)
}

// pluralAt reports whether runes[i] is the s of a plural such as IDs or URLsFor.
func pluralAt(runes []rune, i int) bool {
	return runes[i] == 's' && (i+1 == len(runes) || !unicode.IsLower(runes[i+1]))
}

// lowerCamel makes the name of a parameter out of that of a type: Store is store, HTTPClient is
// httpClient.
func lowerCamel(name string) string {
	runes := []rune(name)
	n := 0
	for n < len(runes) && unicode.IsUpper(runes[n]) {
		n++
	}
	switch {
	case n == 0:
		return name
	case n > 1 && n < len(runes) && unicode.IsLower(runes[n]):
		n-- // the last capital begins the next word
	}
	for i := range n {
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

// nameRule says how well a feature's name travels.
type nameRule int

const (
	nameGood  nameRule = iota
	nameRisky          // allowed by the specification, refused by some clients
	nameBad
)

// checkName applies ^[a-zA-Z0-9_-]{1,64}$, which every known client takes, and the wider rule of
// 2025-11-25 (server/tools, tool names), which adds dots and 128 characters.
func checkName(name string) nameRule {
	switch {
	case !valid.IsName(name):
		return nameBad
	case len(name) > 64, strings.Contains(name, "."):
		return nameRisky
	}
	return nameGood
}
