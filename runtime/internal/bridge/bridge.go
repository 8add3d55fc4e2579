// Package bridge lets the server of another library answer requests by a [mcp.Server], for the
// adapters below runtime/adapter. Each session of that library has a [Session]; a request of a
// revision without sessions has a connection of its own. Messages do not pass through a stream.
package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Bridge is a server in the form in which another library calls it. Its methods may be called by
// many goroutines.
type Bridge struct {
	host  transport.Server
	name  string
	ended chan struct{}
	once  sync.Once
}

// New returns a bridge to a server. name is the name of the transport, for handlers.
func New(server *mcp.Server, name string) *Bridge {
	return &Bridge{host: server.Transport(), name: name, ended: make(chan struct{})}
}

// Server returns the server's interface for transports.
func (b *Bridge) Server() transport.Server { return b.host }

// Close cancels all requests and running tasks. The Bridge cannot be used afterwards.
func (b *Bridge) Close() {
	b.once.Do(func() {
		close(b.ended)
		now, cancel := context.WithCancel(context.Background())
		cancel()
		_ = b.host.EndTasks(now) // the error only reports that now has expired
	})
}

// Request is a request to the server.
type Request struct {
	Method string
	Params []byte // a JSON object
	// Principal is a *mcp.Principal; nil if it is not known.
	Principal *mcp.Principal
	Header    map[string][]string
}

// Client is the connection of a running request to its client.
type Client interface {
	// Notify passes a notification on. It is called in the order of the notifications, on the
	// request goroutine.
	Notify(ctx context.Context, method string, params json.RawMessage)
	// Ask sends a request to the client, and returns its result. It runs in its own goroutine.
	Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
}

// Call sends a request of a revision without sessions, whose _meta is in its params, and waits for
// the result. An error of the server is a [*jsonrpc.Error]; if ctx is cancelled, which cancels the
// request, the error is the cause.
func (b *Bridge) Call(ctx context.Context, req *Request, client Client) (json.RawMessage, error) {
	conn := b.host.Open(ctx, transport.Options{Transport: b.name, Once: true, Ended: b.ended})
	c := &call{bridge: b, conn: conn, client: client, id: 1}
	return c.run(ctx, req, nil, conn.Cancel)
}

// Hello contains the values that a client sends when it opens a session.
type Hello struct {
	Revision     string
	Client       json.RawMessage // an Implementation
	Capabilities json.RawMessage
	// ID is the id of the library's session, or "".
	ID        string
	Principal *mcp.Principal
	Header    map[string][]string
}

// Session is a session of the library.
type Session struct {
	bridge *Bridge
	conn   transport.Conn
	out    *sink
	last   atomic.Int64
	ended  chan struct{}
	once   sync.Once
}

// Open opens a session. Notifications that do not belong to a request go to notify, in their order,
// until the session is closed.
func (b *Bridge) Open(ctx context.Context, hello *Hello, notify func(method string, params json.RawMessage)) (*Session, error) {
	s := &Session{bridge: b, out: newSink(b.host.Limits().QueueBytes), ended: make(chan struct{})}
	s.conn = b.host.Open(context.Background(), transport.Options{Transport: b.name, SessionID: hello.ID, Out: s.out, Ended: b.ended})
	params := append([]byte(nil), `{"protocolVersion":`...)
	params = wire.AppendString(params, hello.Revision)
	params = append(append(params, `,"capabilities":`...), either(hello.Capabilities, `{}`)...)
	params = append(append(params, `,"clientInfo":`...), either(hello.Client, `{"name":"unknown","version":"0"}`)...)
	req := &Request{
		Method: protocol.Initialize.String(), Params: append(params, '}'),
		Principal: hello.Principal, Header: hello.Header,
	}
	if _, err := s.Call(ctx, req, nil); err != nil {
		s.conn.Close()
		return nil, err
	}
	s.send(nil, notification(protocol.Initialized, nil))
	go s.passOn(notify)
	return s, nil
}

// either returns a JSON text, or the other one if it is empty.
func either(text json.RawMessage, otherwise string) []byte {
	if len(text) == 0 {
		return []byte(otherwise)
	}
	return text
}

// passOn passes on the notifications that do not belong to a request. Its goroutine exits with the
// session.
func (s *Session) passOn(notify func(method string, params json.RawMessage)) {
	for {
		select {
		case <-s.out.changed:
		case <-s.ended:
			return
		case <-s.bridge.ended:
			s.Close()
			return
		}
		messages, _ := s.out.take()
		for _, text := range messages {
			m, err := jsonrpc.Parse(text)
			switch {
			case err != nil:
			case m.Kind == jsonrpc.Request: // a ping, which the library answers for its own client
				s.send(nil, jsonrpc.AppendResult(nil, m.ID, json.RawMessage(`{}`)))
			default:
				notify(string(m.Method), m.Params.Raw)
			}
		}
	}
}

// Call sends a request of the session and waits for its result, like [Bridge.Call].
func (s *Session) Call(ctx context.Context, req *Request, client Client) (json.RawMessage, error) {
	c := &call{bridge: s.bridge, conn: s.conn, client: client, id: s.last.Add(1), values: ctx}
	return c.run(ctx, req, s.ended, func() {
		params := append([]byte(nil), `{"requestId":`...)
		s.send(req.Principal, notification(protocol.Cancelled, append(strconv.AppendInt(params, c.id, 10), '}')))
	})
}

// Notify sends a notification of the client.
func (s *Session) Notify(method string, params []byte) { s.send(nil, notification(method, params)) }

// send sends a message that is not a request.
func (s *Session) send(principal *mcp.Principal, text []byte) {
	_ = give(s.bridge.host, s.conn, principal, text) // a notification that is refused is lost
}

// Close closes the session and cancels all of its requests.
func (s *Session) Close() {
	s.once.Do(func() {
		close(s.ended)
		s.out.drop()
		s.conn.InputClosed()
		s.conn.Close()
	})
}

// notification returns a notification as text.
func notification(method string, params []byte) []byte {
	return jsonrpc.AppendNotification(nil, method, params)
}

// give passes a message that gets no reply to a connection. The error is the reason of a refusal.
func give(host transport.Server, conn transport.Conn, principal *mcp.Principal, text []byte) error {
	in := host.NewMessage()
	if err := parse(host, in, append(in.Buffer(), text...)); err != nil {
		return err
	}
	conn.Take(in, callerOf(context.Background(), principal, nil), newSink(0))
	return nil
}

// parse parses the text in the buffer of a message. It drops a message that is refused.
func parse(host transport.Server, in transport.Message, text []byte) error {
	var refused *jsonrpc.Error
	switch most := host.Limits().MessageBytes; {
	case len(text) > most:
		refused = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("message is longer than %d bytes", most)}
	case !in.Room(cap(text)):
		refused = errOverloaded
	default:
		refused = in.Parse(text)
	}
	if refused == nil {
		return nil
	}
	in.Drop()
	return refused
}

// callerOf returns the caller of a message. Its address is not known, since the library does not
// tell it.
func callerOf(values context.Context, principal *mcp.Principal, header map[string][]string) transport.Caller {
	from := transport.Caller{Values: values, Header: header}
	id := ""
	if principal != nil {
		from.Principal, id = principal, principal.ID
	}
	from.Client = clientlimit.Of(id, netip.Addr{})
	return from
}
