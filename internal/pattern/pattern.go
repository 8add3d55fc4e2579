// Package pattern matches the regular expressions of JSON Schema: ECMA-262 expressions in Unicode
// mode, as far as package regexp supports them too. Generator and runtime both use it, so that they
// decide like a client that validates with the schema.
//
// An expression is compiled to a table with a row for each state, so that matching takes one step
// for each character with any expression. An expression with a large table is an error.
package pattern

import (
	"errors"
	"regexp/syntax"
	"unicode/utf8"
)

// errTooLarge is returned if an expression needs too large a table.
var errTooLarge = errors.New("takes too many states to match")

// Matcher is a compiled expression. It is immutable, so that several goroutines can use it.
type Matcher struct {
	classes classes
	width   int      // of a row: the number of classes
	next    []uint16 // rows of states, by class
	final   []bool   // states that match at the end of the text
}

// The first two states. No character leaves them.
const (
	failed uint16 = iota
	matched
	initial
)

// Compile compiles an expression. The error is errTooLarge, or an error of package regexp/syntax.
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

// Match reports whether a UTF-8 text contains a match.
func (m *Matcher) Match(s string) bool {
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
