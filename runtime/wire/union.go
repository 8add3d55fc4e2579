package wire

import (
	"bytes"
	"errors"
	"fmt"
)

// Variant searches the next object for the member that names its kind, at any position and without
// reading the object. It returns the member's value. If the next value is not an object, lacks the
// member, or the member is not one of values, Variant records a violation, skips the value and
// returns "". The caller must then read the object with a table that includes the member; that
// reading is the strict one.
func (d *Decoder) Variant(name string, values []string) string {
	d.failed = false
	var value []byte
	var found bool
	switch d.peek() {
	case '{':
		value, found = d.index.member(d.data, d.pos, name)
	case '"':
		var text []byte
		if d.lenient {
			text, _ = d.opts.Help.inner(d, '{')
		}
		if len(text) == 0 {
			d.mismatch("an object")
			return ""
		}
		var index spanIndex
		value, found = index.member(text, 0, name)
	default:
		d.mismatch("an object")
		return ""
	}
	if !found {
		return d.noVariant(name, RuleRequired, "required, but missing; it m"+oneOf(values, appendStringValue[string])[1:])
	}
	if value[0] != '"' {
		return d.noVariant(name, RuleEnum, oneOf(values, appendStringValue[string])+", got "+described(value))
	}
	var inner Decoder
	inner.Reset(value, Options{})
	kind, _ := inner.readString()
	for _, v := range values {
		if string(kind) == v {
			return v
		}
	}
	hint := ""
	if i := d.nearest(string(kind), len(values), func(i int) string { return values[i] }); i >= 0 {
		hint = "; did you mean " + quote(values[i]) + "?"
	}
	return d.noVariant(name, RuleEnum, oneOf(values, appendStringValue[string])+", got "+quote(string(kind))+hint)
}

// Member searches the next object for a member, without reading the object. It returns the value's
// JSON, which is not checked yet, or nil if the object lacks the member or the next value is not an
// object. The result is part of the data.
func (d *Decoder) Member(name string) []byte {
	if d.peek() != '{' {
		return nil
	}
	value, _ := d.index.member(d.data, d.pos, name)
	return value
}

// noVariant records a violation at a member of the next object, and skips the object. A syntax
// error in the object takes precedence.
func (d *Decoder) noVariant(name, rule, message string) string {
	before := len(d.problems)
	d.violateMember(name, rule, message)
	if d.skip(); d.err != nil {
		d.problems = d.problems[:before]
	}
	d.failed = true
	return ""
}

// isText reports whether a JSON string has the value s.
func isText(literal []byte, s string) bool {
	if bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1:len(literal)-1]) == s
	}
	var d Decoder
	d.Reset(literal, Options{})
	text, _ := d.readString()
	return d.err == nil && string(text) == s
}

// Tag writes the member that names the kind of this object. Name and value are JSON strings without
// their quotes. It returns e, so that other members can follow.
func (e *Encoder) Tag(name, value string) *Encoder {
	e.Name(name)
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, value...)
	e.buf = append(e.buf, '"')
	return e
}

// PutVariant writes the object to which the pointer in an interface points. A nil pointer is an
// error.
func PutVariant[T any](e *Encoder, v *T, f func(*Encoder, *T)) {
	if v == nil {
		e.Fail(errNilVariant)
		return
	}
	f(e, v)
}

// PutUnknown writes the value of an interface whose type was unknown when the code was generated:
// null for nil; any other value is an error.
func PutUnknown(e *Encoder, v any) {
	if v == nil {
		PutNull(e)
		return
	}
	e.Fail(fmt.Errorf("type %T is none of the kinds of object that its schema knows", v))
}

var errNilVariant = errors.New("a nil pointer in an interface has no JSON form")
