package mcphttp

import (
	"io"
	"net"
	"net/http"
	"sync"
)

// sending is the message of an exchange while the transport reads it. A message of which
// nothing was read cannot have arrived.
type sending struct {
	mu      sync.Mutex
	data    []byte
	started bool
	ended   bool
}

// attach makes the message the body of a request.
func (s *sending) attach(r *http.Request) {
	r.ContentLength = int64(len(s.data))
	r.Body, _ = s.rewind()
	// net/http uses it only where it has sent nothing, or the server has said that it has not
	// processed anything.
	r.GetBody = s.rewind
}

// rewind returns the message from its beginning, for an attempt before which nothing was sent.
func (s *sending) rewind() (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = false
	return &sendingBody{sending: s}, nil
}

// stop makes further reads fail, and reports whether the server may have got the message.
func (s *sending) stop() (sent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	return s.started
}

// sendingBody reads the message once.
type sendingBody struct {
	*sending
	offset int
}

func (b *sendingBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.ended:
		return 0, net.ErrClosed
	case b.offset == len(b.data):
		return 0, io.EOF
	}
	b.started = true
	n := copy(p, b.data[b.offset:])
	b.offset += n
	return n, nil
}

func (b *sendingBody) Close() error { return nil }
