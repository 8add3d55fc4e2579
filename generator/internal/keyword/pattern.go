package keyword

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/mcpgen/mcpgen/internal/pattern"
)

// patternError contains the part of a pattern that is wrong, and the text to write instead.
type patternError struct {
	message, hint string
}

func (e *patternError) Error() string { return e.message }

// PatternHint returns the text to write instead of a pattern that CheckPattern refuses.
func PatternHint(err error) string {
	if e := (*patternError)(nil); errors.As(err, &e) {
		return e.hint
	}
	return ""
}

// CheckPattern accepts patterns that mean the same to the decoder, which matches with the
// expression that package pattern makes of Go's syntax (RE2), and to clients, which match by
// ECMA-262 in Unicode mode. CheckPattern refuses syntax that only RE2 knows; regexp.Compile refuses
// syntax that only ECMA-262 knows.
func CheckPattern(expr string) error {
	if _, err := regexp.Compile(expr); err != nil {
		text := err.Error()
		if e := (*syntax.Error)(nil); errors.As(err, &e) {
			text = e.Code.String() + ": " + e.Expr
		}
		hint := "see https://pkg.go.dev/regexp/syntax"
		if strings.Contains(expr, "(?=") || strings.Contains(expr, "(?!") || strings.Contains(expr, "(?<=") || strings.Contains(expr, "(?<!") {
			hint = "lookaround is not available; check it in the function"
		}
		return &patternError{"pattern " + expr + " does not compile: " + text, hint}
	}
	c := patternChecker{expr: expr}
	for c.err == nil && c.i < len(expr) {
		c.next()
	}
	if c.err != nil {
		return c.err
	}
	if _, err := pattern.Compile(expr); err != nil {
		return &patternError{"pattern " + expr + ": " + err.Error(),
			"make it shorter, begin it with ^, use smaller counts, or check it in the function"}
	}
	return nil
}

// patternChecker walks over a pattern that RE2 accepts.
type patternChecker struct {
	expr string
	i    int
	// assertion is set after ^, $, \b and \B, which ECMA-262 does not repeat.
	assertion bool
	err       *patternError
}

func (c *patternChecker) refuse(part, hint string) {
	c.err = &patternError{fmt.Sprintf("pattern %s: %s is not portable between Go and JSON Schema's regular expressions", c.expr, part), hint}
}

// next passes over one piece of the pattern.
func (c *patternChecker) next() {
	assertion := c.assertion
	c.assertion = false
	rest := c.expr[c.i:]
	switch rest[0] {
	case '\\':
		c.escape(false)
	case '[':
		c.class()
	case '(':
		c.group()
	case '^', '$':
		c.assertion = true
		c.i++
	case '*', '+', '?', '{':
		if assertion {
			c.refuse("a repeated "+c.expr[c.i-1:c.i], "repeat a group around it")
			return
		}
		if rest[0] == '{' {
			m := quantifier.FindString(rest)
			if m == "" {
				c.refuse("a lone {", `write \{`)
				return
			}
			c.i += len(m)
			return
		}
		c.i++
	case '}', ']':
		c.refuse("a lone "+rest[:1], `write \`+rest[:1])
	default:
		c.i++
	}
}

var quantifier = regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}`)

func (c *patternChecker) group() {
	rest := c.expr[c.i:]
	switch {
	case strings.HasPrefix(rest, "(?:"):
		c.i += 3
	case strings.HasPrefix(rest, "(?P<"):
		c.refuse("(?P<", "write (?<name>…)")
	case strings.HasPrefix(rest, "(?<"):
		c.i += 3
		for c.expr[c.i] != '>' {
			c.i++
		}
		c.i++
	case strings.HasPrefix(rest, "(?"):
		c.refuse("an inline flag ("+rest[:3]+")", "spell it out, for instance [Aa] for a in either case")
	default:
		c.i++
	}
}

// general matches the one-letter general categories and their subdivisions, which both sides know
// by these names.
var general = regexp.MustCompile(`^[pP]\{(L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfo])\}`)

// escape passes over an escape sequence; inside a class some sequences mean something else.
func (c *patternChecker) escape(class bool) {
	rest := c.expr[c.i+1:]
	r := rest[0]
	switch {
	case strings.IndexByte("dDwWsSnrtfv", r) >= 0:
	case (r == 'b' || r == 'B') && !class:
		c.assertion = true
	case strings.IndexByte(`^$\.*+?()[]{}|/`, r) >= 0:
	case r == '-' && class:
	case r == 'x' && len(rest) >= 3 && rest[1] != '{':
		c.i += 2
	case r == 'p' || r == 'P':
		m := general.FindString(rest)
		if m == "" {
			c.refuse(`\`+rest[:1]+` with this class`, `only general categories in braces can be used, such as \p{L} or \p{Lu}`)
			return
		}
		c.i += len(m) - 1
	case r == 'A':
		c.refuse(`\A`, "write ^")
		return
	case r == 'z':
		c.refuse(`\z`, "write $")
		return
	case r == 'x':
		c.refuse(`\x{`, `write the character itself, or \xHH for one below U+0100`)
		return
	case r == 'Q':
		c.refuse(`\Q`, "escape the characters one by one")
		return
	case '0' <= r && r <= '9' || r == 'a' || r == 'C' || r == 'E':
		c.refuse(`\`+rest[:1], "write the character itself, or \\xHH")
		return
	default:
		c.refuse(`\`+rest[:1], "write "+rest[:1]+" without the backslash")
		return
	}
	c.i += 2
}

// class passes over a bracket expression.
func (c *patternChecker) class() {
	c.i++
	if c.expr[c.i] == '^' {
		c.i++
	}
	if c.expr[c.i] == ']' {
		c.refuse("] at the start of a class", `write \]`)
		return
	}
	for c.err == nil {
		rest := c.expr[c.i:]
		switch {
		case rest[0] == ']':
			c.i++
			return
		case strings.HasPrefix(rest, "[:"):
			c.refuse("a POSIX class", "write the range, for instance a-zA-Z")
		case rest[0] == '\\':
			set := strings.IndexByte("dDwWsSpP", rest[1]) >= 0
			c.escape(true)
			if tail := c.expr[c.i:]; c.err == nil && set && tail[0] == '-' && tail[1] != ']' {
				c.refuse("a range that begins with a class", `write \-`)
			}
		default:
			c.i++
		}
	}
}
