// Package uripattern compares URIs with patterns of a policy, in every way in which a URI can be
// read. So file:///public/..%2Fsecret/key does not pass for a URI below file:///public/ if
// file:///secret/* is denied.
package uripattern

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/glob"
)

// Pattern is a pattern of URIs, in each form of [Readings].
type Pattern struct {
	text    string // as given
	encoded glob.Pattern
	decoded glob.Pattern
	flat    glob.Pattern
}

// star replaces a star while a text is changed. URIs cannot contain it.
const star = "\x00"

// Allow returns a pattern that allows. Its stars match any text, including slashes.
func Allow(text string) *Pattern { return newPattern(text, strings.Split(lowerHost(text), "*"), false) }

// Deny returns a pattern that denies. Its stars match any text, including slashes, and the case of
// letters makes no difference.
func Deny(text string) *Pattern { return newPattern(text, strings.Split(lowerHost(text), "*"), true) }

// DenyURI returns a pattern that denies one URI, in which a star is an ordinary character.
func DenyURI(uri string) *Pattern { return newPattern(uri, []string{lowerHost(uri)}, true) }

func newPattern(text string, parts []string, fold bool) *Pattern {
	p := &Pattern{text: text}
	for _, part := range parts {
		p.encoded = append(p.encoded, normalURI(part))
		p.decoded = append(p.decoded, decodeURI(part))
	}
	p.flat = strings.Split(flatURI(strings.Join(p.decoded, star)), star)
	if fold {
		for _, list := range []glob.Pattern{p.encoded, p.decoded, p.flat} {
			for i := range list {
				list[i] = FoldCase(list[i])
			}
		}
	}
	return p
}

// Text returns the pattern as given.
func (p *Pattern) Text() string { return p.text }

// Matches reports whether the pattern matches one of the readings. It matches nil, a URI whose
// readings are not known.
func (p *Pattern) Matches(s *Readings) bool {
	return s == nil || slices.ContainsFunc(s.encoded, p.encoded.Match) ||
		slices.ContainsFunc(s.decoded, p.decoded.Match) || slices.ContainsFunc(s.flat, p.flat.Match)
}

// Allowed reports whether each reading matches one of the patterns, or the encoded form of the URI
// is one of them. It returns false for nil.
func Allowed(patterns []*Pattern, s *Readings) bool {
	if s == nil {
		return false
	}
	some := func(match func(p *Pattern) bool) bool { return slices.ContainsFunc(patterns, match) }
	if some(func(p *Pattern) bool { return len(p.encoded) == 1 && p.encoded[0] == s.encoded[0] }) {
		return true
	}
	for _, text := range s.encoded {
		if !some(func(p *Pattern) bool { return p.encoded.Match(text) }) {
			return false
		}
	}
	for _, text := range s.decoded {
		if !some(func(p *Pattern) bool { return p.decoded.Match(text) }) {
			return false
		}
	}
	for _, text := range s.flat {
		if !some(func(p *Pattern) bool { return p.flat.Match(text) }) {
			return false
		}
	}
	return true
}

// MatchesTemplate reports whether the pattern matches every URI of a template, or is its text.
func (p *Pattern) MatchesTemplate(template string) bool {
	if p.text == template {
		return true
	}
	var b strings.Builder
	for rest := template; ; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			break
		}
		b.WriteString(star) // does not occur in literals of the pattern, so only a star matches it
		_, rest, _ = strings.Cut(after, "}")
	}
	text := lowerHost(b.String())
	return p.decoded.Match(FoldCase(decodeURI(text))) || p.flat.Match(FoldCase(flatURI(decodeURI(text))))
}

// MayMatchPrefix reports whether the pattern may match a URI with that prefix.
func (p *Pattern) MayMatchPrefix(prefix string) bool {
	prefix = normalURI(lowerHost(prefix))
	begin := p.encoded[0]
	return strings.HasPrefix(prefix, begin) || strings.HasPrefix(begin, prefix)
}
