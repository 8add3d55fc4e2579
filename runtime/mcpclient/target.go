package mcpclient

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Target is where a server is. It may be connected to any number of times, by any number of
// clients at once. Its method Name is for messages, and has no credentials, query or user
// name; Key is a digest of everything that is sent to the server besides messages.
// [Command], [InMemory], [Dialer], mcphttp.Endpoint, mcpws.Endpoint and mcpnet.Endpoint are
// targets.
type Target = dial.Target

// Dialer returns a server that dial connects to. The name is its name in messages, and must
// differ between servers: what is known of a server is kept by name. The end of the context
// of dial ends the opening, not the connection.
func Dialer(name string, dial func(context.Context) (jsonrpc.Conn, error)) Target {
	return &dialer{name: name, dial: dial}
}

type dialer struct {
	name string
	dial func(context.Context) (jsonrpc.Conn, error)
}

func (d *dialer) Name() string { return d.name }
func (d *dialer) Key() string  { return "dialer " + d.name }

func (d *dialer) Dial(ctx context.Context, _ dial.Options) (dial.Conn, error) {
	conn, err := d.dial(ctx)
	if err != nil {
		return nil, &dial.Error{Again: true, Err: err}
	}
	if conn == nil {
		return nil, &dial.Error{Err: fmt.Errorf("%s: the dial function has returned neither a connection nor an error", d.name)}
	}
	return conn, nil
}

// InMemory returns a server in this process. Each connection is one client of it.
func InMemory(s *mcp.Server) Target { return &inMemory{server: s} }

type inMemory struct{ server *mcp.Server }

func (m *inMemory) Name() string { return "in memory" }
func (m *inMemory) Key() string  { return fmt.Sprintf("memory %p", m.server) }

func (m *inMemory) Dial(ctx context.Context, _ dial.Options) (dial.Conn, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	conn, wait := m.server.Connect(ctx)
	return &memoryConn{Conn: conn, cancel: cancel, wait: wait}, nil
}

// memoryConn is a connection to a server in this process. Close waits for the server's end
// of it, so that no goroutine outlives the client.
type memoryConn struct {
	jsonrpc.Conn
	cancel context.CancelFunc
	wait   func() error
}

func (c *memoryConn) Close() error {
	c.cancel()
	err := c.Conn.Close()
	_ = c.wait() // the cause is the cancellation
	return err
}
