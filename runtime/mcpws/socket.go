package mcpws

import (
	"bufio"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// upgrade hands out the connection below with a socket around it.
type upgrade struct {
	http.ResponseWriter
	hijacker http.Hijacker
	socket   *socket
}

func (u *upgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := u.hijacker.Hijack()
	if err != nil {
		return nil, nil, err
	}
	u.socket.Conn = c
	rw.Writer.Reset(u.socket)
	return u.socket, rw, nil
}

// corkBuffer is how many bytes of frames go out in one system call.
const corkBuffer = 32 << 10

var corks = sync.Pool{New: func() any { return new([corkBuffer]byte) }}

// socket is the connection below the WebSocket. It knows what the library above it
// does not tell: whether anything has come, and whether the stream has ended. And
// it joins the frames that are written together.
type socket struct {
	net.Conn
	received atomic.Int64 // bytes
	ended    atomic.Bool  // a Read has failed

	failed error // of the last Read, while there still were bytes

	// writer has one place, for whoever writes. It is a channel so that the clock of
	// a test goes on while somebody waits for it. Closing does without.
	writer chan struct{}
	cork   *[corkBuffer]byte
	held   int // bytes in the cork
}

func newSocket() *socket { return &socket{writer: make(chan struct{}, 1)} }

func (s *socket) Read(p []byte) (int, error) {
	if s.failed != nil {
		s.ended.Store(true)
		return 0, s.failed
	}
	n, err := s.Conn.Read(p)
	s.received.Add(int64(n))
	if err != nil && n > 0 {
		s.failed, err = err, nil
	}
	if err != nil {
		s.ended.Store(true)
	}
	return n, err
}

func (s *socket) Write(p []byte) (int, error) {
	s.writer <- struct{}{}
	defer func() { <-s.writer }()
	if s.cork == nil {
		return s.Conn.Write(p)
	}
	if s.held+len(p) > len(s.cork) {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	if len(p) > len(s.cork) {
		return s.Conn.Write(p)
	}
	s.held += copy(s.cork[s.held:], p)
	return len(p), nil
}

// hold keeps what is written until release is called.
func (s *socket) hold() {
	s.writer <- struct{}{}
	defer func() { <-s.writer }()
	s.cork = corks.Get().(*[corkBuffer]byte)
}

// release sends what was kept.
func (s *socket) release() error {
	s.writer <- struct{}{}
	defer func() { <-s.writer }()
	err := s.flush()
	corks.Put(s.cork)
	s.cork = nil
	return err
}

func (s *socket) flush() error {
	held := s.held
	s.held = 0
	if held == 0 {
		return nil
	}
	_, err := s.Conn.Write(s.cork[:held])
	return err
}
