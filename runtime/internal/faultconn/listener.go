package faultconn

import (
	"context"
	"net"
	"sync"
)

// Listener accepts connections in memory. Its address is a TCP port on loopback. It works inside
// and outside of a bubble of testing/synctest.
type Listener struct {
	plan  func(n int) Plan
	conns chan net.Conn
	ended chan struct{}
	end   sync.Once

	mu sync.Mutex
	n  int
}

// NewListener returns a listener whose n-th connection, from 0, has the plan of that index; without
// a function there are no faults. The client's end has no faults.
func NewListener(plan func(n int) Plan) *Listener {
	return &Listener{plan: plan, conns: make(chan net.Conn), ended: make(chan struct{})}
}

var (
	serverAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	clientAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 50000}
)

// Dial connects. Bytes are transferred when both sides call, without a buffer between them.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	server := net.Conn(&end{far, serverAddr, clientAddr})
	if l.plan != nil {
		l.mu.Lock()
		n := l.n
		l.n++
		l.mu.Unlock()
		server = Conn(server, l.plan(n))
	}
	select {
	case l.conns <- server:
		return &end{near, clientAddr, serverAddr}, nil
	case <-l.ended:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept returns the server's end of the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

// Close stops accepting. Connections stay open.
func (l *Listener) Close() error {
	l.end.Do(func() { close(l.ended) })
	return nil
}

// Addr returns 127.0.0.1:8080.
func (l *Listener) Addr() net.Addr { return serverAddr }

// end is one end of a connection.
type end struct {
	net.Conn
	local, remote net.Addr
}

func (e *end) LocalAddr() net.Addr  { return e.local }
func (e *end) RemoteAddr() net.Addr { return e.remote }
