package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// SyntaxError reports a text that cannot be changed safely. Line and Column count from 1, the
// column in bytes.
type SyntaxError struct {
	Line, Column int
	Problem      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

// syntaxError returns the error for an offset of a text.
func syntaxError(text []byte, at int, format string, args ...any) *SyntaxError {
	before := text[:min(at, len(text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	return &SyntaxError{line, len(before) - bytes.LastIndexByte(before, '\n'), fmt.Sprintf(format, args...)}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

const (
	// maxDepth limits the recursion over nested values.
	maxDepth = 500
	// mostValues limits the memory for a file, which others may have written: a value of two bytes
	// needs more than 300 bytes.
	mostValues = 500_000
)

// values counts the values in a text.
type values int

// add counts a value, and reports whether there are too many.
func (v *values) add() bool {
	*v++
	return *v > mostValues
}

// node is a value of a JSON text, from start to end.
type node struct {
	start, end int
	kind       byte     // the first byte: '{', '[', '"', 't', 'f', 'n', '0' for a number
	members    []member // of an object
	items      []node   // of an array
}

// member is one of an object.
type member struct {
	name  string
	key   int // where the name begins
	value node
	comma int // the comma behind the value, or -1
}

// find returns the member with a name, or nil. Several members with one name are an error, since
// readers disagree about which of them counts.
func (n *node) find(text []byte, name string) (*member, error) {
	var found *member
	for i := range n.members {
		if n.members[i].name != name {
			continue
		}
		if found != nil {
			return nil, twice(text, &n.members[i])
		}
		found = &n.members[i]
	}
	return found, nil
}

func twice(text []byte, m *member) error {
	return syntaxError(text, m.key, "there are two members %q", m.name)
}

// jsonParser reads JSON with comments and trailing commas.
type jsonParser struct {
	text     []byte
	at       int
	comments []string
	count    values
}

// jsonText is a parsed text.
type jsonText struct {
	root     *node // nil if the text contains no value
	comments []string
}

func parseJSON(text []byte) (*jsonText, error) {
	p := &jsonParser{text: text}
	if bytes.HasPrefix(text, byteOrderMark) {
		p.at = len(byteOrderMark)
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at == len(text) {
		return &jsonText{comments: p.comments}, nil
	}
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at < len(text) {
		return nil, p.wrong("there is something behind the value")
	}
	return &jsonText{&root, p.comments}, nil
}

func (p *jsonParser) wrong(format string, args ...any) error {
	return syntaxError(p.text, p.at, format, args...)
}

func (p *jsonParser) tooMany() error {
	return p.wrong("the file has more than %d values and comments", mostValues)
}

// peek returns the next byte, or 0 at the end.
func (p *jsonParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// space skips white space and comments.
func (p *jsonParser) space() error {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case isSpace(c):
			p.at++
		case c == '/':
			end := commentEnd(p.text, p.at)
			if end < 0 {
				return p.wrong("a comment does not end, or a / is not one")
			}
			if p.count.add() {
				return p.tooMany()
			}
			p.comments = append(p.comments, string(p.text[p.at:end]))
			p.at = end
		default:
			return nil
		}
	}
	return nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// commentEnd returns the end of the comment at an offset; for a line comment, the position of the
// line end. It returns -1 if there is no comment, or it is not closed.
func commentEnd(text []byte, at int) int {
	rest := text[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
			return at + i
		}
		return len(text)
	case bytes.HasPrefix(rest, []byte("/*")):
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			return at + 2 + i + 2
		}
	}
	return -1
}

func (p *jsonParser) value(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, p.wrong("more than %d values are nested", maxDepth)
	}
	if p.count.add() {
		return node{}, p.tooMany()
	}
	start := p.at
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		if _, err := p.str(); err != nil {
			return node{}, err
		}
		return node{start: start, end: p.at, kind: '"'}, nil
	default:
		for p.at < len(p.text) && !isSpace(p.text[p.at]) && !bytes.ContainsRune([]byte(",]}/{[\":"), rune(p.text[p.at])) {
			p.at++
		}
		token := p.text[start:p.at]
		if len(token) == 0 || !json.Valid(token) {
			p.at = start
			if len(token) == 0 {
				return node{}, p.wrong("a value is missing")
			}
			return node{}, p.wrong("this is not a value") // without the text, which may be a password
		}
		if c != 't' && c != 'f' && c != 'n' {
			c = '0'
		}
		return node{start: start, end: p.at, kind: c}, nil
	}
}

// str reads a string.
func (p *jsonParser) str() (string, error) {
	start := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '\\':
			p.at++
		case c < ' ':
			return "", p.wrong("a string has a control character, or does not end")
		case c == '"':
			p.at++
			if plain := p.text[start+1 : p.at-1]; !bytes.ContainsRune(plain, '\\') && utf8.Valid(plain) {
				return string(plain), nil
			}
			var s string
			if err := json.Unmarshal(p.text[start:p.at], &s); err != nil {
				p.at = start
				return "", p.wrong("a string is not valid: %v", err)
			}
			return s, nil
		}
	}
	p.at = start
	return "", p.wrong("a string does not end")
}

func (p *jsonParser) object(depth int) (node, error) {
	n := node{start: p.at, kind: '{'}
	p.at++
	for {
		if err := p.space(); err != nil {
			return n, err
		}
		if p.peek() == '}' {
			break
		}
		m := member{key: p.at, comma: -1}
		if p.peek() != '"' {
			return n, p.wrong("the name of a member is missing, or } is")
		}
		var err error
		if m.name, err = p.str(); err != nil {
			return n, err
		}
		if err := p.space(); err != nil {
			return n, err
		}
		if p.peek() != ':' {
			return n, p.wrong("a colon is missing")
		}
		p.at++
		if err := p.space(); err != nil {
			return n, err
		}
		if m.value, err = p.value(depth + 1); err != nil {
			return n, err
		}
		if err := p.space(); err != nil {
			return n, err
		}
		if p.peek() == ',' {
			m.comma = p.at
			p.at++
		} else if p.peek() != '}' {
			return n, p.wrong("a comma or } is missing")
		}
		n.members = append(n.members, m)
	}
	p.at++
	n.end = p.at
	return n, nil
}

func (p *jsonParser) array(depth int) (node, error) {
	n := node{start: p.at, kind: '['}
	p.at++
	for {
		if err := p.space(); err != nil {
			return n, err
		}
		if p.peek() == ']' {
			break
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
		if err := p.space(); err != nil {
			return n, err
		}
		if p.peek() == ',' {
			p.at++
		} else if p.peek() != ']' {
			return n, p.wrong("a comma or ] is missing")
		}
	}
	p.at++
	n.end = p.at
	return n, nil
}

// scalar is a value other than a string, as written.
type scalar string

// plain returns a value for comparison: a string, a scalar, a []any, or a map[string]any.
func (n *node) plain(text []byte) any {
	switch n.kind {
	case '{':
		m := make(map[string]any, len(n.members))
		for i := range n.members {
			m[n.members[i].name] = n.members[i].value.plain(text)
		}
		return m
	case '[':
		list := make([]any, len(n.items))
		for i := range n.items {
			list[i] = n.items[i].plain(text)
		}
		return list
	case '"':
		var s string
		_ = json.Unmarshal(text[n.start:n.end], &s) // it was parsed before
		return s
	}
	return scalar(text[n.start:n.end])
}
