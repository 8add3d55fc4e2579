package wire

import (
	"fmt"
	"unicode/utf8"
)

// LargeText is the size in bytes above which a text is large, so that an [Encoder]
// calls its [Gate].
const LargeText = 1 << 20

const (
	// piece is the size in bytes from which on a part of a value, such as a string, is
	// checked against the limit before it is written, and how much of a string is
	// written at once. Shorter parts are checked afterwards.
	piece = 1 << 10
	// slack is the room for what is written without a check of the limit.
	slack = 8 * piece
)

// Gate limits how many large texts are written at the same time.
type Gate interface {
	// BeginLarge is called before a text becomes large. It blocks until the text may
	// grow. An error ends the writing.
	BeginLarge() error
}

// SizeError reports that the JSON text of a value has more bytes than the limit.
type SizeError struct {
	Limit int
}

// Error names the limit.
func (e *SizeError) Error() string {
	return fmt.Sprintf("the JSON text has more than the %d bytes that are allowed", e.Limit)
}

// SetLimit sets how many bytes the text may have, 0 for any number, and the gate that
// is called before it has more than [LargeText], nil for none. The limit is checked
// while the value is written: e never has storage for much more than the limit, twice
// that while it moves from a smaller one.
func (e *Encoder) SetLimit(limit int, gate Gate) {
	e.limit, e.gate = max(0, limit), gate
	e.settle()
}

// full reports whether the text has reached the mark, so that stop must be called. The
// mark is one more than the length that may be written without a check; 0 means no
// mark.
func (e *Encoder) full() bool { return uint(len(e.buf)) > uint(e.mark-1) }

// stop checks the limit, and reports whether writing must end.
func (e *Encoder) stop() bool { return !e.reserve(0) }

// reserve makes room for that many more bytes. It reports false if they would exceed
// the limit, or after an error.
func (e *Encoder) reserve(more int) bool {
	size := len(e.buf) + more
	switch {
	case e.err != nil:
		return false
	case e.limit > 0 && size > e.limit:
		e.fail(&EncodeError{Err: &SizeError{Limit: e.limit}})
		return false
	case e.gate != nil && size > LargeText:
		gate := e.gate
		e.gate = nil
		if err := gate.BeginLarge(); err != nil {
			e.fail(&EncodeError{Err: err})
			return false
		}
	}
	if size+slack > cap(e.buf) && size > LargeText {
		e.grow(size + slack)
	}
	e.settle()
	return true
}

// grow moves a large text to storage of at least that size: twice what it had, but
// no more than the limit can need.
func (e *Encoder) grow(size int) {
	twice := 2 * cap(e.buf)
	if e.limit > 0 {
		twice = min(twice, e.limit+slack)
	}
	e.buf = append(make([]byte, 0, max(size, twice)), e.buf...)
}

// settle sets the mark.
func (e *Encoder) settle() {
	e.mark = 0
	if e.limit > 0 {
		e.mark = e.limit + 1
	}
	if next := e.next(); next > 0 && (e.mark == 0 || next < e.mark) {
		e.mark = next
	}
}

// next is the length at which the encoder checks for another reason than the limit; 0
// is none.
func (e *Encoder) next() int {
	switch {
	case e.gate != nil:
		return LargeText + 1
	case e.limit > 0 && len(e.buf) > LargeText:
		return cap(e.buf) - slack/2
	case e.limit > 0:
		return LargeText + 1
	}
	return 0
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

// cut is where the first piece of a string ends: not inside of a character.
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
