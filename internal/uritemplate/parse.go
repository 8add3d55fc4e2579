package uritemplate

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Template is a parsed template. Several goroutines may use it.
type Template struct {
	source string
	parts  []part
	names  []Variable // each once
	match  [2]matcher // whether {x} and {+x} may be empty: no, yes
}

// part is a literal, or an expression if it has variables.
type part struct {
	text      string // as published
	literal   string // in normal form, see [Normal]
	op        *operator
	variables []Variable
	index     []int // of each variable, in the names of the template
}

// Variable is one variable of a template.
type Variable struct {
	Name string
	// Optional is set if a URI may omit it.
	Optional bool
	// Exploded is set for a list of path segments.
	Exploded bool
}

// operator is a row of the table in RFC 6570, appendix A.
type operator struct {
	sign      byte
	first     string // before the first variable
	separator string
	named     bool
	ifEmpty   string // after the name of an empty variable
	reserved  bool   // reserved characters are not encoded
}

var operators = []operator{
	{sign: 0, separator: ","},
	{sign: '+', separator: ",", reserved: true},
	{sign: '#', first: "#", separator: ",", reserved: true},
	{sign: '.', first: ".", separator: "."},
	{sign: '/', first: "/", separator: "/"},
	{sign: ';', first: ";", separator: ";", named: true},
	{sign: '?', first: "?", separator: "&", named: true, ifEmpty: "="},
	{sign: '&', first: "&", separator: "&", named: true, ifEmpty: "="},
}

// Parse parses a template. The error names the part and its fault.
func Parse(template string) (*Template, error) {
	t := &Template{source: template}
	index := map[string]int{}
	for rest := template; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		literal, err := encodeLiteral(before)
		if err != nil {
			return nil, err
		}
		if literal != "" {
			t.parts = append(t.parts, part{text: literal, literal: Normal(literal)})
		}
		if !found {
			break
		}
		inside, after, found := strings.Cut(after, "}")
		if !found {
			return nil, fmt.Errorf("expression {%s has no end", inside)
		}
		p, err := parseExpression(inside)
		if err != nil {
			return nil, fmt.Errorf("expression {%s}: %w", inside, err)
		}
		p.text = "{" + inside + "}"
		for _, v := range p.variables {
			n, again := index[v.Name]
			switch {
			case !again:
				n = len(t.names)
				index[v.Name] = n
				t.names = append(t.names, v)
			case v.Exploded != t.names[n].Exploded:
				return nil, fmt.Errorf("expression {%s}: variable %s is a list in one place only", inside, v.Name)
			default:
				t.names[n].Optional = t.names[n].Optional && v.Optional
			}
			p.index = append(p.index, n)
		}
		t.parts = append(t.parts, p)
		rest = after
	}
	return t, nil
}

// String returns the template as text.
func (t *Template) String() string { return t.source }

// Encoded returns the template with percent-encoding outside of ASCII, so that clients that do not
// encode literals also expand it to valid URIs.
func (t *Template) Encoded() string {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.text)
	}
	return b.String()
}

// Variables returns the variables in their order. The slice must not be modified.
func (t *Template) Variables() []Variable { return t.names }

// Literal returns the number of literal bytes of the template. Of two templates that match a URI,
// the one with more literal bytes is more specific.
func (t *Template) Literal() int {
	n := 0
	for _, p := range t.parts {
		n += len(p.literal)
	}
	return n
}

// Prefix returns the text with which every URI of the template begins.
func (t *Template) Prefix() string {
	if len(t.parts) == 0 {
		return ""
	}
	return t.parts[0].literal
}

func parseExpression(inside string) (part, error) {
	var p part
	if inside == "" {
		return p, fmt.Errorf("no variable")
	}
	p.op = &operators[0]
	for i := range operators[1:] {
		if op := &operators[1+i]; inside[0] == op.sign {
			p.op, inside = op, inside[1:]
			break
		}
	}
	if p.op.sign == 0 && strings.IndexByte("=,!@|", inside[0]) >= 0 {
		return p, fmt.Errorf("operator %q is reserved", inside[0])
	}
	for spec := range strings.SplitSeq(inside, ",") {
		v, err := p.parseVariable(spec)
		if err != nil {
			return p, err
		}
		if n := len(p.variables); n > 0 && p.variables[n-1].Exploded {
			return p, fmt.Errorf("nothing can follow the list %s", p.variables[n-1].Name)
		}
		p.variables = append(p.variables, v)
	}
	return p, nil
}

