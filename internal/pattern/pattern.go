// Package pattern matches the regular expressions of JSON Schema: those of
// ECMA-262 in Unicode mode, as far as package regexp knows them too. Generator and
// runtime use it alike, and say nothing else of a text than a client does that
// reads the schema.
//
// An expression is made into a table with a row for each state, so that matching
// takes one step for each character, whatever the expression. Expressions whose
// table would be large are an error.
package pattern

import (
	"errors"
	"regexp/syntax"
	"unicode/utf8"
)

// ErrTooLarge says that an expression needs too large a table.
var ErrTooLarge = errors.New("takes too many states to match")

// Matcher is an expression that has been compiled. It is never changed, so that
// several goroutines can use it at once.
type Matcher struct {
	classes classes
	width   int      // of a row: the number of classes
	next    []uint16 // rows of states, by class; nil where no text matches
	final   []bool   // states that match at the end of the text
}

// The first two states, which no character leaves.
const (
	failed uint16 = iota
	matched
	initial
)

// Compile makes an expression ready for matching. The error is [ErrTooLarge], or
// one of package regexp/syntax.
func Compile(expr string) (*Matcher, error) {
	re, err := syntax.Parse(Translate(expr), syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	return build(prog)
}

// Match reports whether a text in UTF-8 has a match somewhere.
func (m *Matcher) Match(s string) bool {
	if m.next == nil {
		return false
	}
	state := initial
	for i := 0; i < len(s); {
		var class int
		if c := s[i]; c < utf8.RuneSelf {
			class = int(m.classes.ascii[c])
			i++
		} else {
			r, size := utf8.DecodeRuneInString(s[i:])
			class = m.classes.of(r)
			i += size
		}
		if state = m.next[int(state)*m.width+class]; state < initial {
			return state == matched
		}
	}
	return m.final[state]
}
