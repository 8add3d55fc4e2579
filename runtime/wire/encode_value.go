package wire

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"time"
	"unsafe"
)

// PutNull writes null.
func PutNull(e *Encoder) {
	e.separate()
	e.buf = append(e.buf, "null"...)
}

// PutBool writes a boolean.
func PutBool[T ~bool](e *Encoder, v *T) {
	e.separate()
	e.buf = strconv.AppendBool(e.buf, bool(*v))
}

// PutString writes a string.
func PutString[T ~string](e *Encoder, v *T) {
	e.putString(string(*v))
}

// PutInt writes an integer.
func PutInt[T Integer](e *Encoder, v *T) {
	e.separate()
	e.buf = appendNumeric(e.buf, *v)
}

// PutFloat writes a number. NaN and infinities cannot be written.
func PutFloat[T Real](e *Encoder, v *T) {
	e.putFloat(float64(*v), 8*int(unsafe.Sizeof(*v)))
}

func (e *Encoder) putFloat(f float64, size int) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.Fail(errNotFinite)
		return
	}
	e.separate()
	e.buf = AppendFloat(e.buf, f, size)
}

// PutNumber writes the number in v; an empty one is 0, as for encoding/json.
func PutNumber(e *Encoder, v *json.Number) { e.putNumber(string(*v)) }

func (e *Encoder) putNumber(s string) {
	if s == "" {
		s = "0"
	}
	if numberEnd([]byte(s), 0) != len(s) {
		e.Fail(errors.New("invalid number " + quote(s)))
		return
	}
	e.separate()
	e.buf = append(e.buf, s...)
}

// PutBytes writes bytes as a base64 string, empty for nil.
func PutBytes[T ~[]byte](e *Encoder, v *T) {
	e.putBytes(*v)
}

func (e *Encoder) putBytes(v []byte) {
	if n := strictBase64.EncodedLen(len(v)); n >= piece && !e.reserve(n) {
		return
	}
	e.separate()
	e.buf = append(e.buf, '"')
	e.buf = strictBase64.AppendEncode(e.buf, v)
	e.buf = append(e.buf, '"')
}

// PutTime writes a date and time in the format of RFC 3339, to the nanosecond. Years beyond 9999
// and offsets of a day or more cannot be written.
func PutTime(e *Encoder, v *time.Time) {
	var a [len(time.RFC3339Nano)]byte
	text, err := v.AppendText(a[:0])
	if err != nil {
		e.Fail(err)
		return
	}
	e.separate()
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, text...)
	e.buf = append(e.buf, '"')
}

// PutDuration writes a duration as text, such as "1h30m0s". PutInt writes durations that are
// nanoseconds in JSON.
func PutDuration(e *Encoder, v *time.Duration) {
	e.separate()
	e.buf = AppendString(e.buf, v.String())
}

// PutText writes a string by the MarshalText method of a type, given as a method expression such as
// (*netip.Addr).MarshalText.
func PutText[T any](e *Encoder, v *T, marshal func(*T) ([]byte, error)) {
	text, err := marshal(v)
	if err != nil {
		e.Fail(err)
		return
	}
	e.putString(unsafe.String(unsafe.SliceData(text), len(text)))
}

// PutJSON writes a value by the MarshalJSON method of a type, given as a method expression such as
// (*big.Int).MarshalJSON. The result is checked like any other JSON, and compacted.
func PutJSON[T any](e *Encoder, v *T, marshal func(*T) ([]byte, error)) {
	text, err := marshal(v)
	if err != nil {
		e.Fail(err)
		return
	}
	e.putRaw(text)
}

// PutRaw writes JSON, checked and compacted; nil is null.
func PutRaw[T ~[]byte](e *Encoder, v *T) {
	if *v == nil {
		PutNull(e)
		return
	}
	e.putRaw(*v)
}

func (e *Encoder) putRaw(text []byte) {
	if err := Valid(text, maxNesting); err != nil {
		e.Fail(err)
		return
	}
	if len(text) >= piece && !e.reserve(compactLen(text)) {
		return
	}
	e.separate()
	e.buf = AppendCompact(e.buf, text)
}

// PutAny writes a value as json.Marshal does, with two exceptions, which match generated code for
// static types: a value of an interface type with a method Error, such as a field of type error, is
// written as its message; and so is any other error whose JSON is an object without members, like
// most errors, whose fields are private. The types that Any returns, and the basic types of Go, are
// written without reflection.
func PutAny(e *Encoder, v *any) { e.putAny(*v) }

func (e *Encoder) putAny(v any) {
	switch v := v.(type) {
	case nil:
		PutNull(e)
	case bool:
		PutBool(e, &v)
	case string:
		e.putString(v)
	case int:
		PutInt(e, &v)
	case int64:
		PutInt(e, &v)
	case float64:
		e.putFloat(v, 64)
	case json.Number:
		e.putNumber(string(v))
	case []any:
		e.putList(v)
	case map[string]any:
		e.putObject(v)
	case error:
		e.putDynamicError(v)
	default:
		e.putReflect(reflect.ValueOf(v))
	}
}

func (e *Encoder) putList(v []any) {
	if v == nil {
		PutNull(e)
		return
	}
	if !e.Enter() {
		return
	}
	e.BeginArray()
	for i := range v {
		if e.full() && e.stop() {
			return
		}
		e.putAny(v[i])
	}
	e.EndArray()
	e.Leave()
}

func (e *Encoder) putObject(v map[string]any) {
	if v == nil {
		PutNull(e)
		return
	}
	if !e.fits(len(v)) || !e.Enter() {
		return
	}
	e.Begin()
	for _, name := range sortedKeys(v) {
		if e.full() && e.stop() {
			return
		}
		e.name(name)
		e.putAny(v[name])
	}
	e.End()
	e.Leave()
}

// putDynamicError writes an error by its dynamic type, or its message if the type has no members. A
// method Error alone is not enough for a message: responses of some HTTP clients have one.
func (e *Encoder) putDynamicError(err error) {
	e.separate()
	start := len(e.buf)
	e.putReflect(reflect.ValueOf(err))
	if e.err == nil && string(e.buf[start:]) == "{}" {
		e.buf = e.buf[:start]
		e.putString(err.Error())
	}
}

// PutQuoted writes a number, a boolean or a string inside a string, like the option ",string" of
// encoding/json.
func PutQuoted[T any](e *Encoder, v *T, f func(*Encoder, *T)) {
	e.separate()
	start := len(e.buf)
	f(e, v)
	e.quote(start)
}

// quote turns the text since start into a string.
func (e *Encoder) quote(start int) {
	if e.err != nil {
		return
	}
	text := string(e.buf[start:])
	e.buf = e.buf[:start]
	if len(text) >= piece && !e.reserve(len(text)+2) {
		return
	}
	e.buf = AppendString(e.buf, text)
}
