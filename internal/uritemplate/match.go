package uritemplate

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/linear"
)

// matcher is a template compiled for matching, on first use.
type matcher struct {
	once    sync.Once
	pattern *linear.Pattern
	slots   []slot
}

// slot is a group of the pattern.
type slot struct {
	variable  int  // among the names of the template
	exploded  bool // the value is a list, with all its slashes
	separator bool // of a named variable; otherwise it is the value
	part      *part
}

// Match reports whether uri, or its normal form (see [Normal]), is an expansion of the template,
// and returns the value of each of [Template.Variables], nil if it is undefined. If several results
// are possible, earlier variables get as much as possible; a variable that occurs twice must have
// one value. Match takes time proportional to the length of uri.
//
// Values are percent-decoded once. A value that is then not UTF-8, or contains a NUL, does not
// match. With empty set, {x} and {+x} may match the empty string, as in RFC 6570; such a variable
// counts as defined.
func (t *Template) Match(uri string, empty bool) ([]Value, bool) {
	uri = Normal(uri)
	if !strings.HasPrefix(uri, t.Prefix()) {
		return nil, false
	}
	m := &t.match[0]
	if empty {
		m = &t.match[1]
	}
	m.once.Do(func() { m.compile(t.parts, empty) })
	groups, ok := m.pattern.Match(uri)
	if !ok {
		return nil, false
	}
	values := make([]Value, len(t.names))
	var current *part
	for i, s := range m.slots {
		from, to := groups[2*i], groups[2*i+1]
		if from < 0 {
			continue
		}
		if s.separator {
			first := s.part != current
			current = s.part
			if uri[from:to] != s.part.op.lead(first) {
				return nil, false
			}
			if groups[2*i+2] >= 0 {
				continue // its value follows
			}
			from = to // it is empty
		}
		v, ok := decode(uri[from:to], s.exploded)
		if before := values[s.variable]; !ok || (before != nil && !slices.Equal(before, v)) {
			return nil, false
		}
		values[s.variable] = v
	}
	return values, true
}

func (op *operator) lead(first bool) string {
	if first {
		return op.first
	}
	return op.separator
}

func decode(text string, exploded bool) (Value, bool) {
	if !exploded {
		s, ok := unescape(text)
		return Value{s}, ok
	}
	if text == "" {
		return nil, true
	}
	var v Value
	for segment := range strings.SplitSeq(text[1:], "/") {
		s, ok := unescape(segment)
		if !ok {
			return nil, false
		}
		v = append(v, s)
	}
	return v, true
}

// unescape decodes percent-encoding, which is valid in a match of the pattern. ok is false for a
// text that is not UTF-8 or contains a NUL.
func unescape(s string) (string, bool) {
	if i := strings.IndexByte(s, '%'); i >= 0 {
		b := append(make([]byte, 0, len(s)), s[:i]...)
		for ; i < len(s); i++ {
			if s[i] != '%' {
				b = append(b, s[i])
				continue
			}
			b = append(b, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		}
		s = string(b)
	}
	return s, utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}

const unreservedBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~"

var (
	undotted   = linear.Set{Bytes: unreservedBytes, Triplets: true}
	unreserved = linear.Set{Bytes: unreservedBytes + ".", Triplets: true}
	reserved   = linear.Set{Bytes: unreservedBytes + ".:/?#[]@!$&'()*+,;=", Triplets: true}
	segment    = linear.Set{Bytes: unreservedBytes + ".:@!$&'()*+,;=", Triplets: true}
)

// compile builds the pattern of a template, with a group for each slot.
func (m *matcher) compile(parts []part, empty bool) {
	var nodes []linear.Node
	for i := range parts {
		p := &parts[i]
		if p.op == nil {
			nodes = append(nodes, linear.Text(p.literal))
			continue
		}
		nodes = append(nodes, m.expression(p, empty))
	}
	m.pattern = linear.Compile(linear.Sequence(nodes...))
}

// group returns a node whose text is assigned to a slot.
func (m *matcher) group(s slot, n linear.Node) linear.Node {
	m.slots = append(m.slots, s)
	return linear.Group(len(m.slots)-1, n)
}

func (m *matcher) expression(p *part, empty bool) linear.Node {
	class := unreserved
	switch {
	case p.op.reserved:
		class = reserved
	case p.op.separator == "." && len(p.variables) > 1:
		class = undotted
	}
	value := linear.Star(linear.One(class))
	if p.op.named {
		return m.named(p, value)
	}
	if p.op.first == "" && !empty {
		value = linear.Sequence(linear.One(class), value)
	}
	var groups []linear.Node
	for i, v := range p.variables {
		n := value
		if v.Exploded {
			n = linear.Star(linear.Sequence(linear.Text("/"), linear.Star(linear.One(segment))))
		} else if v.Optional {
			n = linear.Sequence(linear.Text(p.op.lead(i == 0)), m.group(slot{variable: p.index[i]}, value))
			groups = append(groups, n)
			continue
		}
		groups = append(groups, m.group(slot{variable: p.index[i], exploded: v.Exploded}, n))
	}
	// From the second on, variables may be missing, the last ones first.
	rest := linear.Sequence()
	for i := len(groups) - 1; i >= 0; i-- {
		rest = linear.Sequence(groups[i], rest)
		if v := p.variables[i]; v.Optional && !v.Exploded {
			rest = linear.Optional(rest)
		}
	}
	return rest
}

// named returns the node of an expression that writes the names of its variables. The sign before a
// variable depends on the variables before it; Match checks that. Values never contain these signs.
func (m *matcher) named(p *part, value linear.Node) linear.Node {
	signs := linear.One(linear.Set{Bytes: p.op.first + p.op.separator})
	var nodes []linear.Node
	for i, v := range p.variables {
		sign := m.group(slot{variable: p.index[i], separator: true, part: p}, signs)
		given := linear.Sequence(linear.Text("="), m.group(slot{variable: p.index[i]}, value))
		if p.op.ifEmpty == "" {
			given = linear.Optional(given)
		}
		nodes = append(nodes, linear.Optional(linear.Sequence(sign, linear.Text(v.Name), given)))
	}
	return linear.Sequence(nodes...)
}
