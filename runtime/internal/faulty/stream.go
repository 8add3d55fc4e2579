package faulty

import (
	"bufio"
	"io"
	"net"
	"sync"
)

// Serve serves listeners until they are closed: one message in each line.
func (s *Server) Serve(l net.Listener) { s.accept(l, s.ServeStream) }

// accept serves each connection in a goroutine. It returns when all of them are done.
func (s *Server) accept(l net.Listener, serve func(io.ReadWriteCloser)) {
	var group sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	for {
		conn, err := l.Accept()
		if err != nil {
			break
		}
		mu.Lock()
		open[conn] = true
		mu.Unlock()
		group.Go(func() {
			serve(conn)
			mu.Lock()
			delete(open, conn)
			mu.Unlock()
		})
	}
	mu.Lock()
	for conn := range open {
		_ = conn.Close() // which makes its goroutine return
	}
	mu.Unlock()
	group.Wait()
}

// ServeStream serves one connection until the client closes it, or a script does. Messages are
// handled side by side, so that a script may wait.
func (s *Server) ServeStream(conn io.ReadWriteCloser) {
	w := newStream(conn, func(b []byte, whole bool) []byte {
		if whole {
			b = append(b, '\n')
		}
		return b
	})
	defer w.end()
	number := int(s.connections.Add(1))
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		w.handlers.Go(func() { s.handle(&turn{stream: w}, number, line) })
	}
}

// stream is a connection with frames.
type stream struct {
	conn     io.ReadWriteCloser
	frame    func(text []byte, whole bool) []byte
	gone     chan struct{}
	once     sync.Once
	handlers sync.WaitGroup
	writing  chan struct{} // contains a value while a goroutine writes a message
}

func newStream(conn io.ReadWriteCloser, frame func([]byte, bool) []byte) *stream {
	return &stream{conn: conn, frame: frame, gone: make(chan struct{}), writing: make(chan struct{}, 1)}
}

func (w *stream) end() {
	_ = w.Close()
	w.handlers.Wait()
}

func (w *stream) Close() error {
	w.once.Do(func() { close(w.gone) })
	return w.conn.Close()
}

func (w *stream) Gone() <-chan struct{} { return w.gone }

// turn sends the messages that answer one message of the client. After it has sent a part of a
// message, all others wait until the message is complete. Several goroutines may send.
type turn struct {
	*stream
	mu    sync.Mutex
	begun bool
}

func (t *turn) Send(message string) error { return t.write(message, true) }
func (t *turn) Raw(part string) error     { return t.write(part, false) }

func (t *turn) write(text string, whole bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.begun {
		select {
		case t.writing <- struct{}{}:
		case <-t.gone:
			return net.ErrClosed
		}
		t.begun = true
	}
	_, err := t.conn.Write(t.frame([]byte(text), whole))
	if whole {
		t.begun = false
		<-t.writing
	}
	return err
}
