// Package formfield checks the values of the fields of a form: for servers, which read an answer,
// and for clients, which check it before they send it (client/elicitation).
package formfield

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Kind is a kind of field.
type Kind int

// The kinds, in the order of the kinds of package mcp.
const (
	String  Kind = iota
	Integer      // an integer
	Number       // any number
	Boolean
	Choice  // one of Choices
	Choices // any number of Choices
)

// None is a limit that is not set.
const None = -1

// Rules describe the values that a field may have.
type Rules struct {
	Kind Kind
	// Format of a string. One that is not among [wire.Formats] is not checked.
	Format string
	// MinLength and MaxLength of a string, in characters; or None.
	MinLength, MaxLength int
	// Matches reports whether a string matches Pattern; nil if the pattern is not checked.
	Matches func(string) bool
	Pattern string
	// Minimum and Maximum of a number, as JSON. Texts that are not JSON numbers are ignored.
	Minimum, Maximum string
	// Choices of a choice, and limits for the number of chosen values, or None.
	Choices            []string
	MinItems, MaxItems int
}

// Read reads a value: a string, int64, float64, bool or []string. It reports problems as violations
// of d.
func (r *Rules) Read(d *wire.Decoder) any {
	switch r.Kind {
	case Integer:
		var n int64
		wire.Int(d, &n)
		r.bounds(d, float64(n))
		return n
	case Number:
		var n float64
		wire.Float(d, &n)
		r.bounds(d, n)
		return n
	case Boolean:
		var v bool
		wire.Bool(d, &v)
		return v
	case Choice:
		var s string
		wire.StringEnum(d, &s, r.Choices)
		return s
	case Choices:
		s := []string{}
		wire.Slice(d, &s, func(d *wire.Decoder, v *string) { wire.StringEnum(d, v, r.Choices) })
		if r.MinItems != None {
			wire.MinItems(d, len(s), r.MinItems)
		}
		if r.MaxItems != None {
			wire.MaxItems(d, len(s), r.MaxItems)
		}
		return s
	}
	var s string
	wire.String(d, &s)
	if r.MinLength != None {
		wire.MinLength(d, s, r.MinLength)
	}
	if r.MaxLength != None {
		wire.MaxLength(d, s, r.MaxLength)
	}
	if r.Matches != nil && !d.Failed() && !r.Matches(s) {
		d.Fail(wire.RulePattern, "must match the pattern "+r.Pattern)
	}
	if check := wire.Formats[r.Format]; check != nil {
		wire.Format(d, s, check)
	}
	return s
}

// bounds checks a number.
func (r *Rules) bounds(d *wire.Decoder, n float64) {
	if limit, err := strconv.ParseFloat(r.Minimum, 64); err == nil {
		wire.FloatMinimum(d, n, limit)
	}
	if limit, err := strconv.ParseFloat(r.Maximum, 64); err == nil {
		wire.FloatMaximum(d, n, limit)
	}
}
