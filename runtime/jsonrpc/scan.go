package jsonrpc

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// scanner finds where values in JSON text begin and end. Package wire checks the values, except
// short plain strings, which are checked while their end is searched.
type scanner struct {
	data []byte
	pos  int
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not a blank, or 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// consume consumes c, which is not 0, after blanks.
func (s *scanner) consume(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// str consumes a string that is valid JSON and valid UTF-8.
func (s *scanner) str() bool {
	start := s.pos
	plain := true
	for i := start + 1; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return plain || wire.Valid(s.data[start:s.pos], 1) == nil
		case c == '\\':
			plain = false
			i++
		case c < ' ', c >= utf8.RuneSelf:
			plain = false
		}
	}
	return false
}

// validString reports whether v is a valid JSON string without blanks around it.
func validString(v []byte) bool {
	s := scanner{data: v}
	return v[0] == '"' && s.str() && s.pos == len(v)
}

// span consumes one value, looking only at brackets and quotes, and returns its depth of nesting.
// ok is false if the value does not end; the position is then the place of the error.
func (s *scanner) span() (depth int, ok bool) {
	data := s.data
	switch c := s.peek(); c {
	case '"':
		return 0, s.skipString()
	case '{', '[':
	default:
		start := s.pos
		for s.pos < len(data) {
			switch data[s.pos] {
			case ',', '}', ']', ' ', '\t', '\n', '\r', ':', '"', '{', '[':
				return 0, s.pos > start
			}
			s.pos++
		}
		return 0, s.pos > start
	}
	open := 0
	i := s.pos
	for i < len(data) {
		c := data[i]
		if !delimits[c] {
			i++
			continue
		}
		switch c {
		case '"':
			end := stringEnd(data, i)
			if end < 0 {
				s.pos = i
				return depth, false
			}
			i = end
			continue
		case '{', '[':
			open++
			depth = max(depth, open)
		case '}', ']':
			open--
			if open == 0 {
				s.pos = i + 1
				return depth, true
			}
		}
		i++
	}
	s.pos = i
	return depth, false
}

// delimits are the bytes that [scanner.span] looks at in objects and arrays.
var delimits = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

// skipString consumes a string without checking it.
func (s *scanner) skipString() bool {
	end := stringEnd(s.data, s.pos)
	if end < 0 {
		return false
	}
	s.pos = end
	return true
}

// shortString is the length up to which the end of a string is searched by eight bytes at a time.
// From there on, the search of package bytes is faster.
const shortString = 32

// stringEnd returns the position after the string that begins at start, or -1 if it does not end.
func stringEnd(data []byte, start int) int {
	i := start + 1
	for ; i+8 <= len(data) && i < start+shortString; i += 8 {
		const ones, tops = 0x0101010101010101, 0x8080808080808080
		x := binary.LittleEndian.Uint64(data[i:])
		quote, escape := x^ones*'"', x^ones*'\\'
		// The lowest byte with its highest bit set is the first quote or backslash.
		found := (quote - ones) &^ quote & tops
		found |= (escape - ones) &^ escape & tops
		if found == 0 {
			continue
		}
		i += bits.TrailingZeros64(found) >> 3
		if data[i] == '"' {
			return i + 1
		}
		break
	}
	for {
		j := bytes.IndexByte(data[i:], '"')
		if j < 0 {
			return -1
		}
		i += j
		escapes := 0
		for data[i-1-escapes] == '\\' {
			escapes++
		}
		i++
		if escapes%2 == 0 {
			return i
		}
	}
}

// Members calls f with the name and the value of each member of the JSON object in data, in order,
// until f returns false. Names are unescaped. The text must be valid JSON, such as every message
// that [Parse] accepts. For a value that is not an object, f is not called.
func Members(data []byte, f func(name, value []byte) bool) {
	s := scanner{data: data}
	if !s.consume('{') {
		return
	}
	for s.peek() == '"' {
		start := s.pos
		if !s.skipString() {
			return
		}
		name := unescape(data[start+1 : s.pos-1])
		if !s.consume(':') {
			return
		}
		s.space()
		start = s.pos
		if _, ok := s.span(); !ok || !f(name, data[start:s.pos]) {
			return
		}
		if !s.consume(',') {
			return
		}
	}
}

// Elements calls f with each element of the JSON array in data, in order, until f returns false.
// The text must be valid JSON, as for [Members].
func Elements(data []byte, f func(value []byte) bool) {
	s := scanner{data: data}
	if !s.consume('[') {
		return
	}
	for {
		s.space()
		start := s.pos
		if _, ok := s.span(); !ok || !f(data[start:s.pos]) {
			return
		}
		if !s.consume(',') {
			return
		}
	}
}

// Bytes decodes a valid JSON string. ok is false if value is not a string. Without escapes, the
// result aliases value.
func Bytes(value []byte) ([]byte, bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false
	}
	return unescape(value[1 : len(value)-1]), true
}

// String is [Bytes] as a string.
func String(value []byte) (string, bool) {
	b, ok := Bytes(value)
	return string(b), ok
}

func unquote(value []byte) string {
	return string(unescape(value[1 : len(value)-1]))
}

// unescape returns the text between the quotes of a valid JSON string. Without escapes, it returns
// b itself.
func unescape(b []byte) []byte {
	i := bytes.IndexByte(b, '\\')
	if i < 0 {
		return b
	}
	out := append(make([]byte, 0, len(b)), b[:i]...)
	for i < len(b) {
		c := b[i]
		if c != '\\' || i+1 == len(b) {
			out = append(out, c)
			i++
			continue
		}
		c = b[i+1]
		i += 2
		switch c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := hex4(b[i:])
			i = min(i+4, len(b))
			if utf16.IsSurrogate(r) && i+6 <= len(b) {
				r = utf16.DecodeRune(r, hex4(b[i+2:]))
				i += 6
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
		}
	}
	return out
}

func hex4(b []byte) rune {
	var r rune
	for i := 0; i < 4 && i < len(b); i++ {
		c := b[i]
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		r = r<<4 | rune(c&15)
	}
	return r
}
