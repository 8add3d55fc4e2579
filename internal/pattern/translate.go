package pattern

import (
	"fmt"
	"strings"
)

// spaces are the characters of \s in ECMA-262: WhiteSpace and LineTerminator (sections 12.2 and
// 12.3), in order, as pairs of first and last.
var spaces = [...][2]rune{
	{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A},
	{0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF},
}

// The parts of a class, between its brackets, in Go's syntax.
var (
	space    = ranges(spaces[:])
	nonSpace = ranges(others(spaces[:]))
)

// anyCharacter is the dot: everything but a LineTerminator.
const anyCharacter = `[^\n\r\x{2028}\x{2029}]`

func ranges(pairs [][2]rune) string {
	var b strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&b, `\x{%X}-\x{%X}`, p[0], p[1])
	}
	return b.String()
}

// others are the characters between ranges.
func others(pairs [][2]rune) [][2]rune {
	var out [][2]rune
	next := rune(0)
	for _, p := range pairs {
		if p[0] > next {
			out = append(out, [2]rune{next, p[0] - 1})
		}
		next = p[1] + 1
	}
	return append(out, [2]rune{next, 0x10FFFF})
}

// Translate rewrites an expression of ECMA-262 for package regexp, where the meaning of \s, \S and
// the dot differs.
func Translate(expr string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\' && i+1 < len(expr):
			i++
			switch c := expr[i]; {
			case c == 's' && class:
				b.WriteString(space)
			case c == 'S' && class:
				b.WriteString(nonSpace)
			case c == 's':
				b.WriteString("[" + space + "]")
			case c == 'S':
				b.WriteString("[" + nonSpace + "]")
			default:
				b.WriteString(expr[i-1 : i+1])
			}
		case c == '.' && !class:
			b.WriteString(anyCharacter)
		default:
			switch c {
			case '[':
				class = true
			case ']':
				class = false
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}
