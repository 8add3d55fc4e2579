package mcphttpclient

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
)

// sending is the message of an exchange while a transport sends it. It records whether the server
// may have received it.
//
// The body is a bytes.Reader, since net/http writes header and body of a request in one piece only
// for the readers that it knows. So reads of the body cannot be observed, and a trace records
// whether the transport had a connection.
type sending struct {
	data      []byte
	trace     httptrace.ClientTrace
	asked     atomic.Bool // the transport calls the functions of trace
	connected atomic.Bool // it got a connection in the latest attempt
	// authorization receives the address of the server. Nil if the address is not needed, or is the
	// address of a proxy.
	authorization *dial.Authorization
}

// prepare prepares the message for sending.
func (s *sending) prepare(data []byte) {
	s.data = data
	s.trace.GetConn = s.getConn
	s.trace.GotConn = s.gotConn
}

// getConn begins an attempt. net/http makes another attempt by itself only if it has sent nothing,
// or if the server has reported that it has not processed anything.
func (s *sending) getConn(string) {
	s.asked.Store(true)
	s.connected.Store(false)
}

func (s *sending) gotConn(info httptrace.GotConnInfo) {
	s.connected.Store(true)
	if s.authorization == nil {
		return
	}
	if at, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String()); err == nil {
		address := at.Addr()
		s.authorization.Remote.Store(&address)
	}
}

// attach makes the message the body of a request.
func (s *sending) attach(r *http.Request) {
	r.ContentLength = int64(len(s.data))
	r.Body, _ = s.body()
	r.GetBody = s.body
}

func (s *sending) body() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s.data)), nil
}

// sent reports whether the server may have received the message. Without a trace it may have.
func (s *sending) sent() bool { return !s.asked.Load() || s.connected.Load() }
