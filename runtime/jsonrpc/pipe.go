package jsonrpc

import (
	"io"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
)

// pipeBuffer is the number of bytes that one direction of a Pipe holds before Write blocks. Longer
// writes pass in parts, as through a pipe of the operating system.
const pipeBuffer = 256 << 10

// Pipe returns the two ends of a connection in memory, with the framing and the default limit of
// [NewLineConn]. After an end is closed, the other one reads the remaining messages and then
// io.EOF. Write blocks while the other side has about 256 KiB to read. Both ends also have a method
// CloseWrite() error, which closes one direction only, like closing the standard input of a
// process.
func Pipe() (client, server Conn) {
	return PipeLimit(0, 0)
}

// PipeLimit is [Pipe] with limits, in bytes, of the messages that the client and the server read.
func PipeLimit(clientReads, serverReads int) (client, server Conn) {
	up, down := newStream(), newStream()
	return NewLineConn(down, up, clientReads), NewLineConn(up, down, serverReads)
}

// stream is one direction: bytes in order, between one writer and one reader.
type stream struct {
	mu     sync.Mutex
	moved  *sync.Cond
	data   []byte // from the pool; the unread bytes begin at start
	start  int
	closed bool
}

func newStream() *stream {
	s := &stream{}
	s.moved = sync.NewCond(&s.mu)
	return s
}

func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.start == len(s.data) {
		if s.closed {
			return 0, io.EOF
		}
		s.moved.Wait()
	}
	n := copy(p, s.data[s.start:])
	if s.start += n; s.start == len(s.data) {
		bufpool.Put(s.data)
		s.data, s.start = nil, 0
	}
	s.moved.Broadcast()
	return n, nil
}

func (s *stream) Write(p []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n < len(p) && err == nil {
		var took int
		took, err = s.some(p[n:])
		n += took
	}
	return n, err
}

// some waits for room and writes as many bytes as fit. The caller holds the lock.
func (s *stream) some(p []byte) (int, error) {
	for len(s.data)-s.start >= pipeBuffer && !s.closed {
		s.moved.Wait()
	}
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	p = p[:min(len(p), pipeBuffer-(len(s.data)-s.start))]
	if s.start > 0 && cap(s.data)-len(s.data) < len(p) {
		s.data = s.data[:copy(s.data, s.data[s.start:])]
		s.start = 0
	}
	s.data = append(bufpool.Grow(s.data, len(p)), p...)
	s.moved.Broadcast()
	return len(p), nil
}

func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.moved.Broadcast()
	return nil
}
