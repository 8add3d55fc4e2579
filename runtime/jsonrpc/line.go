package jsonrpc

import (
	"bytes"
	"errors"
	"io"

	"github.com/mcpgen/mcpgen/runtime/internal/lend"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/skim"
)

const (
	// restBuffer is what a connection waits with. What does not fit into it is there
	// already, by all appearances, so that the larger buffer for it is not needed for
	// long and can be a borrowed one.
	restBuffer = lend.Least
	readChunk  = 64 << 10
	// A connection whose lines are long borrows room for one at once, but not more
	// than this.
	mostAtOnce = 1 << 20
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
	more     bool // the last read was as long as there was room, so more may be there
	usual    int  // how much of the buffer the latest lines have needed
	skipping bool // inside a line that was too long
	err      error

	account membudget.Account // for the buffer
	refused *skim.Message     // a line for which there is no room, while it is thrown away
}

// Charge has what is read charged to a budget: what has no room there is a
// [*FrameError]. It is called before the first Read, and with nil after the last one,
// which gives back what is charged.
func (c *lineConn) Charge(b *membudget.Budget) {
	c.account.Set(0)
	c.account.Of(b)
	if b == nil {
		lend.Put(c.buf)
		c.buf, c.start, c.end = nil, 0, 0
	}
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
			if c.refused != nil {
				return nil, c.endRefused(line)
			}
			if c.skipping {
				c.skipping = false
				continue
			}
			return line, nil
		}
		searched = c.end - c.start
		if c.skipping || c.refused != nil {
			if c.refused != nil {
				c.refused.Write(c.buf[c.start:c.end])
			}
			c.start, c.end, searched = 0, 0, 0
		} else if searched > c.limit+1 { // a CR may stand before the newline
			c.skipping = true
			c.start, c.end = 0, 0
			return nil, &FrameError{Limit: c.limit}
		}
		if c.err != nil {
			line := c.buf[c.start:c.end]
			c.start = c.end
			if c.refused != nil && errors.Is(c.err, io.EOF) {
				return nil, c.endRefused(line)
			}
			if len(line) > 0 && !c.skipping && errors.Is(c.err, io.EOF) {
				return line, nil // the last line has no newline
			}
			return nil, c.err
		}
		if !c.makeRoom() {
			c.refused = new(skim.Message)
			continue
		}
		c.fill()
	}
}

// endRefused is the end of a line for which there was no room.
func (c *lineConn) endRefused(rest []byte) error {
	c.refused.Write(rest)
	err := overloaded(c.limit, c.refused)
	c.refused = nil
	return err
}

// fill reads once, at the end of what is there.
func (c *lineConn) fill() {
	room := c.buf[c.end:]
	n, err := c.r.Read(room)
	c.end += n
	c.more = n == len(room)
	c.err = err
}

// makeRoom makes room for a read. It takes no large buffer to a wait that may last:
// where nothing is left, all lines have been read to their ends. It reports false
// where there is no room for more of the line.
func (c *lineConn) makeRoom() bool {
	left, size := c.end-c.start, len(c.buf)
	switch {
	case left == 0:
		c.usual = min(c.end, mostAtOnce)
		c.start, c.end = 0, 0
		rest := restBuffer
		if c.skipping || c.refused != nil {
			rest = readChunk
		}
		if size < rest || size >= 2*rest {
			return c.move(rest) || c.move(restBuffer)
		}
	case size < readChunk && (c.more || left > size/2) &&
		(c.move(max(readChunk, c.usual)) || c.usual > readChunk && c.move(readChunk)):
	case size-c.end > size/2:
	case left <= size/2:
		c.end = copy(c.buf, c.buf[c.start:c.end])
		c.start = 0
	case c.move(min(2*size, max(c.limit, left)+readChunk)):
	case left < size:
		c.end = copy(c.buf, c.buf[c.start:c.end])
		c.start = 0
	default:
		return false
	}
	return true
}

// move moves what is left into a buffer that has room for as much, in all. It reports
// false, and does nothing, where the budget has not enough.
func (c *lineConn) move(size int) bool {
	if !c.account.Take(lend.Size(size)) {
		return false
	}
	to := lend.Get(size)
	to = to[:cap(to)]
	c.end = copy(to, c.buf[c.start:c.end])
	c.start = 0
	lend.Put(c.buf)
	c.buf = to
	return true
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
