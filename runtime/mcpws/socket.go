package mcpws

import (
	"bufio"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// upgrade is a ResponseWriter whose Hijack returns the connection as a socket.
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

// corkSize is the number of bytes of frames that one system call sends.
const corkSize = 32 << 10

var corkBuffers = sync.Pool{New: func() any { return new([corkSize]byte) }}

// socket is the connection below the WebSocket. It records facts that the WebSocket library does
// not report: the number of received bytes, and the end of the stream. It also joins frames that
// are written together.
type socket struct {
	net.Conn
	received atomic.Int64 // in bytes
	ended    atomic.Bool  // a Read has failed

	readErr error // of the last Read, if it also returned bytes

	// writeLock has room for one writer. It is a channel, so that the synctest clock advances while
	// a goroutine waits for it. Close does not need it.
	writeLock chan struct{}
	buffer    *[corkSize]byte
	corked    int // bytes in the buffer
}

func newSocket() *socket { return &socket{writeLock: make(chan struct{}, 1)} }

func (s *socket) Read(p []byte) (int, error) {
	if s.readErr != nil {
		s.ended.Store(true)
		return 0, s.readErr
	}
	n, err := s.Conn.Read(p)
	s.received.Add(int64(n))
	if err != nil && n > 0 {
		s.readErr, err = err, nil
	}
	if err != nil {
		s.ended.Store(true)
	}
	return n, err
}

func (s *socket) Write(p []byte) (int, error) {
	s.writeLock <- struct{}{}
	defer func() { <-s.writeLock }()
	if s.buffer == nil {
		return s.Conn.Write(p)
	}
	if s.corked+len(p) > len(s.buffer) {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	if len(p) > len(s.buffer) {
		return s.Conn.Write(p)
	}
	s.corked += copy(s.buffer[s.corked:], p)
	return len(p), nil
}

// cork buffers writes until uncork is called.
func (s *socket) cork() {
	s.writeLock <- struct{}{}
	defer func() { <-s.writeLock }()
	s.buffer = corkBuffers.Get().(*[corkSize]byte)
}

// uncork sends the buffered writes.
func (s *socket) uncork() error {
	s.writeLock <- struct{}{}
	defer func() { <-s.writeLock }()
	err := s.flush()
	corkBuffers.Put(s.buffer)
	s.buffer = nil
	return err
}

func (s *socket) flush() error {
	held := s.corked
	s.corked = 0
	if held == 0 {
		return nil
	}
	_, err := s.Conn.Write(s.buffer[:held])
	return err
}
