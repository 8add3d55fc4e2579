package wire

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/valid"
)

// Bool reads a boolean.
func Bool[T ~bool](d *Decoder, v *T) {
	if b, ok := d.readBool(); ok {
		*v = T(b)
	}
}

func (d *Decoder) readBool() (v, ok bool) {
	d.failed = false
	switch d.peek() {
	case 't':
		return true, d.readWord("true")
	case 'f':
		return false, d.readWord("false")
	case '"':
		if d.lenient {
			for _, word := range [...]string{`"true"`, `"false"`} {
				if end := d.pos + len(word); end <= len(d.data) && string(d.data[d.pos:end]) == word {
					d.pos = end
					return word == `"true"`, true
				}
			}
		}
	}
	d.expectsAtom()
	d.mismatch("a boolean")
	return false, false
}

// Time reads a date and time in the format of RFC 3339, like package time: T and Z in upper case,
// no leap second.
func Time(d *Decoder, v *time.Time) {
	text, _, ok := d.stringBytes("a string with date and time")
	if !ok {
		return
	}
	if valid.IsDateTime(text) {
		var t time.Time
		if err := t.UnmarshalText(text); err == nil {
			*v = t
			return
		}
	}
	d.violate(RuleFormat, "must be "+wantDateTime+", got "+quote(string(text)))
}

// Duration reads a duration written as text, such as "1h30m", as [time.ParseDuration] parses it.
// Int reads durations that are nanoseconds in JSON.
func Duration(d *Decoder, v *time.Duration) {
	text, _, ok := d.stringBytes(`a string with a duration such as "1h30m"`)
	if !ok {
		return
	}
	t, err := time.ParseDuration(string(text))
	if err != nil {
		d.violate(RuleFormat, `must be a duration such as "1h30m", got `+quote(string(text)))
		return
	}
	*v = t
}

// Text reads a string by the UnmarshalText method of its type, given as a method expression such as
// (*netip.Addr).UnmarshalText. The method must not retain the text.
func Text[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error) {
	text, ok := d.numberAsText()
	if !ok {
		if text, _, ok = d.stringBytes("a string"); !ok {
			return
		}
	}
	if isBigNumber(v) && !d.numberFits(text) {
		return
	}
	// The method gets v itself, because another variable would be allocated.
	old := *v
	var zero T
	*v = zero
	if err := unmarshal(v, text); err != nil {
		*v = old
		d.invalid(err, quote(string(text)))
	}
}

// JSON reads a value of any kind by the UnmarshalJSON method of its type, given as a method
// expression such as (*big.Int).UnmarshalJSON. The JSON is checked as strictly as any other, and
// the method gets it unchanged.
func JSON[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error) {
	text, ok := d.span()
	if !ok || (text[0] <= '9' && (text[0] != '"' || isBigNumber(v))) && !d.numberFits(text) {
		return
	}
	old := *v
	var zero T
	*v = zero
	if err := unmarshal(v, text); err != nil {
		*v = old
		d.invalid(err, described(text))
	}
}

// Reflect reads a value with json.Unmarshal, by reflection, for types that generated code cannot
// name.
func Reflect[T any](d *Decoder, v *T) {
	JSON(d, v, func(v *T, text []byte) error { return json.Unmarshal(text, v) })
}

// Raw reads a value of any kind, strictly, and stores its JSON unchanged, including white space: a
// copy, or with [Options.Alias] a part of the data.
func Raw[T ~[]byte](d *Decoder, v *T) {
	text, ok := d.span()
	switch {
	case !ok:
	case d.opts.Alias:
		*v = T(text[:len(text):len(text)])
	default:
		*v = append(make([]byte, 0, len(text)), text...)
	}
}

// span skips the next value, strictly, and returns its JSON as a part of the data.
func (d *Decoder) span() ([]byte, bool) {
	d.failed = false
	d.peek()
	start := d.pos
	d.skip()
	if d.err != nil {
		return nil, false
	}
	return d.data[start:d.pos], true
}

// invalid records the error of a method of the user's type as a violation.
func (d *Decoder) invalid(err error, got string) {
	d.violate(RuleFormat, "is not valid: "+reason(err)+"; got "+got)
}

// reason returns an error message of a user's method, shortened, since it may quote its whole
// input.
func reason(err error) string {
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if len(text) <= shownError {
		return text
	}
	cut := shownError
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
