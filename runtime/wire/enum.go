package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// StringEnum reads a string that must be one of values.
func StringEnum[T ~string](d *Decoder, v *T, values []T) {
	d.failed = false
	if d.peek() != '"' {
		if text := d.numberAmong(func(text string) bool { return slices.Contains(values, T(text)) }); text != nil {
			*v = T(text)
			return
		}
		enumMismatch(d, values, appendStringValue[T])
		return
	}
	start := d.pos
	text, _ := d.readString()
	if d.err != nil {
		return
	}
	for i := range values {
		if string(values[i]) != string(text) {
			continue
		}
		if raw := d.data[start:d.pos]; d.quoted && !bytes.Equal(raw, AppendString(nil, values[i])) {
			// The schema lists whole JSON strings, and another escape makes another string.
			d.violate(RuleEnum, oneOf(values, appendStringValue[T])+" in quotes, got "+quote(string(raw)))
			return
		}
		*v = values[i]
		return
	}
	notOneOf(d, values, text)
}

// Choices contains the values of a [StringChoice]. It is immutable, and can be shared.
type Choices struct {
	values []string
	index  map[string]int // a map, since a client may send any number of strings
}

// NewChoices returns choices. It retains values.
func NewChoices(values []string) *Choices {
	c := &Choices{values, make(map[string]int, len(values))}
	for i, value := range values {
		c.index[value] = i
	}
	return c
}

// StringChoice reads a string that must be one of the values of [Options.Choices] with that name.
func StringChoice[T ~string](d *Decoder, v *T, name string) {
	var values []string
	choices := d.opts.Choices[name]
	if choices != nil {
		values = choices.values
	}
	d.failed = false
	if d.peek() != '"' {
		if text := d.numberAmong(func(text string) bool { return slices.Contains(values, text) }); text != nil {
			*v = T(text)
			return
		}
		enumMismatch(d, values, appendStringValue[string])
		return
	}
	text, _ := d.readString()
	if d.err != nil {
		return
	}
	if d.opts.AnyChoice {
		*v = T(text)
		return
	}
	if choices != nil {
		if i, ok := choices.index[string(text)]; ok {
			*v = T(values[i])
			return
		}
	}
	notOneOf(d, values, text)
}

// numberAmong is like numberAsText, for a string that must be one of some values. It does not read
// other numbers.
func (d *Decoder) numberAmong(lists func(string) bool) []byte {
	start := d.pos
	text, ok := d.numberAsText()
	if !ok || lists(string(text)) {
		return text
	}
	d.pos = start
	return nil
}

// notOneOf records that a string is not one of the values.
func notOneOf[T ~string](d *Decoder, values []T, text []byte) {
	d.expectsAtom()
	if d.silent {
		d.violate(RuleEnum, "")
		return
	}
	hint := ""
	if i := d.nearest(string(text), len(values), func(i int) string { return string(values[i]) }); i >= 0 {
		hint = "; did you mean " + quote(string(values[i])) + "?"
	}
	d.violate(RuleEnum, oneOf(values, appendStringValue[T])+", got "+quote(string(text))+hint)
}

// IntEnum reads an integer that must be one of values.
func IntEnum[T Integer](d *Decoder, v *T, values []T) {
	if !numberNext(d, values, appendNumeric[T]) {
		return
	}
	x := *v
	if Int(d, &x); d.failed {
		return
	}
	if slices.Contains(values, x) && !(d.quoted && x == 0 && d.numberRead()[0] == '-') { // the schema lists "0"
		*v = x
		return
	}
	d.violate(RuleEnum, oneOf(values, appendNumeric[T])+", got "+shown(d.numberRead()))
}

// FloatEnum reads a number that must be one of values. It compares as float64, like [FloatMinimum].
func FloatEnum[T Real](d *Decoder, v *T, values []float64) {
	if !numberNext(d, values, appendFloat) {
		return
	}
	x := *v
	if Float(d, &x); d.failed {
		return
	}
	if slices.Contains(values, d.number) {
		*v = x
		return
	}
	d.violate(RuleEnum, oneOf(values, appendFloat)+", got "+shown(d.numberRead()))
}

func appendFloat(b []byte, v float64) []byte { return AppendFloat(b, v, 64) }

// numberNext reports whether the next value is or may be a number. It records a violation for any
// other value, and skips it.
func numberNext[T any](d *Decoder, values []T, show func([]byte, T) []byte) bool {
	d.failed = false
	if c := d.peek(); c != '-' && (c < '0' || c > '9') && (c != '"' || !d.lenient) {
		enumMismatch(d, values, show)
		return false
	}
	return true
}

// enumMismatch records that the next value has the wrong type.
func enumMismatch[T any](d *Decoder, values []T, show func([]byte, T) []byte) {
	d.expectsAtom()
	start := d.pos
	d.skip()
	if d.err == nil {
		d.violate(RuleEnum, oneOf(values, show)+", got "+described(d.data[start:d.pos]))
	}
}

// oneOf lists the allowed values.
func oneOf[T any](values []T, show func([]byte, T) []byte) string {
	var b strings.Builder
	b.WriteString("must be ")
	if len(values) > 1 {
		b.WriteString("one of ")
	}
	for i, value := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == shownNames {
			b.WriteString("and " + strconv.Itoa(len(values)-i) + " more")
			break
		}
		b.Write(show(nil, value))
	}
	return b.String()
}

func appendStringValue[T ~string](b []byte, v T) []byte { return append(b, quote(string(v))...) }
