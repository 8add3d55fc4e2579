package mcphttpclient

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// conn is a connection to an [Endpoint]: a [dial.Requester]. Each request is an exchange on its
// caller's goroutine. A connection has no goroutines.
type conn struct {
	endpoint Endpoint
	url      *url.URL
	o        dial.Options
	http     http.RoundTripper
	own      bool // http is used by this connection only
	release  func()

	session  atomic.Pointer[string]            // nil without a session
	revision atomic.Pointer[protocol.Revision] // revision of the session
	fields   atomic.Pointer[fields]            // header fields of the last message
	opened   atomic.Bool                       // a GET stream of the session was open
	keepOpen atomic.Bool                       // the server leaves streams open after the reply

	mu      sync.Mutex
	closed  bool
	running map[*exchange]struct{}
}

// timeoutOnce limits the log about Client.Timeout.
var timeoutOnce sync.Once

func newConn(e Endpoint, u *url.URL, o dial.Options) *conn {
	c := &conn{endpoint: e, url: u, o: o, running: map[*exchange]struct{}{}}
	if e.Client == nil {
		c.own = true
		c.http, c.release = acquireTransport(o.Limits.HeaderBytes)
		return c
	}
	c.release = func() {}
	if c.http = e.Client.Transport; c.http == nil {
		c.http = http.DefaultTransport
	}
	if e.Client.Timeout > 0 && o.Logger != nil {
		timeoutOnce.Do(func() {
			o.Logger.Warn("mcphttpclient: Timeout of Endpoint.Client is not used, since it would end event streams; mcpclient.Limits has the times",
				slog.String("server", e.Name()))
		})
	}
	return c
}

// Close cancels all exchanges. It does not wait for the server.
func (c *conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	for e := range c.running {
		e.cancel(net.ErrClosed)
	}
	c.mu.Unlock()
	c.release()
	return nil
}

// exchange is one message to the server with its response, or one event stream. It ends when the
// context of the caller is cancelled, or the connection is closed.
type exchange struct {
	conn    *conn
	ctx     context.Context
	cancel  context.CancelCauseFunc
	message sending         // the body of the request
	authCtx context.Context // for the methods of the Authorizer: ctx with the Authorization of the request
}

func (c *conn) begin(ctx context.Context) (*exchange, error) {
	e := &exchange{conn: c}
	e.ctx, e.cancel = context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		e.cancel(nil)
		return nil, &dial.Error{Err: net.ErrClosed}
	}
	c.running[e] = struct{}{}
	return e, nil
}

// end releases the resources of an exchange.
func (e *exchange) end() {
	e.cancel(nil)
	e.conn.mu.Lock()
	defer e.conn.mu.Unlock()
	delete(e.conn.running, e)
}

// beginning returns a copy of the first bytes of data, for an error.
func beginning(data []byte) []byte { return append([]byte(nil), data[:min(len(data), 256)]...) }
