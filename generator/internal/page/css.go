package page

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// css adds the addresses in a style sheet: url(), @import, src() and image-set().
func (c *collector) css(text string) {
	for _, url := range styleURLs(text) {
		c.add(Reference{URL: url, Use: Load, Data: true})
	}
}

// styleURLs returns the addresses in a style sheet.
func styleURLs(text string) (urls []string) {
	s := styleScanner{text: text}
	// functions are the names of the functions around the position.
	var functions []string
	imported := false
	for s.pos < len(s.text) {
		switch ch := s.text[s.pos]; {
		case strings.HasPrefix(s.text[s.pos:], "/*"):
			end := strings.Index(s.text[s.pos+2:], "*/")
			if end < 0 {
				return urls
			}
			s.pos += end + 4
		case ch == '"' || ch == '\'':
			value := s.quoted()
			function := ""
			if len(functions) > 0 {
				function = functions[len(functions)-1]
			}
			if imported || strings.HasSuffix(function, "image-set") || function == "src" || function == "url" {
				urls = append(urls, value)
			}
			imported = false
		case isNameByte(ch) || ch == '\\' || ch == '@':
			name := strings.ToLower(s.name())
			switch {
			case s.pos < len(s.text) && s.text[s.pos] == '(':
				s.pos++
				if name != "url" && name != "url-prefix" {
					functions = append(functions, name)
					break
				}
				s.blanks()
				if s.pos < len(s.text) && s.text[s.pos] != '"' && s.text[s.pos] != '\'' {
					urls = append(urls, s.bare())
					imported = false
				} else {
					functions = append(functions, "url")
				}
			case name == "@import":
				imported = true
			}
		case ch == '(':
			functions = append(functions, "")
			s.pos++
		case ch == ')':
			if len(functions) > 0 {
				functions = functions[:len(functions)-1]
			}
			s.pos++
		default:
			if ch == ';' || ch == '{' || ch == '}' {
				imported, functions = false, nil
			}
			s.pos++
		}
	}
	return urls
}

type styleScanner struct {
	text string
	pos  int
}

func isNameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= utf8.RuneSelf
}

func (s *styleScanner) blanks() {
	s.pos = len(s.text) - len(strings.TrimLeft(s.text[s.pos:], " \t\n\f\r"))
}

// name reads a name, or a word that begins with @.
func (s *styleScanner) name() string {
	var b strings.Builder
	if s.text[s.pos] == '@' {
		b.WriteByte('@')
		s.pos++
	}
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case isNameByte(c):
			b.WriteByte(c)
			s.pos++
		case c == '\\':
			b.WriteString(s.escape())
		default:
			return b.String()
		}
	}
	return b.String()
}

// escape reads a backslash and what follows.
func (s *styleScanner) escape() string {
	s.pos++
	end := s.pos
	for end < len(s.text) && end < s.pos+6 && strings.IndexByte("0123456789abcdefABCDEF", s.text[end]) >= 0 {
		end++
	}
	if end > s.pos {
		n, _ := strconv.ParseUint(s.text[s.pos:end], 16, 32)
		if s.pos = end; s.pos < len(s.text) && strings.IndexByte(" \t\n\f\r", s.text[s.pos]) >= 0 {
			s.pos++
		}
		return string(rune(n))
	}
	if s.pos >= len(s.text) {
		return ""
	}
	r, size := utf8.DecodeRuneInString(s.text[s.pos:])
	s.pos += size
	if r == '\n' {
		return ""
	}
	return string(r)
}

// quoted reads a string. A line break ends one that is not closed.
func (s *styleScanner) quoted() string {
	quote := s.text[s.pos]
	s.pos++
	var b strings.Builder
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case quote:
			s.pos++
			return b.String()
		case '\n':
			return b.String()
		case '\\':
			b.WriteString(s.escape())
		default:
			b.WriteByte(c)
			s.pos++
		}
	}
	return b.String()
}

// bare reads the address of url() without quotes.
func (s *styleScanner) bare() string {
	var b strings.Builder
	for s.pos < len(s.text) && s.text[s.pos] != ')' {
		if c := s.text[s.pos]; c == '\\' {
			b.WriteString(s.escape())
		} else {
			b.WriteByte(c)
			s.pos++
		}
	}
	s.pos = min(s.pos+1, len(s.text))
	return strings.TrimSpace(b.String())
}
