package mcphttpclient

import (
	"bytes"
	"io"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
)

// eventReader reads an event stream (WHATWG HTML, 9.2.6, interpreting an event stream), with a
// limit for the data of one event. The data of an event with one line is not copied.
type eventReader struct {
	r     io.Reader
	limit int // for the data of an event, and for a line

	buf     []byte
	pos     int // begin of the line that is read next
	scanned int // bytes from pos on that do not contain a line end
	begun   bool
	skipLF  bool // the last line ended with CR

	skipping bool // the rest of a line that was too long

	// State of the current event.
	name     string
	hasData  bool
	from, to int // data, in buf
	newID    string
	hasID    bool

	lastID  string        // id of the last event
	retry   time.Duration // reconnection time that the server set, or 0
	tooLong bool          // the current event was too long, and is skipped
}

// event is a parsed event. Its data is valid until the next one is read.
type event struct {
	name  string // "" for a message
	data  []byte
	id    string
	hasID bool // the event itself contains an id
}

// maxEventName limits the stored part of names, and maxEventID the length of stored ids: a longer
// id cannot be sent back in a header field.
const (
	maxEventName = 64
	maxEventID   = 4 << 10
)

func newEventReader(r io.Reader, limit int) *eventReader {
	return &eventReader{r: r, limit: limit, buf: bufpool.Get(0)}
}

// reset continues with another stream. Ids and retry stay.
func (e *eventReader) reset(r io.Reader) {
	bufpool.Put(e.buf)
	*e = eventReader{r: r, limit: e.limit, buf: bufpool.Get(0), lastID: e.lastID, retry: e.retry}
}

// release gives the buffer back. The reader is not used afterwards.
func (e *eventReader) release() {
	bufpool.Put(e.buf)
	e.buf = nil
}

// next returns the next event with data. An event beyond the limit is a *dial.TooLarge as soon as
// it is too long; the caller can go on reading, with the event after it. After any other error the
// stream is at its end.
func (e *eventReader) next() (event, error) {
	for {
		line, err := e.line()
		if err != nil {
			return event{}, err
		}
		switch {
		case e.skipping: // the end of a line that was too long
			e.skipping = false
			continue
		case len(line) > 0:
			reported := e.tooLong
			e.field(line)
			if e.tooLong && !reported {
				return event{}, tooLargeMessage(e.limit)
			}
			continue
		case e.hasID:
			e.lastID = e.newID
		}
		name, hasData, hasID := e.name, e.hasData, e.hasID
		e.name, e.hasData, e.hasID, e.tooLong = "", false, false, false
		if hasData && e.to > e.from {
			return event{name: name, data: e.buf[e.from:e.to], id: e.newID, hasID: hasID}, nil
		}
	}
}

// line returns the next line without its end. While a line that is too long is skipped, it is
// empty.
func (e *eventReader) line() ([]byte, error) {
	for {
		rest := e.buf[e.pos:]
		if e.skipLF && len(rest) > 0 {
			e.skipLF = false
			if rest[0] == '\n' {
				e.pos++
				continue
			}
		}
		n := lineEnd(rest[e.scanned:])
		if n < 0 {
			e.scanned = len(rest)
			if err := e.fill(); err != nil {
				return nil, err
			}
			continue
		}
		line := rest[:e.scanned+n]
		e.pos += len(line) + 1
		e.skipLF = rest[len(line)] == '\r'
		e.scanned = 0
		if !e.begun {
			e.begun = true
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		return line, nil
	}
}

// lineEnd returns the index of the first CR or LF, or -1.
func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n >= 0 {
		b = b[:n]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return n
}

// longestName is the number of bytes by which a line of data can exceed its data: "data: ".
const longestName = 6

// fill reads more. It keeps the data of the event and the begun line, within the limit for both.
func (e *eventReader) fill() error {
	held := len(e.buf) - e.pos
	if e.hasData {
		held += e.to - e.from
	}
	if e.skipping || held-longestName > e.limit {
		e.pos, e.scanned = len(e.buf), 0
		e.skipping, e.hasData = true, false
		if !e.tooLong {
			e.tooLong = true
			return tooLargeMessage(e.limit)
		}
	}
	keep := e.pos
	if e.hasData {
		// The complete data is moved next to the line, so that both are in one piece.
		n := e.to - e.from
		keep = e.pos - n
		copy(e.buf[keep:], e.buf[e.from:e.to])
		e.from, e.to = keep, e.pos
	}
	if keep == len(e.buf) && cap(e.buf) > bufpool.MinSize { // so that an idle stream holds little memory
		bufpool.Put(e.buf)
		e.buf = bufpool.Get(0)
		e.move(keep)
	} else if keep > 0 {
		e.buf = e.buf[:copy(e.buf, e.buf[keep:])]
		e.move(keep)
	}
	if len(e.buf) == cap(e.buf) {
		e.buf = bufpool.Grow(e.buf, 1)
	}
	n, err := e.r.Read(e.buf[len(e.buf):cap(e.buf)])
	e.buf = e.buf[:len(e.buf)+n]
	if n > 0 {
		return nil // the error is returned again by the next read
	}
	return err
}

// move adapts positions to a buffer that begins later.
func (e *eventReader) move(by int) {
	e.pos -= by
	e.from -= by
	e.to -= by
}

// field processes a line of an event.
func (e *eventReader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		e.data(value)
	case "event":
		e.name = string(value[:min(len(value), maxEventName)])
	case "id":
		if len(value) <= maxEventID && httpfield.IsPlain(string(value)) { // a header field can carry it
			e.newID, e.hasID = string(value), true
		}
	case "retry":
		if text := string(value[:min(len(value), 20)]); httpfield.IsDigits(text) {
			e.retry = clampRetry(text)
		}
	}
}

// data adds a line to the data of the event. The data precedes the line in the buffer, and is not
// longer than the space before the line.
func (e *eventReader) data(value []byte) {
	end := e.pos - 1 // end of the line, without its line end
	switch {
	case e.tooLong:
	case !e.hasData:
		e.hasData = true
		e.from, e.to = end-len(value), end
	default:
		e.buf[e.to] = '\n'
		e.to += 1 + copy(e.buf[e.to+1:], value)
	}
	if e.hasData && e.to-e.from > e.limit {
		e.tooLong, e.hasData = true, false
	}
}
