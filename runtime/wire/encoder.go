package wire

import (
	"errors"
	"strconv"
	"unsafe"
)

// keptOutput is the largest buffer, in bytes, that Reset of an Encoder keeps.
const keptOutput = 1 << 20

// maxNesting is the limit for nested values of recursive types, the depth at which json.Marshal
// starts to look for cycles.
const maxNesting = 1000

// Encoder writes one JSON value, by appending to a buffer. It writes the commas. The zero value is
// ready for use and has no size limit. An Encoder serves one goroutine at a time.
//
// The first value that cannot be written is recorded, and the text so far is dropped. Later writes
// then do nothing: check Err after the last one.
type Encoder struct {
	buf      []byte
	mark     int // see full
	limit    int // 0 means no limit
	storage  Storage
	provided bool   // buf is from storage
	base     []byte // the encoder's own buffer, while buf is from storage
	open     int    // values between Enter and Leave
	whole    int    // length of the text that stays if the rest exceeds the limit, see PutWithin
	err      error
	names    []string // of the maps being written, sorted
	scratch  scratch
}

// EncodeError reports a value that has no JSON form.
type EncodeError struct {
	Path string // of the value, as in Violation
	Err  error
}

// Error returns the path and the cause.
func (e *EncodeError) Error() string {
	if e.Path == "" {
		return "encode value: " + e.Err.Error()
	}
	return "encode " + e.Path + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *EncodeError) Unwrap() error { return e.Err }

// NewEncoder returns an encoder that appends to buf, which is usually empty. buf must contain whole
// JSON values or nothing.
func NewEncoder(buf []byte) *Encoder { return &Encoder{buf: buf} }

// Reset makes e ready for another value, without a limit. It keeps the buffer, unless that has
// grown beyond a megabyte or is from a [Storage], and invalidates earlier results of Bytes.
func (e *Encoder) Reset() {
	e.trim()
	if cap(e.names) > keptElements {
		e.names = nil
	}
	e.buf, e.err, e.names = e.buf[:0], nil, e.names[:0]
	e.mark, e.limit, e.storage, e.open, e.whole = 0, 0, nil, 0, 0
}

// trim drops a large buffer.
func (e *Encoder) trim() {
	if e.provided {
		e.free()
	}
	if cap(e.buf) > keptOutput {
		e.buf = nil
	}
}

// Bytes returns the text so far, valid until the next write or Reset; after an error it is null.
func (e *Encoder) Bytes() []byte {
	if e.err != nil {
		return []byte("null")
	}
	return e.buf
}

// Text is like Bytes, but returns a string. If it is long, it takes over the buffer of e instead of
// copying it, so call Text after the last write.
func (e *Encoder) Text() string {
	b := e.Bytes()
	if cap(b) > keptBuffer {
		e.detach()
		return unsafe.String(unsafe.SliceData(b), len(b))
	}
	return string(b)
}

// Err returns an *[EncodeError] for the first value that could not be written, or nil.
func (e *Encoder) Err() error {
	if e.full() {
		e.stop()
	}
	return e.err
}

// Null reports whether the whole text is a null that was written as a value, not for an error.
func (e *Encoder) Null() bool { return e.err == nil && string(e.buf) == "null" }

// Fail records that the next value cannot be written. Its path is found by reading the text so far,
// so that paths cost nothing without an error.
func (e *Encoder) Fail(err error) {
	if e.err == nil {
		e.fail(&EncodeError{Path: openPath(e.buf), Err: err})
	}
	PutNull(e)
}

// fail records the first error, and drops the text except the part that PutWithin keeps. From now
// on the encoder is full, and Enter returns false.
func (e *Encoder) fail(err *EncodeError) {
	e.err = err
	if e.whole == 0 || !tooLarge(err) {
		e.trim()
		e.whole = 0
	}
	e.buf, e.mark, e.open = append(e.buf[:e.whole], "null"...), 1, maxNesting
}

// Enter begins a value of a recursive type. If it returns false, the value must not be written:
// either an earlier write failed, or the values nest so deep that Enter assumes a cycle and records
// an error. If it returns true, Leave ends the value.
func (e *Encoder) Enter() bool {
	if e.open < maxNesting {
		e.open++
		return true
	}
	e.Fail(errTooDeep)
	return false
}

// Leave ends a value that Enter began.
func (e *Encoder) Leave() {
	if e.err == nil {
		e.open--
	}
}

// separate writes a comma before a value or name if one is needed.
func (e *Encoder) separate() {
	if n := len(e.buf); n > 0 && !opens(e.buf[n-1]) {
		e.buf = append(e.buf, ',')
	}
}

// opens reports whether a value can follow a byte without a comma between them.
func opens(c byte) bool { return c == ':' || c|0x20 == '{' || c == ',' }

// Begin opens an object. It returns e, so that its first member can follow.
func (e *Encoder) Begin() *Encoder {
	e.separate()
	e.buf = append(e.buf, '{')
	return e
}

// Name writes the name of a member, given as the part of the JSON string between the quotes, with
// its escapes. It returns e, so that the call that writes the value can follow.
//
// It is not inlined: its four appends would be most of the code of an encoder, and a third of the
// time in which generated files compile. Encoding takes up to a tenth longer.
//
//go:noinline
func (e *Encoder) Name(escaped string) *Encoder {
	b := e.buf
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, escaped...)
	e.buf = append(b, '"', ':')
	return e
}

// name writes the name of a member, without escapes yet.
func (e *Encoder) name(s string) {
	e.putString(s)
	e.buf = append(e.buf, ':')
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
	errTooDeep   = errors.New("nested deeper than " + strconv.Itoa(maxNesting) + " levels, perhaps in a circle")
)