func (p *part) parseVariable(spec string) (Variable, error) {
	var v Variable
	name, prefix, _ := strings.Cut(spec, ":")
	if name != spec {
		if !isPrefix(prefix) {
			return v, fmt.Errorf("%q is not a variable", spec)
		}
		return v, fmt.Errorf("prefix :%s is not supported", prefix)
	}
	name, v.Exploded = strings.CutSuffix(name, "*")
	if !isName(name) {
		return v, fmt.Errorf("%q is not a variable name", name)
	}
	if v.Exploded && p.op.sign != '/' {
		return v, fmt.Errorf("the list %s* is supported in {/%s*} only", name, name)
	}
	v.Name = name
	v.Optional = p.op.first != "" || len(p.variables) > 0
	return v, nil
}

func isPrefix(s string) bool {
	return len(s) > 0 && len(s) <= 4 && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}

// isName reports whether a string is a varname of RFC 6570, section 2.3.
func isName(s string) bool {
	for piece := range strings.SplitSeq(s, ".") {
		if piece == "" {
			return false
		}
		for i := 0; i < len(piece); i++ {
			switch c := piece[i]; {
			case c == '_', isDigit(c), isLetter(c):
			case c == '%' && isTriplet(piece[i:]):
				i += 2
			default:
				return false
			}
		}
	}
	return true
}

// Normal returns the normal form of a URI: URIs that differ only in the case of percent-encoding
// have the same form (RFC 3986, section 6.2.2.1), and so do URIs that incorrectly are not
// percent-encoded outside of ASCII.
func Normal(uri string) string {
	i := 0
	for i < len(uri) && uri[i] < utf8.RuneSelf && !(uri[i] == '%' && isTriplet(uri[i:]) && isLower(uri[i+1], uri[i+2])) {
		i++
	}
	if i == len(uri) {
		return uri
	}
	b := append(make([]byte, 0, len(uri)+16), uri[:i]...)
	for ; i < len(uri); i++ {
		switch c := uri[i]; {
		case c >= utf8.RuneSelf:
			b = appendTriplet(b, c)
		case c == '%' && isTriplet(uri[i:]):
			b = appendTriplet(b, byte(unhex(uri[i+1])<<4|unhex(uri[i+2])))
			i += 2
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

func isLower(digits ...byte) bool {
	return slices.ContainsFunc(digits, func(c byte) bool { return c >= 'a' })
}

// Encode returns a URI with percent-encoding outside of ASCII, and otherwise unchanged.
func Encode(uri string) string {
	var b []byte
	for i := range len(uri) {
		switch c := uri[i]; {
		case c >= utf8.RuneSelf:
			if b == nil {
				b = append(make([]byte, 0, len(uri)+16), uri[:i]...)
			}
			b = appendTriplet(b, c)
		case b != nil:
			b = append(b, c)
		}
	}
	if b == nil {
		return uri
	}
	return string(b)
}

// encodeLiteral returns a literal in its form in a URI (RFC 6570, section 3.1).
func encodeLiteral(s string) (string, error) {
	var b []byte
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return "", fmt.Errorf("literal %q is not UTF-8", s)
		case r == '%' && !isTriplet(s[i:]):
			return "", fmt.Errorf("literal %q has a %% that encodes nothing", s)
		case r <= ' ', r == 0x7f, strings.ContainsRune("\"<>\\^`|}", r):
			return "", fmt.Errorf("literal %q has the character %q, which no URI has", s, r)
		case r >= utf8.RuneSelf:
			b = append(b, Encode(s[i:i+size])...)
		default:
			b = append(b, s[i])
		}
		i += size
	}
	return string(b), nil
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isUnreserved(c byte) bool {
	return isDigit(c) || isLetter(c) || strings.IndexByte("-._~", c) >= 0
}

func isReserved(c byte) bool { return strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0 }

func isTriplet(s string) bool {
	return len(s) >= 3 && s[0] == '%' && unhex(s[1]) >= 0 && unhex(s[2]) >= 0
}

func unhex(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func appendTriplet(b []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(b, '%', digits[c>>4], digits[c&15])
}
