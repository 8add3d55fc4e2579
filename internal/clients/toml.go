package clients

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// table is the part of a TOML text that a header begins: the keys and values below it.
type table struct {
	path       []string
	array      bool // [[path]]
	start, end int  // from the header to the end of the line of the last value, including its line end
}

// A tomlNode is a value or a table of a TOML text.
type tomlNode struct {
	at       int
	value    any // of a value; see plain
	children map[string]*tomlNode
	origin   origin
}

// origin is the way in which a table was defined, which determines what may extend it (TOML 1.0.0,
// Table).
type origin int

const (
	implicit origin = iota // by the header of a table below it
	header                 // by its header
	dotted                 // by the dotted keys of a table
	array                  // by a header in double brackets; the last table of the array
	value                  // a value, such as a string or an inline table
)

// tomlParser reads TOML 1.0.0.
type tomlParser struct {
	text    []byte
	at      int
	root    *tomlNode
	tables  []table
	current *tomlNode
	count   values // including keys
}

func parseTOML(text []byte) (*tomlParser, error) {
	p := &tomlParser{text: text, root: &tomlNode{children: map[string]*tomlNode{}}}
	p.current = p.root
	if !utf8.Valid(text) {
		return nil, p.wrong("the file has another encoding than UTF-8")
	}
	if bytes.HasPrefix(text, byteOrderMark) {
		p.at = len(byteOrderMark)
	}
	for {
		if err := p.lines(); err != nil {
			return nil, err
		}
		if p.at == len(text) {
			return p, nil
		}
		var err error
		if p.text[p.at] == '[' {
			err = p.header()
		} else {
			err = p.keyValue(p.current, 0)
		}
		if err == nil {
			err = p.lineRest()
		}
		if err != nil {
			return nil, err
		}
		if n := len(p.tables); n > 0 {
			p.tables[n-1].end = p.at
		}
	}
}

func (p *tomlParser) wrong(format string, args ...any) error {
	return syntaxError(p.text, p.at, format, args...)
}

func (p *tomlParser) tooMany() error {
	return p.wrong("the file has more than %d keys and values", mostValues)
}

func (p *tomlParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *tomlParser) blanks() {
	for p.peek() == ' ' || p.peek() == '\t' {
		p.at++
	}
}

// lineEnd skips a line end.
func (p *tomlParser) lineEnd() bool {
	switch rest := p.text[p.at:]; {
	case bytes.HasPrefix(rest, []byte("\n")):
		p.at++
	case bytes.HasPrefix(rest, []byte("\r\n")):
		p.at += 2
	default:
		return false
	}
	return true
}

func (p *tomlParser) comment() error {
	if p.peek() != '#' {
		return nil
	}
	for p.at < len(p.text) && p.text[p.at] != '\n' && !bytes.HasPrefix(p.text[p.at:], []byte("\r\n")) {
		if c := p.text[p.at]; c < ' ' && c != '\t' || c == 0x7f {
			return p.wrong("a comment has a control character")
		}
		p.at++
	}
	return nil
}

// lines skips blanks, comments and line ends.
func (p *tomlParser) lines() error {
	for {
		p.blanks()
		if err := p.comment(); err != nil {
			return err
		}
		if !p.lineEnd() {
			return nil
		}
	}
}

// lineRest reads the rest of a line, and its end.
func (p *tomlParser) lineRest() error {
	p.blanks()
	if err := p.comment(); err != nil {
		return err
	}
	if !p.lineEnd() && p.at < len(p.text) {
		return p.wrong("there is something behind the value")
	}
	return nil
}

func (p *tomlParser) header() error {
	t := table{start: p.at}
	p.at++
	if t.array = p.peek() == '['; t.array {
		p.at++
	}
	at := p.at
	var err error
	if t.path, err = p.keys(); err != nil {
		return err
	}
	for range map[bool]int{false: 1, true: 2}[t.array] {
		if p.peek() != ']' {
			return p.wrong("a ] is missing")
		}
		p.at++
	}
	n := p.root
	for i, key := range t.path {
		child, last := n.children[key], i == len(t.path)-1
		switch {
		case child == nil:
			child = &tomlNode{at: at, children: map[string]*tomlNode{}}
			n.children[key] = child
			if last {
				child.origin = header
			}
			if last && t.array {
				child.origin = array
			}
		case child.origin == value, last && (child.origin == header || child.origin == dotted), last && t.array != (child.origin == array):
			p.at = at
			return p.wrong("%s is defined twice", strings.Join(t.path[:i+1], "."))
		case last && t.array:
			child.children = map[string]*tomlNode{}
		case last:
			child.origin = header
		}
		n = child
	}
	p.current = n
	p.tables = append(p.tables, t)
	return nil
}

