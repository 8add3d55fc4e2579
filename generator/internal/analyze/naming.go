package analyze

import (
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/valid"
)

// snake converts a Go identifier to the published form of naming=snake: SearchBooks becomes
// search_books, ListUserIDs list_user_ids, GetHTTPProxy get_http_proxy. A run of capitals is one
// word; its last letter belongs to the next word if a small letter follows, and a plural s belongs
// to the run.
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

// PublishedName returns the name of a feature for a function and, for a method, the type that
// declares it; owner is "" for a function.
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
	// In a run of capitals only a letter that begins a word in small letters starts a new word: the
	// P of HTTPProxy, not the D of IDs.
	return i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !pluralAt(runes, i+1)
}

// pluralAt reports whether runes[i] is the s of a plural such as IDs or URLsFor.
func pluralAt(runes []rune, i int) bool {
	return runes[i] == 's' && (i+1 == len(runes) || !unicode.IsLower(runes[i+1]))
}

// lowerCamel returns a parameter name for a type name: store for Store, httpClient for HTTPClient.
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

// nameRule classifies the name of a feature by the clients that accept it.
type nameRule int

const (
	nameGood  nameRule = iota
	nameRisky          // allowed by the specification, refused by some clients
	nameBad
)

// checkName applies ^[a-zA-Z0-9_-]{1,64}$, which every known client accepts, and the wider rule of
// 2025-11-25 (server/tools, tool names), which adds dots and allows 128 characters.
func checkName(name string) nameRule {
	switch {
	case !valid.IsName(name):
		return nameBad
	case len(name) > 64, strings.Contains(name, "."):
		return nameRisky
	}
	return nameGood
}
