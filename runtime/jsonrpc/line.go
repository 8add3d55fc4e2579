package jsonrpc

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/discarded"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

const (
	// idleBuffer is the size of the buffer of a connection that waits for a message. A message that
	// does not fit has probably arrived as a whole, so a larger buffer for it comes from the pool
	// and is needed only briefly.
	idleBuffer = bufpool.MinSize
	readChunk  = 64 << 10
	// maxInitial limits the buffer with which a connection starts to read a line, however long its
	// lines usually are.
	maxInitial = 1 << 20
)

// NewLineConn frames messages as lines, as the stdio transport of the Model Context Protocol does.
// A line may end with CRLF, blank lines are skipped. A line of more than limit bytes (0:
// [DefaultLimit]) is reported by a [*FrameError] as soon as it is too long, and the rest of it is
// discarded without being stored. Close closes r and w if they are io.Closers.
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

	buf      []byte // bytes that were read; [start:end] is not yet processed
	start    int
	end      int
	more     bool // the last read filled the buffer, so more may be available
	usual    int  // size of the buffer that the latest lines needed
	skipping bool // inside a line that was too long
	err      error

	identify bool               // look for kind and id of a message that is too long
	long     *discarded.Message // a line that is too long, until it is reported
	longSize int64              // bytes of long so far

	account membudget.Account  // for the buffer
	refused *discarded.Message // a line that exceeds the memory budget, while it is discarded
}

// Charge charges the memory for incoming messages to a budget: a message that does not fit into it
// is a [*FrameError]. Call it before the first Read, and with nil after the last one, which
// releases the charge.
func (c *lineConn) Charge(b *membudget.Budget) {
	c.account.Set(0)
	c.account.Of(b)
	if b == nil {
		bufpool.Put(c.buf)
		c.buf, c.start, c.end = nil, 0, 0
	}
}

// searchedLimits limits the search for the id of a message that is too long, as a multiple of the
// connection's limit. After that many bytes the message is reported without an id.
const searchedLimits = 8

// Identify makes Read look for kind and id of a message that is too long, so that the request of a
// client fails at once. Many servers write the id last: Read returns one *FrameError with Early set
// at the limit, and another one when the id is known. If the connection closes in the middle of a
// message, Read returns [io.ErrUnexpectedEOF]. Call Identify before the first Read.
func (c *lineConn) Identify() { c.identify = true }

func (c *lineConn) Read() ([]byte, error) {
	for {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) > c.limit {
			if !c.identify {
				return nil, &FrameError{Limit: c.limit}
			}
			c.beginLong(line)
			return nil, c.endLong()
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
				if c.long != nil {
					c.long.Write(line)
					return nil, c.endLong()
				}
				continue
			}
			return line, nil
		}
		part := c.buf[c.start:c.end]
		searched = len(part)
		if c.skipping || c.refused != nil {
			if c.refused != nil {
				c.refused.Write(part)
			}
			c.start, c.end, searched = 0, 0, 0
			if c.long != nil && c.isIdentified(part) {
				return nil, c.endLong()
			}
		} else if searched-1 > c.limit { // a CR may precede the newline
			c.skipping = true
			c.start, c.end = 0, 0
			if !c.identify {
				return nil, &FrameError{Limit: c.limit}
			}
			if c.beginLong(part) {
				return nil, c.endLong()
			}
			return nil, &FrameError{Limit: c.limit, Kind: MessageKind(c.long.Kind()), Early: true}
		}
		if c.err != nil {
			if c.long != nil {
				return nil, c.endLong()
			}
			line := c.buf[c.start:c.end]
			c.start = c.end
			if c.refused != nil && errors.Is(c.err, io.EOF) {
				return nil, c.endRefused(line)
			}
			if len(line) > 0 && errors.Is(c.err, io.EOF) {
				// The last line does not end with a newline. A client does not report a truncated
				// message as an invalid one: the request may be sent again.
				if c.identify && discarded.IsCut(line) {
					return nil, io.ErrUnexpectedEOF
				}
				return line, nil
			}
			return nil, c.err
		}
		if !c.makeRoom() {
			c.refused = new(discarded.Message)
			continue
		}
		c.fill()
	}
}

// beginLong begins a line that is too long. It reports whether its kind and id are known.
func (c *lineConn) beginLong(part []byte) bool {
	c.long, c.longSize = new(discarded.Message), 0
	return c.isIdentified(part)
}

// isIdentified adds the next part of the line that is too long. It reports whether the search for
// its kind and id is over: they are known, or the limit of the search is reached.
func (c *lineConn) isIdentified(part []byte) bool {
	c.long.Write(part)
	c.longSize += int64(len(part))
	return c.longSize/searchedLimits > int64(c.limit) || c.long.Kind() != discarded.Invalid && c.long.ID() != nil
}

// endLong returns the error for the line that is too long.
func (c *lineConn) endLong() error {
	err := &FrameError{Limit: c.limit, Kind: MessageKind(c.long.Kind())}
	err.ID, _ = RawID(c.long.ID())
	c.long = nil
	return err
}

// endRefused ends a line that exceeded the memory budget.
func (c *lineConn) endRefused(rest []byte) error {
	c.refused.Write(rest)
	err := overloaded(c.limit, c.refused)
	c.refused = nil
	return err
}

// fill reads once, and appends to the buffer.
func (c *lineConn) fill() {
	room := c.buf[c.end:]
	n, err := c.r.Read(room)
	c.end += n
	c.more = n == len(room)
	c.err = err
}

// makeRoom makes room for a read. If no bytes are left, all lines are complete and the wait may be
// long, so it releases a large buffer. It returns false if the budget does not allow more of the
// line.
func (c *lineConn) makeRoom() bool {
	left, size := c.end-c.start, len(c.buf)
	most := min(max(c.limit, left), math.MaxInt-readChunk) + readChunk // a longer line is skipped
	switch {
	case left == 0:
		c.usual = min(c.end, maxInitial)
		c.start, c.end = 0, 0
		rest := idleBuffer
		if c.skipping || c.refused != nil {
			rest = readChunk
		}
		if size < rest || size >= 2*rest {
			return c.move(rest) || c.move(idleBuffer)
		}
	case size < readChunk && (c.more || left > size/2) &&
		(c.move(max(readChunk, c.usual)) || c.usual > readChunk && c.move(readChunk)):
	case size-c.end > size/2:
	case left <= size/2:
		c.end = copy(c.buf, c.buf[c.start:c.end])
		c.start = 0
	case size < most && c.move(size+min(size, most-size)):
	case c.start > 0:
		c.end = copy(c.buf, c.buf[c.start:c.end])
		c.start = 0
	case c.end == size:
		return false
	}
	return true
}

// move moves the unprocessed bytes into a buffer of the given size. It returns false, and changes
// nothing, if the budget does not allow that size.
func (c *lineConn) move(size int) bool {
	if !c.account.Take(bufpool.Size(size)) {
		return false
	}
	to := bufpool.Get(size)
	to = to[:cap(to)]
	c.end = copy(to, c.buf[c.start:c.end])
	c.start = 0
	bufpool.Put(c.buf)
	c.buf = to
	return true
}

func (c *lineConn) Write(batch []byte) error {
	_, err := c.w.Write(batch)
	return err
}

// CloseWrite closes the direction in which this side writes; it can still read.
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

// Buffered reports whether a whole line has been read already, so that the next Read does not wait.
func (c *lineConn) Buffered() bool {
	return !c.skipping && bytes.IndexByte(c.buf[c.start:c.end], '\n') >= 0
}
