package reference

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/pattern"
)

// matching makes a text that matches a pattern of a schema, with a length in characters. The
// package that checks arguments verifies the match.
func matching(expr string, least, most int) (string, bool) {
	m, err := pattern.Compile(expr)
	if err != nil {
		return "", false
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return "", false // Go does not support it
	}
	// More repetitions make longer texts.
	for repeat := range 70 {
		var b strings.Builder
		write(&b, tree.Simplify(), repeat)
		n := utf8.RuneCountInString(b.String())
		if n > most || b.Len() > 10_000 {
			break
		}
		if n >= least && m.Match(b.String()) {
			return b.String(), true
		}
	}
	return "", false
}

// write writes the shortest text that matches an expression, with more repetitions where they are
// allowed.
func write(b *strings.Builder, e *syntax.Regexp, repeat int) {
	if b.Len() > 10_000 {
		return
	}
	switch e.Op {
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		b.WriteRune(readable(e.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range e.Sub {
			write(b, sub, repeat)
		}
	case syntax.OpAlternate:
		write(b, e.Sub[0], repeat)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		times := repeat
		switch e.Op {
		case syntax.OpPlus:
			times = max(1, repeat)
		case syntax.OpQuest:
			times = min(1, repeat)
		case syntax.OpRepeat:
			if times = max(e.Min, repeat); e.Max >= 0 {
				times = min(times, e.Max)
			}
		}
		for range times {
			write(b, e.Sub[0], repeat)
		}
	}
}

// readable chooses a character of a class, preferably a letter or digit.
func readable(ranges []rune) rune {
	for _, want := range []rune{'a', 'A', '0', '1'} {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want
			}
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}
