package mcpclient

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"weak"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Target is the location of a server. Any number of clients may connect to it, any number of times.
// Its method Name is for messages, and contains no credentials, query or user name; Key is a digest
// of everything that is sent to the server, except messages and the credentials that its
// authorization context names: see [Cache]. [Command], [InMemory], [Dialer],
// mcphttpclient.Endpoint, mcpws.Endpoint and mcpnet.Endpoint are targets.
type Target = dial.Target

// Dialer returns a server that dial connects to. The name is used in messages, and must differ
// between servers, since the client stores facts about a server by its name. The credentials of
// dial's connections are unknown, so the client caches no private result. The context of dial
// limits the opening, not the connection. A dial function that ignores its context is left running,
// and its connection is closed.
func Dialer(name string, dial func(context.Context) (jsonrpc.Conn, error)) Target {
	return &dialer{name: name, dial: dial}
}

type dialer struct {
	name string
	dial func(context.Context) (jsonrpc.Conn, error)
}

func (d *dialer) Name() string { return d.name }
func (d *dialer) Key() string  { return "dialer " + d.name }

func (d *dialer) Dial(ctx context.Context, o dial.Options) (dial.Conn, error) {
	type result struct {
		conn jsonrpc.Conn
		err  error
	}
	dialed, returned := make(chan result), make(chan struct{})
	defer close(returned)
	go func() {
		var r result
		give := func() {
			select {
			case dialed <- r:
			case <-returned:
				if r.conn != nil {
					_ = r.conn.Close()
				}
			}
		}
		if usercode.Call(func() { r.conn, r.err = d.dial(ctx) }, func(f usercode.Failure) {
			o.Logger.LogAttrs(context.WithoutCancel(ctx), slog.LevelError, "panic in a dial function", append(f.Attrs(), slog.String("server", d.name))...)
			r.err = errors.New("the dial function has failed: " + f.String())
			give() // here, since runtime.Goexit does not return
		}) {
			give()
		}
	}()
	select {
	case r := <-dialed:
		switch {
		case r.err != nil:
			return nil, &dial.Error{Again: true, Err: r.err}
		case r.conn == nil:
			return nil, &dial.Error{Err: errors.New("the dial function has returned neither a connection nor an error")}
		}
		return newBoundedConn(r.conn, o.Limits, r.conn.Close), nil
	case <-ctx.Done():
		return nil, &dial.Error{Again: true, Err: context.Cause(ctx)}
	}
}

// AuthorizationContext reports that the credentials are unknown.
func (d *dialer) AuthorizationContext() (context string, ok bool) { return "", true }

// InMemory returns a server in this process. Each connection is a separate client of the server.
func InMemory(s *mcp.Server) Target { return &inMemory{server: s, key: keyOf(s)} }

type inMemory struct {
	server *mcp.Server
	key    string
}

// inProcess is a target in this process. Only programs that call [InMemory] link the type that
// implements it, and with it a server.
type inProcess interface{ inProcess() }

func (m *inMemory) inProcess()   {}
func (m *inMemory) Name() string { return "in memory" }
func (m *inMemory) Key() string  { return m.key }

// AuthorizationContext reports that connections carry no credentials.
func (m *inMemory) AuthorizationContext() (context string, ok bool) { return "", false }

// memoryKeys contains the keys of servers in this process, by their weak pointers.
var memoryKeys sync.Map

// keyOf returns a key that is unique among all servers, even those at the same address and in other
// processes.
func keyOf(s *mcp.Server) string {
	pointer := weak.Make(s)
	if key, ok := memoryKeys.Load(pointer); ok {
		return key.(string)
	}
	key, loaded := memoryKeys.LoadOrStore(pointer, "memory "+rand.Text())
	if !loaded {
		runtime.AddCleanup(s, func(p weak.Pointer[mcp.Server]) { memoryKeys.Delete(p) }, pointer)
	}
	return key.(string)
}

func (m *inMemory) Dial(ctx context.Context, o dial.Options) (dial.Conn, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	client, server := jsonrpc.PipeLimit(o.Limits.MessageBytes, m.server.Transport().Limits().MessageBytes)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = m.server.Serve(ctx, memoryConn{server.(pipeConn)}) // the client gets the reason at its end
	}()
	return newBoundedConn(client, o.Limits, func() error {
		cancel()
		err := client.Close()
		<-served // so that no goroutine outlives the client
		return err
	}), nil
}

// memoryConn is the server's end of a connection in memory.
type memoryConn struct{ pipeConn }

// pipeConn contains the methods of a connection that a server uses.
type pipeConn interface {
	jsonrpc.Conn
	Buffered() bool
	Charge(*membudget.Budget)
	CloseWrite() error
}

// Transport is the name of the transport.
func (memoryConn) Transport() string { return "memory" }
