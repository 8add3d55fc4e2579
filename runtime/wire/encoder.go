package wire

import (
	"errors"
	"strconv"
)

// keptOutput is the size in bytes up to which a buffer survives the Reset of an
// Encoder.
const keptOutput = 1 << 20

// Encoder writes one JSON value, by appending to a buffer. Commas come by
// themselves. The zero value is ready for use; it serves one goroutine at a time.
//
// What cannot be written is noted, the first such thing only, and a null stands
// in its place; Err tells after the last write.
type Encoder struct {
	buf   []byte
	err   error
	names []string // of the maps that are being written, sorted
	spare spare
}

// EncodeError tells that a value has no JSON form.
type EncodeError struct {
	Path string // of the value, as in Violation
	Err  error
}

// Error returns path and cause.
func (e *EncodeError) Error() string {
	if e.Path == "" {
		return "encode value: " + e.Err.Error()
	}
	return "encode " + e.Path + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *EncodeError) Unwrap() error { return e.Err }

// NewEncoder returns an encoder that appends to buf, which mostly is empty. What
// buf holds must be whole JSON values or nothing.
func NewEncoder(buf []byte) *Encoder { return &Encoder{buf: buf} }

// Reset makes e ready for another value. It keeps the buffer, unless that has
// grown beyond a megabyte; what Bytes has returned is then no longer valid.
func (e *Encoder) Reset() {
	if cap(e.buf) > keptOutput {
		e.buf = nil
	}
	if cap(e.names) > keptElements {
		e.names = nil
	}
	e.buf, e.err, e.names = e.buf[:0], nil, e.names[:0]
}

// Bytes returns what has been written, valid until the next write or Reset.
func (e *Encoder) Bytes() []byte { return e.buf }

// Err returns an *[EncodeError] for the first value that could not be written, or
// nil.
func (e *Encoder) Err() error { return e.err }

// Fail notes that the value to be written next cannot be, and writes null
// instead. Its path is found by reading what has been written, so that keeping
// track of it costs nothing where nothing fails.
func (e *Encoder) Fail(err error) {
	if e.err == nil {
		e.err = &EncodeError{Path: openPath(e.buf), Err: err}
	}
	PutNull(e)
}

// separate writes the comma that a value or a name needs in front of it.
func (e *Encoder) separate() {
	if n := len(e.buf); n > 0 && !opens(e.buf[n-1]) {
		e.buf = append(e.buf, ',')
	}
}

// opens reports whether a value can follow a byte without a comma between them.
func opens(c byte) bool { return c == ':' || c|0x20 == '{' || c == ',' }

// Begin opens an object.
func (e *Encoder) Begin() {
	e.separate()
	e.buf = append(e.buf, '{')
}

// Name writes the name of a member. It is given as it stands between the quotes
// of JSON, with its escapes.
func (e *Encoder) Name(escaped string) {
	b := e.buf
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, escaped...)
	e.buf = append(b, '"', ':')
}

// name writes the name of a member, not yet escaped.
func (e *Encoder) name(s string) {
	e.separate()
	e.buf = append(AppendString(e.buf, s), ':')
}

// End closes an object.
func (e *Encoder) End() { e.buf = append(e.buf, '}') }

// BeginArray opens an array.
func (e *Encoder) BeginArray() {
	e.separate()
	e.buf = append(e.buf, '[')
}

// EndArray closes an array.
func (e *Encoder) EndArray() { e.buf = append(e.buf, ']') }

var (
	errNotFinite = errors.New("NaN and infinite numbers have no JSON form")
	errTwice     = errors.New("two keys of a map have the same text")
	errTooDeep   = errors.New("nested deeper than " + strconv.Itoa(maxAnyDepth) + " levels, perhaps in a circle")
)
