package wire

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. It can
// be used by several goroutines at once.
type Regexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// NewPattern returns a regular expression in the syntax of package regexp. Where
// it is not right, its first use panics; the generator has checked it before.
func NewPattern(expr string) *Regexp { return &Regexp{expr: expr} }

// Pattern checks that a string has a match of a regular expression somewhere.
func Pattern[T ~string](d *Decoder, v T, p *Regexp) {
	if d.failed {
		return
	}
	p.once.Do(p.compile)
	if !p.re.MatchString(string(v)) {
		d.violate(RulePattern, "must match the pattern "+p.expr+", got "+quote(string(v)))
	}
}

func (p *Regexp) compile() { p.re = regexp.MustCompile(p.expr) }
