package wire

import (
	"strconv"
	"time"
)

// The methods of this file write members of the plain types, and return e, so that calls form a
// chain. The functions write members of other types unless the value is empty, like omitempty of
// encoding/json. All that may omit a member check that in code that is inlined, so that an omitted
// member costs no call.

// named appends the comma, the name and the colon of a member, as Name does. Methods of the
// runtime are compiled once, so it can be inlined there.
func (e *Encoder) named(escaped string) []byte {
	b := e.buf
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, escaped...)
	return append(b, '"', ':')
}

// Bool writes a member. Like Name, it is not inlined.
//
//go:noinline
func (e *Encoder) Bool(escaped string, v bool) *Encoder {
	e.buf = strconv.AppendBool(e.named(escaped), v)
	return e
}

// BoolIf writes a member if it is true.
func (e *Encoder) BoolIf(escaped string, v bool) *Encoder {
	if v {
		e.Bool(escaped, v)
	}
	return e
}

// String writes a member.
func (e *Encoder) String(escaped, v string) *Encoder {
	e.buf = e.named(escaped)
	e.putString(v)
	return e
}

// StringIf writes a member if it is not blank.
func (e *Encoder) StringIf(escaped, v string) *Encoder {
	if v != "" {
		e.String(escaped, v)
	}
	return e
}

// Int writes a member.
func (e *Encoder) Int(escaped string, v int) *Encoder { return e.Int64(escaped, int64(v)) }

// IntIf writes a member if it is not 0.
func (e *Encoder) IntIf(escaped string, v int) *Encoder { return e.Int64If(escaped, int64(v)) }

// Int64 writes a member.
func (e *Encoder) Int64(escaped string, v int64) *Encoder {
	e.buf = AppendInt(e.named(escaped), v)
	return e
}

// Int64If writes a member if it is not 0.
func (e *Encoder) Int64If(escaped string, v int64) *Encoder {
	if v != 0 {
		e.Int64(escaped, v)
	}
	return e
}

// Float64 writes a member. NaN and infinities cannot be written.
func (e *Encoder) Float64(escaped string, v float64) *Encoder {
	e.buf = e.named(escaped)
	e.putFloat(v, 64)
	return e
}

// Float64If writes a member if it is not 0. NaN and infinities cannot be written.
func (e *Encoder) Float64If(escaped string, v float64) *Encoder {
	if v != 0 {
		e.Float64(escaped, v)
	}
	return e
}

// Time writes a member as [PutTime] writes a value.
func (e *Encoder) Time(escaped string, v *time.Time) *Encoder {
	e.buf = e.named(escaped)
	PutTime(e, v)
	return e
}

// PutIntIf writes a member if it is not 0.
func PutIntIf[T Integer](e *Encoder, escaped string, v *T) {
	if *v != 0 {
		intMember(e, escaped, *v)
	}
}

// PutFloatIf writes a member if it is not 0. NaN and infinities cannot be written.
func PutFloatIf[T Real](e *Encoder, escaped string, v *T) {
	if *v != 0 {
		floatMember(e, escaped, v)
	}
}

// PutPtrIf writes the value of a pointer that is not nil.
func PutPtrIf[T any](e *Encoder, escaped string, v *T, f func(*Encoder, *T)) {
	if v != nil {
		pointerMember(e, escaped, v, f)
	}
}

// PutSliceIf writes an array if it is not empty.
func PutSliceIf[T any](e *Encoder, escaped string, v []T, f func(*Encoder, *T)) {
	if len(v) != 0 {
		sliceMember(e, escaped, v, f)
	}
}

// PutMapIf writes a map if it is not empty.
func PutMapIf[M ~map[K]T, K ~string, T any](e *Encoder, escaped string, v M, f func(*Encoder, *T)) {
	if len(v) != 0 {
		mapMember(e, escaped, v, f)
	}
}

func intMember[T Integer](e *Encoder, escaped string, v T) {
	e.Name(escaped)
	e.buf = appendNumeric(e.buf, v)
}

func floatMember[T Real](e *Encoder, escaped string, v *T) { PutFloat(e.Name(escaped), v) }

func pointerMember[T any](e *Encoder, escaped string, v *T, f func(*Encoder, *T)) {
	f(e.Name(escaped), v)
}

func sliceMember[T any](e *Encoder, escaped string, v []T, f func(*Encoder, *T)) {
	PutSlice(e.Name(escaped), v, f)
}

func mapMember[M ~map[K]T, K ~string, T any](e *Encoder, escaped string, v M, f func(*Encoder, *T)) {
	PutMap(e.Name(escaped), v, f)
}
