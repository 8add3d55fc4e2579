package layout

import (
	"go/token"
	"strings"
)

// item is one token.
type item struct {
	kind  token.Token // IDENT for names; literals are STRING or INT
	text  string
	lines int // line ends before it
}

// operand reports whether an expression or a type can end with the token.
func (t item) operand() bool {
	switch t.kind {
	case token.IDENT, token.STRING, token.INT, token.RPAREN, token.RBRACK, token.RBRACE:
		return true
	}
	return false
}

// operators contains the operators that are formatted, by length.
var operators = func() (byLength [4]map[string]token.Token) {
	for t := token.ADD; t <= token.COLON; t++ {
		s := t.String()
		if byLength[len(s)] == nil {
			byLength[len(s)] = map[string]token.Token{}
		}
		byLength[len(s)][s] = t
	}
	return byLength
}()

// scan appends the tokens of a text without comments. It returns false for a text that contains
// something else than names of ASCII letters, whole numbers, strings on one line and operators.
func scan(items []item, src string) ([]item, bool) {
	lines := 0
	for i := 0; i < len(src); {
		start := i
		var kind token.Token
		switch c := src[i]; {
		case c == '\n':
			lines++
			i++
			continue
		case c == ' ' || c == '\t':
			i++
			continue
		case letter(c):
			for i < len(src) && (letter(src[i]) || digit(src[i])) {
				i++
			}
			kind = token.Lookup(src[start:i])
		case digit(c):
			hex := strings.HasPrefix(src[i:], "0x")
			if hex {
				i += len("0x")
			}
			for i < len(src) && (digit(src[i]) || hex && src[i]|0x20 >= 'a' && src[i]|0x20 <= 'f') {
				i++
			}
			if kind = token.INT; i < len(src) && (letter(src[i]) || src[i] == '.') {
				return nil, false
			}
		case c == '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
			if i++; i > len(src) {
				return nil, false
			}
			kind = token.STRING
		case c == '`':
			n := strings.IndexByte(src[i+1:], '`')
			if n < 0 || strings.ContainsAny(src[i:i+1+n], "\n\r") {
				return nil, false
			}
			i, kind = i+n+2, token.STRING
		default:
			kind, i = operator(src, i)
			if kind == token.ILLEGAL {
				return nil, false
			}
		}
		items = append(items, item{kind, src[start:i], lines})
		lines = 0
	}
	return items, true
}

// operator returns the longest operator at an index, and the index behind it.
func operator(src string, i int) (token.Token, int) {
	if strings.HasPrefix(src[i:], "//") || strings.HasPrefix(src[i:], "/*") {
		return token.ILLEGAL, i
	}
	for n := min(3, len(src)-i); n > 0; n-- {
		if kind, ok := operators[n][src[i:i+n]]; ok {
			return kind, i + n
		}
	}
	return token.ILLEGAL, i
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
