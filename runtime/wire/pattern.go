package wire

import (
	"regexp"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/internal/pattern"
)

// Regexp is a regular expression that is compiled at its first use. It is safe for concurrent use.
type Regexp struct {
	expr    string
	once    sync.Once
	matches func(string) bool
}

// NewPattern returns a regular expression of JSON Schema: one that both ECMA-262 and package regexp
// support, with the semantics of ECMA-262. If it is invalid, its first use panics; the generator
// has checked it before.
func NewPattern(expr string) *Regexp { return &Regexp{expr: expr} }

// Pattern checks that a string has a match of a regular expression somewhere.
func Pattern[T ~string](d *Decoder, v T, p *Regexp) {
	if d.failed {
		return
	}
	if !p.match(string(v)) {
		d.violate(RulePattern, "must match the pattern "+p.expr+", got "+quote(string(v)))
	}
}

// KeyPattern checks that each key of a map has a match of a regular expression somewhere. It
// reports the other keys in sorted order, not in the order of the text.
func KeyPattern[M ~map[K]T, K ~string, T any](d *Decoder, v M, p *Regexp) {
	if d.failed {
		return
	}
	var wrong []string
	for k := range v {
		if name := string(k); !p.match(name) {
			wrong = append(wrong, name)
		}
	}
	slices.Sort(wrong)
	for _, name := range wrong {
		if d.err != nil || d.more {
			return
		}
		d.violateMember(name, RulePropertyNames, "the name must match the pattern "+p.expr)
	}
}

func (p *Regexp) match(text string) bool {
	p.once.Do(p.compile)
	return p.matches(text)
}

func (p *Regexp) compile() {
	if m, err := pattern.Compile(p.expr); err == nil {
		p.matches = m.Match
		return
	}
	// The generator refuses a pattern that needs too large a table, but a hand-written tool may use
	// one.
	p.matches = regexp.MustCompile(pattern.Translate(p.expr)).MatchString
}
