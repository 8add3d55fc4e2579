// Package faultconn provides connections for tests that fail like networks and peers. A seed and
// the sequence of calls determine the faults, for each direction separately.
package faultconn

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"time"
)

// Plan describes the faults of a connection, as seen by the side that uses it. The zero Plan is a
// connection without faults. Probabilities are per call of Read or Write.
type Plan struct {
	Seed uint64
	// Piece limits the bytes that are read or written at a time: each time between 1 and Piece. 0
	// means no limit.
	Piece int
	// Stall is the probability of a pause, and StallTime its longest duration. Closing and
	// deadlines end it.
	Stall     float64
	StallTime time.Duration
	// WriteError is the probability that a part is written and then an error returned, as when a
	// deadline passes. Later writes succeed.
	WriteError float64
	// Reset is the probability that the connection breaks: both directions fail, on both sides.
	Reset float64
}

// Errors that a faulty connection returns in addition to errors of the underlying one.
var (
	ErrWrite = errors.New("faulty: write error")
	ErrReset = errors.New("faulty: connection reset")
)

// Stream returns a faulty stream over rw. One goroutine may read while another writes and any
// closes it.
func Stream(rw io.ReadWriteCloser, p Plan) io.ReadWriteCloser {
	return newStream(rw, p)
}

// Conn returns a faulty connection over c. It supports CloseWrite if c does.
func Conn(c net.Conn, p Plan) net.Conn {
	return &conn{Conn: c, stream: newStream(c, p)}
}

type conn struct {
	net.Conn // addresses
	stream   *stream
}

func (c *conn) Read(p []byte) (int, error)  { return c.stream.Read(p) }
func (c *conn) Write(p []byte) (int, error) { return c.stream.Write(p) }
func (c *conn) Close() error                { return c.stream.Close() }

func (c *conn) SetDeadline(t time.Time) error {
	c.stream.in.until(t)
	c.stream.out.until(t)
	return c.Conn.SetDeadline(t)
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.stream.in.until(t)
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.stream.out.until(t)
	return c.Conn.SetWriteDeadline(t)
}

// CloseWrite closes the direction in which this side writes.
func (c *conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

type stream struct {
	below   io.ReadWriteCloser
	plan    Plan
	in, out direction
	closed  chan struct{}
	closing sync.Once
	err     error // the result of Close
}

func newStream(rw io.ReadWriteCloser, p Plan) *stream {
	s := &stream{below: rw, plan: p, closed: make(chan struct{})}
	s.in.init(p.Seed, 1)
	s.out.init(p.Seed, 2)
	return s
}

func (s *stream) Read(p []byte) (int, error) {
	if err := s.inject(&s.in); err != nil {
		return 0, err
	}
	if len(p) > 0 {
		p = p[:s.in.piece(len(p), s.plan.Piece)]
	}
	return s.below.Read(p)
}

func (s *stream) Write(p []byte) (int, error) {
	done := 0
	for {
		if err := s.inject(&s.out); err != nil {
			return done, err
		}
		piece := p[done:]
		if len(piece) > 0 {
			piece = piece[:s.out.piece(len(piece), s.plan.Piece)]
		}
		breaks := s.out.happens(s.plan.WriteError)
		if breaks {
			piece = piece[:s.out.below(len(piece)+1)]
		}
		n, err := s.below.Write(piece)
		if done += n; err == nil && breaks {
			err = ErrWrite
		}
		if err != nil || done == len(p) {
			return done, err
		}
	}
}

// inject causes the faults before a call.
func (s *stream) inject(d *direction) error {
	if err := d.failure(); err != nil {
		return err
	}
	if d.happens(s.plan.Stall) {
		if err := d.stall(s.closed, s.plan.StallTime); err != nil {
			return err
		}
	}
	if d.happens(s.plan.Reset) {
		s.in.fail(ErrReset)
		s.out.fail(ErrReset)
		_ = s.Close()
		return ErrReset
	}
	return nil
}

func (s *stream) Close() error {
	s.closing.Do(func() {
		close(s.closed)
		s.err = s.below.Close()
	})
	return s.err
}

// direction is the state of one direction.
type direction struct {
	mu       sync.Mutex
	random   *rand.Rand
	err      error // for ever
	deadline time.Time
	changed  chan struct{} // closed when the deadline changes
}

func (d *direction) init(seed, stream uint64) {
	d.random = rand.New(rand.NewPCG(seed, stream))
	d.changed = make(chan struct{})
}

func (d *direction) happens(probability float64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return probability > 0 && d.random.Float64() < probability
}

// below returns a number from 0 to n-1.
func (d *direction) below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.IntN(n)
}

// piece returns the number of bytes, up to n, that are transferred at once.
func (d *direction) piece(n, most int) int {
	if most <= 0 {
		return n
	}
	return min(n, 1+d.below(most))
}

func (d *direction) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
	}
}

func (d *direction) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *direction) until(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deadline = t
	close(d.changed)
	d.changed = make(chan struct{})
}

// stall pauses for a random time up to most.
func (d *direction) stall(closed <-chan struct{}, most time.Duration) error {
	d.mu.Lock()
	over := time.NewTimer(time.Duration(d.random.Float64() * float64(most)))
	d.mu.Unlock()
	defer over.Stop()
	for {
		d.mu.Lock()
		deadline, changed := d.deadline, d.changed
		d.mu.Unlock()
		var late <-chan time.Time
		if !deadline.IsZero() {
			timer := time.NewTimer(time.Until(deadline))
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-over.C:
			return nil
		case <-closed:
			return net.ErrClosed
		case <-late:
			return os.ErrDeadlineExceeded
		case <-changed:
		}
	}
}