// keys reads a key with dots, and the blanks around it.
func (p *tomlParser) keys() ([]string, error) {
	var path []string
	for {
		p.blanks()
		if p.count.add() {
			return nil, p.tooMany()
		}
		start := p.at
		switch c := p.peek(); {
		case c == '"' || c == '\'':
			if bytes.HasPrefix(p.text[p.at:], bytes.Repeat([]byte{c}, 3)) {
				return nil, p.wrong("a key cannot have several lines")
			}
			s, err := p.str()
			if err != nil {
				return nil, err
			}
			path = append(path, s)
		default:
			for isBare(p.peek()) {
				p.at++
			}
			if start == p.at {
				return nil, p.wrong("a key is missing")
			}
			path = append(path, string(p.text[start:p.at]))
		}
		if len(path) > maxDepth {
			return nil, p.wrong("a key has more than %d parts", maxDepth)
		}
		p.blanks()
		if p.peek() != '.' {
			return path, nil
		}
		p.at++
	}
}

// keyValue reads a key and its value into a table.
func (p *tomlParser) keyValue(n *tomlNode, depth int) error {
	at := p.at
	path, err := p.keys()
	if err != nil {
		return err
	}
	if p.peek() != '=' {
		return p.wrong("a = is missing")
	}
	p.at++
	p.blanks()
	for _, key := range path[:len(path)-1] {
		child := n.children[key]
		if child == nil {
			child = &tomlNode{at: at, origin: dotted, children: map[string]*tomlNode{}}
			n.children[key] = child
		}
		if child.origin != dotted {
			p.at = at
			return p.wrong("%s is defined twice", strings.Join(path, "."))
		}
		n = child
	}
	last := path[len(path)-1]
	if n.children[last] != nil {
		p.at = at
		return p.wrong("%s is defined twice", strings.Join(path, "."))
	}
	v, err := p.value(depth)
	n.children[last] = &tomlNode{at: at, origin: value, value: v}
	return err
}

// value reads a value; see plain.
func (p *tomlParser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.wrong("more than %d values are nested", maxDepth)
	}
	if p.count.add() {
		return nil, p.tooMany()
	}
	switch p.peek() {
	case '"', '\'':
		return p.str()
	case '[':
		return p.list(depth)
	case '{':
		return p.inline(depth)
	}
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" \t\r\n,]}#=", rune(p.text[p.at])) {
		p.at++
	}
	token := string(p.text[start:p.at])
	// A date and a time may have a space between them.
	if rest := p.text[p.at:]; isDate(token) && len(rest) > 5 && rest[0] == ' ' && rest[3] == ':' && isDigit(rest[1]) {
		for p.at++; p.at < len(p.text) && !strings.ContainsRune(" \t\r\n,]}#=", rune(p.text[p.at])); {
			p.at++
		}
		token = string(p.text[start:p.at])
	}
	if !isScalar(token) {
		p.at = start
		if token == "" {
			return nil, p.wrong("a value is missing")
		}
		return nil, p.wrong("this is not a value") // without the text, which may be a password
	}
	return scalar(token), nil
}

func (p *tomlParser) list(depth int) (any, error) {
	list := []any{}
	p.at++
	for {
		if err := p.lines(); err != nil {
			return nil, err
		}
		if p.peek() == ']' {
			p.at++
			return list, nil
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if err := p.lines(); err != nil {
			return nil, err
		}
		switch p.peek() {
		case ',':
			p.at++
		case ']':
		default:
			return nil, p.wrong("a comma or ] is missing")
		}
	}
}

func (p *tomlParser) inline(depth int) (any, error) {
	n := &tomlNode{children: map[string]*tomlNode{}}
	p.at++
	p.blanks()
	if p.peek() == '}' {
		p.at++
		return map[string]any{}, nil
	}
	for {
		if err := p.keyValue(n, depth+1); err != nil {
			return nil, err
		}
		p.blanks()
		switch p.peek() {
		case ',':
			p.at++
			p.blanks()
		case '}':
			p.at++
			return n.plain(), nil
		default:
			return nil, p.wrong("a comma or } is missing")
		}
	}
}

// plain returns the same as [node.plain] for an equal JSON value.
func (n *tomlNode) plain() any {
	if n.origin == value {
		return n.value
	}
	m := make(map[string]any, len(n.children))
	for key, child := range n.children {
		m[key] = child.plain()
	}
	return m
}
