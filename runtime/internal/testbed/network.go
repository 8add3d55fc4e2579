package testbed

import (
	"context"
	"net"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
)

// Network is a listener that clients in the same process connect to.
type Network interface {
	net.Listener
	Dial(context.Context) (net.Conn, error)
}

// Pipes is a [Network] in memory, for bubbles of testing/synctest as well. Bytes are written
// without a buffer: each Write waits for the Read of the other side.
type Pipes struct {
	Network

	mu    sync.Mutex
	conns []net.Conn // the ends of the clients
}

// NewPipes returns a network at a local address; nil is 127.0.0.1:8080.
func NewPipes(local net.Addr) *Pipes {
	var network Network = faultconn.NewListener(nil)
	if local != nil {
		network = Relocate(network, local)
	}
	return &Pipes{Network: network}
}

// Dial connects a client.
func (p *Pipes) Dial(ctx context.Context) (net.Conn, error) {
	c, err := p.Network.Dial(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, c)
	return c, nil
}

// Dialed returns the number of connections that clients have opened since the last Cut.
func (p *Pipes) Dialed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

// Cut closes all connections at the side of the clients.
func (p *Pipes) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// Address returns a TCP address, or the address of a Unix socket if the text does not contain a
// port.
func Address(text string) net.Addr {
	if addr, err := net.ResolveTCPAddr("tcp", text); err == nil {
		return addr
	}
	return &net.UnixAddr{Name: text, Net: "unix"}
}

// Relocate returns a network whose connections have another local address on the side of the
// server.
func Relocate(n Network, local net.Addr) Network { return &relocated{n, local} }

type relocated struct {
	Network
	local net.Addr
}

func (r *relocated) Addr() net.Addr { return r.local }

func (r *relocated) Accept() (net.Conn, error) {
	c, err := r.Network.Accept()
	if err != nil {
		return nil, err
	}
	return &relocatedConn{c, r.local}, nil
}

type relocatedConn struct {
	net.Conn
	local net.Addr
}

func (c *relocatedConn) LocalAddr() net.Addr { return c.local }
