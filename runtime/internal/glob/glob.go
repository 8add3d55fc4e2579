// Package glob matches texts against patterns with stars.
package glob

import "strings"

// Pattern is a pattern, as the texts between its stars. A star matches any text, also an empty one.
type Pattern []string

// New parses a pattern.
func New(text string) Pattern { return strings.Split(text, "*") }

// Match reports whether s matches the pattern. For each star it takes time at most proportional to
// the length of s.
func (p Pattern) Match(s string) bool {
	if len(p) == 0 {
		return false
	}
	last := len(p) - 1
	if last == 0 {
		return s == p[0]
	}
	s, ok := strings.CutPrefix(s, p[0])
	if !ok {
		return false
	}
	for _, part := range p[1:last] {
		_, after, found := strings.Cut(s, part)
		if !found {
			return false
		}
		s = after
	}
	return strings.HasSuffix(s, p[last])
}
