package prove

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Node is a JSON value as written: with numbers in their original notation, and all members in
// order, even repeated ones.
type Node struct {
	Kind    byte   // one of n b 0 " [ {
	Text    string // of a number or boolean, or the characters of a string
	Raw     string // the JSON of a string, if it is not the plain one
	Space   string // between the parts of an array or an object
	Items   []*Node
	Members []Member

	// Schema is the schema from which the value was generated, or nil.
	Schema *Schema
}

// Member is one member of an object.
type Member struct {
	Name  string
	Raw   string // the JSON of the name, if it is not the plain one
	Value *Node
}

func null() *Node               { return &Node{Kind: 'n'} }
func boolean(b bool) *Node      { return &Node{Kind: 'b', Text: strconv.FormatBool(b)} }
func numeral(text string) *Node { return &Node{Kind: '0', Text: text} }
func text(s string) *Node       { return &Node{Kind: '"', Text: s} }
func list(items ...*Node) *Node { return &Node{Kind: '[', Items: items} }
func object(ms ...Member) *Node { return &Node{Kind: '{', Members: ms} }

// Clone returns a deep copy.
func (n *Node) Clone() *Node {
	c := *n
	c.Items = make([]*Node, len(n.Items))
	for i, item := range n.Items {
		c.Items[i] = item.Clone()
	}
	c.Members = make([]Member, len(n.Members))
	for i, m := range n.Members {
		c.Members[i] = m
		c.Members[i].Value = m.Value.Clone()
	}
	return &c
}

// Get returns the last member with a name, or nil.
func (n *Node) Get(name string) *Node {
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Name == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// Append appends the JSON text.
func (n *Node) Append(b []byte) []byte {
	switch n.Kind {
	case 'n':
		return append(b, "null"...)
	case '"':
		return appendText(b, n.Text, n.Raw)
	case '[':
		b = append(append(b, '['), n.Space...)
		for i, item := range n.Items {
			if i > 0 {
				b = append(append(b, ','), n.Space...)
			}
			b = append(item.Append(b), n.Space...)
		}
		return append(b, ']')
	case '{':
		b = append(append(b, '{'), n.Space...)
		for i, m := range n.Members {
			if i > 0 {
				b = append(append(b, ','), n.Space...)
			}
			b = appendText(b, m.Name, m.Raw)
			b = append(append(b, ':'), n.Space...)
			b = append(m.Value.Append(b), n.Space...)
		}
		return append(b, '}')
	}
	return append(b, n.Text...)
}

// String returns the JSON text.
func (n *Node) String() string { return string(n.Append(nil)) }

func appendText(b []byte, s, raw string) []byte {
	if raw != "" {
		return append(b, raw...)
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return append(b, quoted...)
}

// appendPlain writes a string without HTML escapes.
func appendPlain(b []byte, s string) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // encoding a string cannot fail
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// Any returns the value in the form of the validator.
func (n *Node) Any() any {
	switch n.Kind {
	case 'b':
		return n.Text == "true"
	case '0':
		return json.Number(n.Text)
	case '"':
		return n.Text
	case '[':
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = item.Any()
		}
		return out
	case '{':
		out := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			out[m.Name] = m.Value.Any()
		}
		return out
	}
	return nil
}

// ParseNode reads JSON text.
func ParseNode(data string) (*Node, error) {
	d := json.NewDecoder(strings.NewReader(data))
	d.UseNumber()
	n, err := parseNode(d)
	if err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("text after the value")
	}
	return n, nil
}

func parseNode(d *json.Decoder) (*Node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case nil:
		return null(), nil
	case bool:
		return boolean(t), nil
	case json.Number:
		return numeral(string(t)), nil
	case string:
		return text(t), nil
	case json.Delim:
		if t == '[' {
			n := list()
			for d.More() {
				item, err := parseNode(d)
				if err != nil {
					return nil, err
				}
				n.Items = append(n.Items, item)
			}
			_, err := d.Token()
			return n, err
		}
		n := object()
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := parseNode(d)
			if err != nil {
				return nil, err
			}
			n.Members = append(n.Members, Member{Name: name.(string), Value: value})
		}
		_, err := d.Token()
		return n, err
	}
	return nil, fmt.Errorf("unexpected token %v", t)
}

// walk calls f for every value, outer ones first, with its path as in violations.
func (n *Node) walk(path string, f func(path string, n *Node)) {
	f(path, n)
	for i, item := range n.Items {
		item.walk(path+"["+strconv.Itoa(i)+"]", f)
	}
	for _, m := range n.Members {
		m.Value.walk(joinPath(path, m.Name), f)
	}
}

func joinPath(path, name string) string {
	plain := name != "" && len(name) <= 60
	if len(name) > 60 && utf8.RuneCountInString(name) > 60 {
		name = string([]rune(name)[:60]) + "…"
	}
	for i := range len(name) {
		c := name[i]
		plain = plain && (c == '_' || c == '-' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z')
	}
	switch {
	case !plain:
		return path + "[" + string(appendPlain(nil, name)) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}
