package jsonrpc

import (
	"bytes"
	"errors"
	"io"
)

const (
	readChunk = 64 << 10
	// A buffer that grew for one long message is given back after this many
	// short ones.
	shrinkAfter = 32
)

// NewLineConn frames messages as lines, as the stdio transport of the Model
// Context Protocol does. A line may end with CRLF, blank lines are skipped. A
// line of more than limit bytes (0: [DefaultLimit]) is reported by a
// [*FrameError] as soon as it is too long, and what remains of it is thrown
// away without being kept. Close closes r and w where they can be closed.
func NewLineConn(r io.Reader, w io.Writer, limit int) Conn {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &lineConn{r: r, w: w, limit: limit}
}

type lineConn struct {
	r     io.Reader
	w     io.Writer
	limit int

	buf      []byte // what was read; [start:end] is still to be looked at
	start    int
	end      int
	skipping bool // inside a line that was too long
	short    int  // short lines in a row
	err      error
}

func (c *lineConn) Read() ([]byte, error) {
	for {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) > c.limit {
			return nil, &FrameError{Limit: c.limit}
		}
		if len(bytes.TrimLeft(line, " \t\r")) > 0 {
			return line, nil
		}
	}
}

// line returns the next line without its newline.
func (c *lineConn) line() ([]byte, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(c.buf[c.start+searched:c.end], '\n'); i >= 0 {
			line := c.buf[c.start : c.start+searched+i]
			c.start += searched + i + 1
			searched = 0
			if c.skipping {
				c.skipping = false
				continue
			}
			return line, nil
		}
		searched = c.end - c.start
		if c.skipping {
			c.start, c.end, searched = 0, 0, 0
		} else if searched > c.limit+1 { // a CR may stand before the newline
			c.skipping = true
			c.start, c.end = 0, 0
			c.buf = nil
			return nil, &FrameError{Limit: c.limit}
		}
		if c.err != nil {
			line := c.buf[c.start:c.end]
			c.start = c.end
			if len(line) > 0 && !c.skipping && errors.Is(c.err, io.EOF) {
				return line, nil // the last line has no newline
			}
			return nil, c.err
		}
		c.fill()
	}
}

// fill reads once, at the end of what is there, and makes room before.
func (c *lineConn) fill() {
	if c.start > 0 && c.start == c.end {
		c.start, c.end = 0, 0
	}
	c.shrink()
	if c.start > 0 && len(c.buf)-c.end < readChunk/2 {
		c.end = copy(c.buf, c.buf[c.start:c.end])
		c.start = 0
	}
	if len(c.buf)-c.end < readChunk/2 {
		size := max(readChunk, 2*len(c.buf))
		grown := make([]byte, min(size, c.limit+readChunk))
		if len(grown) <= c.end {
			grown = make([]byte, c.end+readChunk)
		}
		c.end = copy(grown, c.buf[c.start:c.end])
		c.start = 0
		c.buf = grown
	}
	n, err := c.r.Read(c.buf[c.end:])
	c.end += n
	c.err = err
}

// shrink gives up a big buffer that has not been needed for a while.
func (c *lineConn) shrink() {
	if len(c.buf) <= 2*readChunk || c.end-c.start > readChunk/4 {
		c.short = 0
		return
	}
	if c.short++; c.short < shrinkAfter {
		return
	}
	c.short = 0
	small := make([]byte, readChunk)
	c.end = copy(small, c.buf[c.start:c.end])
	c.start = 0
	c.buf = small
}

func (c *lineConn) Write(batch []byte) error {
	_, err := c.w.Write(batch)
	return err
}

// CloseWrite ends the direction in which this side writes; it can still read.
func (c *lineConn) CloseWrite() error {
	if closer, ok := c.w.(io.Closer); ok {
		return closer.Close()
	}
	return errors.ErrUnsupported
}

func (c *lineConn) Close() error {
	var first error
	if closer, ok := c.w.(io.Closer); ok {
		first = closer.Close()
	}
	if closer, ok := c.r.(io.Closer); ok {
		if err := closer.Close(); first == nil && !errors.Is(err, io.ErrClosedPipe) {
			first = err
		}
	}
	return first
}

// Buffered reports whether a whole line has been read already, so that the next
// Read does not wait.
func (c *lineConn) Buffered() bool {
	return !c.skipping && bytes.IndexByte(c.buf[c.start:c.end], '\n') >= 0
}
