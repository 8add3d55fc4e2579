package page

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// scriptTokens divides a script into tokens, without comments. The scripts of a page run in a
// browser, which reads them exactly; a slash whose meaning depends on the grammar is decided by the
// token before it.
func scriptTokens(text string) []token {
	s := scriptScanner{text: text}
	s.run(false)
	return s.tokens
}

type scriptScanner struct {
	text   string
	pos    int
	tokens []token
	depth  int
}

// maxTemplates limits templates inside of templates.
const maxTemplates = 50

func (s *scriptScanner) add(kind tokenKind, text string) {
	s.tokens = append(s.tokens, token{kind: kind, text: text})
}

// run reads tokens up to the end, or up to the brace that ends a substitution.
func (s *scriptScanner) run(substitution bool) {
	braces := 0
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch c := rest[0]; {
		case c <= ' ':
			s.pos++
		case strings.HasPrefix(rest, "//"):
			s.pos += lineLength(rest)
		case strings.HasPrefix(rest, "/*"):
			if end := strings.Index(rest[2:], "*/"); end >= 0 {
				s.pos += end + 4
			} else {
				s.pos = len(s.text)
			}
		case c == '"' || c == '\'':
			s.quoted(c)
		case c == '`' && s.depth < maxTemplates:
			s.template()
		case c == '/' && s.regexpAllowed() && regexpLength(rest) > 0:
			s.pos += regexpLength(rest)
			s.add(other, "")
		case '0' <= c && c <= '9':
			end := 1
			for end < len(rest) && (isWordByte(rest[end]) || rest[end] == '.') {
				end++
			}
			s.pos += end
			s.add(other, "")
		case isWordByte(c) || c == '\\':
			s.word()
		default:
			if c == '{' {
				braces++
			}
			if c == '}' {
				if braces--; braces < 0 && substitution {
					s.pos++
					return
				}
			}
			s.pos++
			s.add(punctuation, string(c))
		}
	}
}

func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func lineLength(text string) int {
	if end := strings.IndexAny(text, "\n\r\u2028\u2029"); end >= 0 {
		return end
	}
	return len(text)
}

func (s *scriptScanner) regexpAllowed() bool {
	if len(s.tokens) == 0 {
		return true
	}
	switch last := s.tokens[len(s.tokens)-1]; last.kind {
	case punctuation:
		return last.text != ")" && last.text != "]" && last.text != "}"
	case word:
		return beforeRegexp[last.text]
	}
	return false
}

// regexpLength returns the length of a regular expression, or 0 if it does not end on its line.
func regexpLength(text string) int {
	class := false
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '\n', '\r':
			return 0
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return 0
}

func (s *scriptScanner) word() {
	var b strings.Builder
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case isWordByte(c):
			b.WriteByte(c)
			s.pos++
			continue
		case c == '\\':
			b.WriteString(s.escape())
			continue
		}
		break
	}
	s.add(word, b.String())
}

// quoted reads a string. A line break ends one that is not closed.
func (s *scriptScanner) quoted(quote byte) {
	s.pos++
	var b strings.Builder
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c == quote {
			s.pos++
			break
		}
		if c == '\n' || c == '\r' {
			break
		}
		if c == '\\' {
			b.WriteString(s.escape())
			continue
		}
		b.WriteByte(c)
		s.pos++
	}
	s.add(literal, b.String())
}

// template reads a template. The tokens of its substitutions follow it, in parentheses.
func (s *scriptScanner) template() {
	s.pos++
	index := len(s.tokens)
	s.add(literal, "")
	s.depth++
	defer func() { s.depth-- }()
	var b strings.Builder
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '`':
			s.pos++
			if !s.tokens[index].part {
				s.tokens[index].text = b.String()
			}
			return
		case strings.HasPrefix(s.text[s.pos:], "${"):
			s.pos += 2
			if !s.tokens[index].part {
				s.tokens[index].text, s.tokens[index].part = b.String(), true
			}
			s.add(punctuation, "(")
			s.run(true)
			s.add(punctuation, ")")
		case c == '\\':
			b.WriteString(s.escape())
		default:
			b.WriteByte(c)
			s.pos++
		}
	}
	if !s.tokens[index].part {
		s.tokens[index].text = b.String()
	}
}

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", 'v': "\v", '0': "\x00", '\n': ""}

// escape reads a backslash and what follows.
func (s *scriptScanner) escape() string {
	s.pos++
	if s.pos >= len(s.text) {
		return ""
	}
	c := s.text[s.pos]
	rest := s.text[s.pos+1:]
	digits := ""
	length := 0
	switch {
	case c == 'x' && len(rest) >= 2:
		digits, length = rest[:2], 2
	case c == 'u' && strings.HasPrefix(rest, "{"):
		if end := strings.IndexByte(rest, '}'); end > 0 {
			digits, length = rest[1:end], end+1
		}
	case c == 'u' && len(rest) >= 4:
		digits, length = rest[:4], 4
	}
	if n, err := strconv.ParseUint(digits, 16, 21); err == nil {
		s.pos += 1 + length
		return string(rune(n))
	}
	r, size := utf8.DecodeRuneInString(s.text[s.pos:])
	s.pos += size
	if text, known := escapes[c]; known {
		return text
	}
	return string(r)
}
