package wire

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"
)

const (
	// ownText is the largest text, in bytes, in the encoder's own buffer. A longer text is in its
	// [Storage].
	ownText = 8 << 10
	// leastRoom is the minimum capacity that an encoder requests.
	leastRoom = 64 << 10
	// largeText is the size in bytes above which a text without a [Storage] grows at most to its
	// limit.
	largeText = 1 << 20

	// piece is the size in bytes from which a part of a value, such as a string, is checked against
	// the limit before it is written, and the amount of a string that is written at once. Shorter
	// parts are checked afterwards.
	piece = 1 << 10
	// slack is the capacity for parts that are written without a check of the limit.
	slack = 8 * piece
)

// Storage allocates the memory for JSON of more than 8 KiB, so that it can be counted and limited.
type Storage interface {
	// Grow returns a copy of the text with at least the given capacity. It may block. An error ends
	// the writing.
	Grow(text []byte, capacity int) ([]byte, error)
	// Free takes back memory from Grow that the encoder no longer uses.
	Free(text []byte)
}

// SizeError is the error for a value whose JSON has more bytes than the limit.
type SizeError struct {
	Limit int
}

// Error returns a message that contains the limit.
func (e *SizeError) Error() string {
	return fmt.Sprintf("the JSON text has more than the %d bytes that are allowed", e.Limit)
}

// SetLimit limits the text to limit bytes, 0 for no limit. Text beyond 8 KiB is in storage; nil
// means the heap. The limit is checked while the value is written: e never holds much more memory
// than the limit, or twice the limit while it moves to a larger buffer.
func (e *Encoder) SetLimit(limit int, storage Storage) {
	if e.provided {
		text := bytes.Clone(e.buf)
		e.free()
		e.buf = append(e.buf, text...)
	}
	e.limit, e.storage = min(max(0, limit), math.MaxInt-slack), storage // no text is longer
	e.settle()
}

// free returns a buffer from the storage to it.
func (e *Encoder) free() {
	buf := e.detach()
	e.storage.Free(buf)
}

// detach returns the buffer. The encoder uses its own buffer again.
func (e *Encoder) detach() []byte {
	buf := e.buf
	if e.provided {
		e.buf, e.base, e.provided = e.base[:0], nil, false
	} else {
		e.buf = nil
	}
	return buf
}

// full reports whether the text has reached the mark, so that the caller must call stop. The mark
// is one more than the length that may be written without a check; 0 means no mark.
func (e *Encoder) full() bool { return uint(len(e.buf)) > uint(e.mark-1) }

// stop checks the limit, and reports whether writing must end.
func (e *Encoder) stop() bool { return !e.reserve(0) }

// reserve makes room for more bytes. It returns false if they would exceed the limit, or after an
// error.
func (e *Encoder) reserve(more int) bool {
	size := len(e.buf) + more
	switch {
	case e.err != nil:
		return false
	case e.limit > 0 && size > e.limit:
		e.fail(&EncodeError{Err: &SizeError{Limit: e.limit}})
		return false
	}
	if size+slack > cap(e.buf) && size > e.own() && !e.grow(size+slack) {
		return false
	}
	e.settle()
	return true
}

// own returns the size up to which append grows the text.
func (e *Encoder) own() int {
	if e.storage != nil {
		return ownText
	}
	return largeText
}

// grow moves the text to a buffer of at least size bytes: twice its capacity, but not much more
// than the limit. It returns false if it gets no buffer.
func (e *Encoder) grow(size int) bool {
	room := max(2*cap(e.buf), leastRoom)
	if e.limit > 0 {
		room = min(room, e.limit+slack)
	}
	room = max(size, room)
	if e.storage == nil {
		e.buf = append(make([]byte, 0, room), e.buf...)
		return true
	}
	buf, err := e.storage.Grow(e.buf, room)
	if err != nil {
		e.fail(&EncodeError{Err: err})
		return false
	}
	if e.provided {
		e.storage.Free(e.buf)
	} else if cap(e.buf) <= 2*ownText {
		e.base = e.buf
	}
	e.buf, e.provided = buf, true
	return true
}

// settle sets the mark: to the limit, or to the length at which the text needs a larger buffer.
func (e *Encoder) settle() {
	e.mark = 0
	if e.storage == nil && e.limit == 0 {
		return
	}
	e.mark = e.own() + 1
	if len(e.buf) >= e.mark {
		e.mark = cap(e.buf) - slack/2
	}
	if e.limit > 0 {
		e.mark = min(e.mark, e.limit+1)
	}
}

// putString writes a string.
func (e *Encoder) putString(s string) {
	e.separate()
	if len(s) < piece {
		e.buf = appendQuoted(e.buf, s)
		return
	}
	if !e.reserve(len(s) + 2) {
		return
	}
	e.buf = append(e.buf, '"')
	for len(s) > 0 && e.reserve(min(len(s), piece)) {
		n := cut(s)
		e.buf = appendText(e.buf, s[:n])
		s = s[n:]
	}
	e.buf = append(e.buf, '"')
}

// cut returns the end of the first piece of a string, never inside a character.
func cut(s string) int {
	if len(s) <= piece {
		return len(s)
	}
	for i := range utf8.UTFMax {
		if utf8.RuneStart(s[piece-i]) {
			return piece - i
		}
	}
	return piece
}
