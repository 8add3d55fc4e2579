package limit

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"
)

const maxLine = 4 << 20

// ServeLines answers one message per line until the input ends.
func (s *Server) ServeLines(in io.Reader, out io.Writer) error {
	cl := &client{calls: map[string]*call{}}
	o := &outbox{w: out, wake: make(chan struct{}, 1)}
	go func() {
		for range o.wake {
			o.flush()
		}
	}()
	var running sync.WaitGroup
	l := &lines{r: in}
	for {
		line, err := l.next()
		if err != nil {
			running.Wait()
			o.flush()
			if err == io.EOF {
				return nil
			}
			return err
		}
		if len(line) > maxLine {
			o.add(appendError(nil, nil, -32600, "message too long"))
		} else if len(line) > 0 {
			s.take(cl, o, line, &running)
		}
		if !l.buffered() {
			o.kick()
		}
	}
}

// take handles a message. It never blocks.
func (s *Server) take(cl *client, o *outbox, line []byte, running *sync.WaitGroup) {
	b := pool.Get().(*buffers)
	b.in = append(b.in[:0], line...)
	var m message
	failed := b.parse(&m)
	switch {
	case failed != "":
		o.add(appendError(b.out[:0], nil, -32600, failed))
	case m.id == nil:
		if string(m.method) == "notifications/cancelled" {
			cl.cancel(m.cancel)
		}
	case quick(m.method):
		b.out = s.answer(b.out[:0], &call{m: m})
		o.add(b.out)
	default:
		c := &call{client: cl, m: m, b: b}
		c.tell = func(_ context.Context, done, total float64, message string) {
			if c.m.token != nil {
				o.add(appendProgress(nil, c.m.token, done, total, message))
				o.flush()
			}
		}
		if failed = cl.enter(c); failed == "" {
			running.Add(1)
			go s.run(cl, o, c, running)
			return
		}
		o.add(appendError(b.out[:0], m.id, -32600, failed))
	}
	b.drop()
}

func (s *Server) run(cl *client, o *outbox, c *call, running *sync.WaitGroup) {
	defer running.Done()
	b := c.b
	b.out = s.answer(b.out[:0], c)
	if cl.leave(c) {
		o.add(b.out)
	}
	c.b = nil
	c.m = message{}
	b.drop()
	o.flush()
}

// outbox combines simultaneous messages into one write.
type outbox struct {
	w    io.Writer
	wake chan struct{}

	mu             sync.Mutex
	pending, spare []byte
	writing        bool
}

func (o *outbox) add(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = append(append(o.pending, message...), '\n')
}

func (o *outbox) kick() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) flush() {
	runtime.Gosched() // let other goroutines append their messages
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing {
		return
	}
	o.writing = true
	for len(o.pending) > 0 {
		batch := o.pending
		o.pending = o.spare[:0]
		o.mu.Unlock()
		_, _ = o.w.Write(batch) // the client is gone: its input ends, too
		o.mu.Lock()
		o.spare = batch
	}
	o.writing = false
}

// lines reads lines of any length, and buffers at most the limit.
type lines struct {
	r          io.Reader
	buf        []byte
	start, end int
}

func (l *lines) next() ([]byte, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(l.buf[l.start+searched:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.start+searched+i]
			l.start += searched + i + 1
			return bytes.TrimSuffix(line, []byte{'\r'}), nil
		}
		searched = l.end - l.start
		if searched > maxLine+1 {
			return l.skipLine()
		}
		if l.start == l.end {
			l.start, l.end = 0, 0
		}
		if len(l.buf)-l.end < 32<<10 {
			buf := l.buf
			if l.start == 0 || len(l.buf)-searched < 32<<10 {
				buf = make([]byte, max(64<<10, 2*len(l.buf)))
			}
			l.end = copy(buf, l.buf[l.start:l.end])
			l.buf, l.start = buf, 0
		}
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

// skipLine reads to the end of a line that is too long, and returns its buffered beginning.
func (l *lines) skipLine() ([]byte, error) {
	long := l.buf[l.start:l.end]
	rest := make([]byte, 64<<10)
	for {
		n, err := l.r.Read(rest)
		if i := bytes.IndexByte(rest[:n], '\n'); i >= 0 {
			l.buf, l.start, l.end = rest, i+1, n
			return long, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l *lines) buffered() bool { return bytes.IndexByte(l.buf[l.start:l.end], '\n') >= 0 }
