package mcphttp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// sending is the message of an exchange while a transport sends it. It notes whether the
// server can have got it.
//
// The body is a bytes.Reader, since net/http writes header and body of a request in one
// piece only for the readers that it knows. So whether it was read cannot be seen, and a trace
// notes whether there was a connection.
type sending struct {
	data      []byte
	trace     httptrace.ClientTrace
	asked     atomic.Bool // the transport calls the functions of trace
	connected atomic.Bool // it has got a connection in the latest attempt
}

// prepare makes the message ready to be sent.
func (s *sending) prepare(data []byte) {
	s.data = data
	s.trace.GetConn = s.getConn
	s.trace.GotConn = s.gotConn
}

// getConn begins an attempt. net/http makes another one by itself only where it has sent
// nothing, or the server has said that it has not processed anything.
func (s *sending) getConn(string) {
	s.asked.Store(true)
	s.connected.Store(false)
}

func (s *sending) gotConn(httptrace.GotConnInfo) { s.connected.Store(true) }

// attach makes the message the body of a request.
func (s *sending) attach(r *http.Request) {
	r.ContentLength = int64(len(s.data))
	r.Body, _ = s.body()
	r.GetBody = s.body
}

func (s *sending) body() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s.data)), nil
}

// sent reports whether the server may have got the message. Without a trace it may.
func (s *sending) sent() bool { return !s.asked.Load() || s.connected.Load() }
