// Package challenge reads and writes the field WWW-Authenticate (RFC 9110, section 11.6.1), in
// which a server names the credentials that a request needs.
package challenge

import (
	"errors"
	"fmt"
	"strings"
)

// Limits for Parse, since a server or a client may send anything.
const (
	maxBytes      = 16 << 10 // of all fields together
	maxChallenges = 16
	maxParams     = 32 // of one challenge
)

// Challenge is one challenge: a scheme with parameters, or with a token68, or alone.
type Challenge struct {
	Scheme  string // as received; schemes are compared without regard to case
	Token68 string // such as the data of Negotiate; "" if there are parameters
	Params  []Param
}

// Param is a parameter of a challenge.
type Param struct {
	Name  string // in lower case after Parse
	Value string // without quotes and escapes
}

// Is reports whether the challenge uses the given scheme.
func (c Challenge) Is(scheme string) bool { return strings.EqualFold(c.Scheme, scheme) }

// Param returns the value of a parameter, by its name in lower case.
func (c Challenge) Param(name string) (value string, ok bool) {
	for _, p := range c.Params {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}

// Find returns the first challenge with that scheme.
func Find(all []Challenge, scheme string) (c Challenge, ok bool) {
	for _, c := range all {
		if c.Is(scheme) {
			return c, true
		}
	}
	return Challenge{}, false
}

// Parse reads all fields of a response. It is strict: an unknown form, a parameter that occurs
// twice in a challenge, and a control character are errors. With an error it returns the challenges
// before the invalid one. Errors do not quote the field, which a server may fill with anything.
func Parse(fields []string) ([]Challenge, error) {
	total := 0
	for _, field := range fields {
		if total += len(field); total > maxBytes {
			return nil, fmt.Errorf("the challenges have more than %d bytes", maxBytes)
		}
	}
	var all []Challenge
	for _, field := range fields {
		s := scanner{rest: field}
		var err error
		if all, err = s.list(all); err != nil {
			return all, err
		}
	}
	return all, nil
}

var (
	errForm    = errors.New("the challenge does not have the form of RFC 9110")
	errTwice   = errors.New("a parameter of the challenge occurs twice")
	errQuoted  = errors.New("a quoted text of the challenge has no end, or a control character")
	errTooMany = fmt.Errorf("there are more than %d challenges, or %d parameters of one", maxChallenges, maxParams)
)

// scanner reads one field.
type scanner struct{ rest string }

// list reads the elements of a field. An element is a parameter of the challenge before it, or
// begins another challenge.
func (s *scanner) list(all []Challenge) ([]Challenge, error) {
	var current *Challenge // its parameters may go on
	for {
		s.blanks()
		for s.take(',') { // a list may contain empty elements (RFC 9110, section 5.6.1.2)
			s.blanks()
		}
		if s.rest == "" {
			return finish(all, current)
		}
		if current != nil && current.Token68 == "" && len(current.Params) > 0 && s.startsParam() {
			if err := s.param(current); err != nil {
				return all, err
			}
		} else {
			var err error
			if all, err = finish(all, current); err != nil {
				return all, err
			}
			if current, err = s.challenge(); err != nil {
				return all, err
			}
		}
		s.blanks()
		if s.rest != "" && s.rest[0] != ',' {
			return all, errForm
		}
	}
}

// finish adds a challenge that is complete.
func finish(all []Challenge, c *Challenge) ([]Challenge, error) {
	if c == nil {
		return all, nil
	}
	if len(all) == maxChallenges {
		return all, errTooMany
	}
	return append(all, *c), nil
}

// challenge reads a scheme with its token68 or its first parameter.
func (s *scanner) challenge() (*Challenge, error) {
	c := &Challenge{Scheme: s.token()}
	if c.Scheme == "" {
		return nil, errForm
	}
	if s.rest == "" || s.rest[0] != ' ' {
		s.blanks()
		if s.rest != "" && s.rest[0] != ',' {
			return nil, errForm
		}
		return c, nil
	}
	s.blanks()
	if s.rest == "" || s.rest[0] == ',' {
		return c, nil
	}
	if s.startsParam() {
		return c, s.param(c)
	}
	n := 0
	for n < len(s.rest) && isToken68(s.rest[n]) {
		n++
	}
	if n == 0 {
		return nil, errForm
	}
	for n < len(s.rest) && s.rest[n] == '=' {
		n++
	}
	c.Token68, s.rest = s.rest[:n], s.rest[n:]
	return c, nil
}

// startsParam reports whether the text begins with a name, an equals sign and a value. Without a
// value it is a token68 with padding.
func (s *scanner) startsParam() bool {
	ahead := scanner{rest: s.rest}
	if ahead.token() == "" {
		return false
	}
	ahead.blanks()
	if !ahead.take('=') {
		return false
	}
	ahead.blanks()
	return ahead.rest != "" && (ahead.rest[0] == '"' || isTokenByte(ahead.rest[0]))
}

// param reads a parameter, after startsParam has reported one.
func (s *scanner) param(c *Challenge) error {
	name := strings.ToLower(s.token())
	s.blanks()
	s.take('=')
	s.blanks()
	value, err := s.value()
	if err != nil {
		return err
	}
	if _, twice := c.Param(name); twice {
		return errTwice
	}
	if len(c.Params) == maxParams {
		return errTooMany
	}
	c.Params = append(c.Params, Param{name, value})
	return nil
}

// value reads the value of a parameter: a token or a quoted text.
func (s *scanner) value() (string, error) {
	if s.take('"') {
		return s.quoted()
	}
	return s.token(), nil
}

// quoted reads a quoted text after its first quote (RFC 9110, section 5.6.4).
func (s *scanner) quoted() (string, error) {
	var b strings.Builder
	for i := 0; i < len(s.rest); i++ {
		c := s.rest[i]
		switch {
		case c == '"':
			s.rest = s.rest[i+1:]
			return b.String(), nil
		case c == '\\':
			if i++; i == len(s.rest) || !isQuotable(s.rest[i]) {
				return "", errQuoted
			}
			b.WriteByte(s.rest[i])
		case isQuotable(c):
			b.WriteByte(c)
		default:
			return "", errQuoted
		}
	}
	return "", errQuoted
}

// token reads a token (RFC 9110, section 5.6.2). It returns "" if the next byte does not begin one.
func (s *scanner) token() string {
	n := 0
	for n < len(s.rest) && isTokenByte(s.rest[n]) {
		n++
	}
	text := s.rest[:n]
	s.rest = s.rest[n:]
	return text
}

func (s *scanner) blanks() { s.rest = strings.TrimLeft(s.rest, " \t") }

func (s *scanner) take(c byte) bool {
	if s.rest == "" || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isTokenByte(c byte) bool {
	return isAlphanumeric(c) || c != 0 && strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func isToken68(c byte) bool {
	return isAlphanumeric(c) || c != 0 && strings.IndexByte("-._~+/", c) >= 0
}

// isQuotable reports whether a byte may occur in a quoted text.
func isQuotable(c byte) bool { return c == '\t' || c >= ' ' && c != 0x7f }

// String returns the challenge as a field value. Values are always quoted. Characters that cannot
// be quoted, such as line ends, are left out, so that a value cannot begin another field. The name
// of a parameter and the scheme are constants of the program.
func (c Challenge) String() string {
	var b strings.Builder
	b.WriteString(c.Scheme)
	if c.Token68 != "" {
		b.WriteByte(' ')
		b.WriteString(c.Token68)
	}
	for i, p := range c.Params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		b.WriteString(p.Name)
		b.WriteString(`="`)
		for i := range len(p.Value) {
			v := p.Value[i]
			if v == '"' || v == '\\' {
				b.WriteByte('\\')
			}
			if isQuotable(v) {
				b.WriteByte(v)
			}
		}
		b.WriteByte('"')
	}
	return b.String()
}
