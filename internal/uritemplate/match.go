package uritemplate

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// matcher is a template compiled for matching, made at the first use.
type matcher struct {
	once    sync.Once
	pattern *regexp.Regexp
	slots   []slot
}

// slot is a group of the pattern.
type slot struct {
	variable  int  // among the names of the template
	exploded  bool // the value is a list, with all its slashes
	separator bool // of a named variable; otherwise it is the value
	part      *part
}

// Match reports whether uri, or its normal form (see [Normal]), is an expansion of the template, and returns the value of
// each of [Template.Variables], nil if it is undefined. If several results are
// possible, earlier variables get as much as possible; a variable that occurs twice
// must have one value. The time is proportional to the length of uri.
//
// Values are percent-decoded once. A value that is then not UTF-8, or has a NUL, does
// not match. With empty set, {x} and {+x} may match the empty string, as in RFC 6570;
// such a variable counts as defined.
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
	groups := m.pattern.FindStringSubmatchIndex(uri)
	if groups == nil {
		return nil, false
	}
	values := make([]Value, len(t.names))
	var current *part
	for i, s := range m.slots {
		from, to := groups[2*i+2], groups[2*i+3]
		if from < 0 {
			continue
		}
		if s.separator {
			first := s.part != current
			current = s.part
			if uri[from:to] != s.part.op.lead(first) {
				return nil, false
			}
			if groups[2*i+4] >= 0 {
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

// unescape decodes percent-encoding. It reports false for an invalid escape, and for a
// text that is not UTF-8 or has a NUL.
func unescape(s string) (string, bool) {
	if i := strings.IndexByte(s, '%'); i >= 0 {
		b := append(make([]byte, 0, len(s)), s[:i]...)
		for ; i < len(s); i++ {
			if s[i] != '%' {
				b = append(b, s[i])
				continue
			}
			if !isTriplet(s[i:]) {
				return "", false
			}
			b = append(b, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		}
		s = string(b)
	}
	return s, utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}

const (
	undotted   = `[A-Za-z0-9\-_~]|%[0-9A-Fa-f]{2}`
	unreserved = `[A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2}`
	reserved   = `[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2}`
	segment    = `[A-Za-z0-9\-._~:@!$&'()*+,;=]|%[0-9A-Fa-f]{2}`
)

// compile converts the template to a regular expression, which package regexp matches
// in linear time.
func (m *matcher) compile(parts []part, empty bool) {
	var b strings.Builder
	b.WriteString(`\A`)
	for i := range parts {
		p := &parts[i]
		if p.op == nil {
			b.WriteString(regexp.QuoteMeta(p.literal))
			continue
		}
		m.expression(&b, p, empty)
	}
	b.WriteString(`\z`)
	m.pattern = regexp.MustCompile(b.String())
}

func (m *matcher) expression(b *strings.Builder, p *part, empty bool) {
	class := unreserved
	switch {
	case p.op.reserved:
		class = reserved
	case p.op.separator == "." && len(p.variables) > 1:
		class = undotted
	}
	value := `((?:` + class + `)*)`
	if p.op.named {
		// Which sign precedes a variable depends on the variables before it; Match
		// checks that. Values never contain these signs.
		signs := `([` + p.op.first + p.op.separator + `])`
		for i, v := range p.variables {
			m.slots = append(m.slots, slot{variable: p.index[i], separator: true, part: p}, slot{variable: p.index[i]})
			b.WriteString(`(?:` + signs + regexp.QuoteMeta(v.Name))
			if p.op.ifEmpty == "" {
				b.WriteString(`(?:=` + value + `)?)?`)
			} else {
				b.WriteString(`=` + value + `)?`)
			}
		}
		return
	}
	if p.op.first == "" && !empty {
		value = `((?:` + class + `)+)`
	}
	// From the second on, variables may be missing, the last ones first.
	for i, v := range p.variables {
		lead := regexp.QuoteMeta(p.op.lead(i == 0))
		switch {
		case v.Exploded:
			m.slots = append(m.slots, slot{variable: p.index[i], exploded: true})
			b.WriteString(`(?:((?:/(?:` + segment + `)*)*)`)
		case v.Optional:
			m.slots = append(m.slots, slot{variable: p.index[i]})
			b.WriteString(`(?:` + lead + value)
		default:
			m.slots = append(m.slots, slot{variable: p.index[i]})
			b.WriteString(`(?:` + value)
		}
	}
	for i := len(p.variables) - 1; i >= 0; i-- {
		if v := p.variables[i]; v.Optional && !v.Exploded {
			b.WriteString(`)?`)
		} else {
			b.WriteString(`)`)
		}
	}
}
