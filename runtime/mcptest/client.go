package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Client is a client of one server, for one test. Several requests may run concurrently.
type Client struct {
	t        testing.TB
	options  Options
	server   *mcp.Server
	revision *protocol.Revision
	client   *mcpclient.Client
	conn     jsonrpc.Conn
	wait     func() error
	ctx      context.Context // of the server; ends with the client
	stop     context.CancelCauseFunc
	gone     chan struct{} // closed at the end of the connection

	capabilities json.RawMessage // declared by the client

	background sync.WaitGroup
	closing    sync.Once
	sending    chan struct{} // has an element while a request is being passed to the connection

	mu         sync.Mutex
	closed     bool
	dialed     bool
	failure    error      // the reason for the end of the connection
	current    *request   // the request that is being passed to the connection
	cancelling []*request // requests whose cancellation is being sent
	logs       []mcpclient.LogMessage
	watches    []*Watch
	uris       map[string]int // number of watches of a session that include a resource
	hello      *mcpclient.DiscoverResult
}

// errClosed is the cause for closing the server's connection.
var errClosed = fmt.Errorf("the test is over: %w", mcp.ErrConnectionClosed)

// New connects a client to the server and closes it at the end of the test. The server may serve
// other clients at the same time.
func New(t testing.TB, server *mcp.Server, options Options) *Client {
	t.Helper()
	c := open(t, server.Connect, options)
	c.server = server
	return c
}

// open connects a client.
func open(t testing.TB, connect func(context.Context) (jsonrpc.Conn, func() error), options Options) *Client {
	t.Helper()
	c := &Client{t: t, options: options, gone: make(chan struct{}), sending: make(chan struct{}, 1), uris: map[string]int{}}
	if c.options.Timeout <= 0 {
		c.options.Timeout = time.Minute
	}
	if c.options.Client.Name == "" {
		c.options.Client.Name = "mcptest"
	}
	c.revision = protocol.All[len(protocol.All)-1]
	if options.Revision != "" {
		i := slices.IndexFunc(protocol.All, func(r *protocol.Revision) bool { return r.Version == options.Revision })
		if i < 0 {
			t.Fatalf("mcptest: unknown revision %q; there are %q", options.Revision, Revisions())
		}
		c.revision = protocol.All[i]
	}
	ctx := options.Context
	if ctx == nil {
		ctx = context.WithoutCancel(t.Context())
	}
	if who := options.Principal; who.ID != "" || who.Value != nil || who.Access != nil || !who.Expires.IsZero() {
		ctx = mcp.CallerContext(ctx, who, nil)
	}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	c.conn, c.wait = connect(c.ctx)
	t.Cleanup(c.Close)
	client, err := mcpclient.Connect(context.Background(), &target{c}, c.clientOptions())
	if err != nil {
		t.Fatalf("mcptest: initialize: %v", c.reason(err))
	}
	c.client = client
	if !c.revision.PerRequest {
		// After the next reply the server knows that the session is initialized: from then on it
		// sends list changes, and its handlers may send requests.
		c.must(protocol.Ping.String(), nil, nil)
		if c.options.LogLevel != "" {
			c.SetLogLevel(c.options.LogLevel)
		}
	}
	return c
}

// unbounded is a limit that no test reaches.
const unbounded = math.MaxInt32

// clientOptions returns the options of the underlying client. It sends each request once, caches no
// results, and applies only Options.Timeout, since a test examines the server.
func (c *Client) clientOptions() mcpclient.Options {
	rounds := time.Duration(1) // each has its own time
	if c.revision.PerRequest {
		rounds = maxRounds
	}
	timeout := c.options.Timeout
	o := mcpclient.Options{
		Info:         c.options.Client,
		Eras:         known{c.revision},
		Interceptors: []mcpclient.Interceptor{c.intercept},
		Cache:        noCache{},
		Retry:        mcpclient.Retry{Attempts: 1},
		Logger:       slog.New(slog.DiscardHandler), // the test gets the log as errors
		Limits: mcpclient.Limits{
			MessageBytes: unbounded, Depth: 10_000, ContentItems: unbounded,
			ListItems: unbounded, InFlight: unbounded, Questions: unbounded, Rounds: maxRounds, QueueBytes: unbounded,
			ConnectTime: timeout, RequestTime: timeout, MaxTime: rounds * timeout, QuestionTime: maxRounds * timeout, WriteTime: timeout,
		},
		OnProtocolError: c.violated,
	}
	if !c.revision.PerRequest {
		o.Revision = c.revision.Version
	}
	c.answer(&o)
	return o
}

// Revisions returns all revisions, oldest first, for tests that run in each of them.
func Revisions() []string {
	all := slices.Clone(protocol.Versions)
	slices.Reverse(all)
	return all
}

// Close closes the client: it cancels requests in flight, and waits for the server's end of the
// connection. It is called at the end of the test.
func (c *Client) Close() {
	c.t.Helper()
	c.closing.Do(func() {
		c.mu.Lock()
		c.closed = true
		dialed := c.dialed
		c.mu.Unlock()
		c.stop(errClosed)
		if c.client != nil {
			_ = c.client.Close()
		}
		_ = c.conn.Close() // ends the reading goroutine, if it exists
		if dialed {
			<-c.gone
		}
		c.background.Wait()
		// A server that still writes to a closing client gets an error, which must not fail the
		// test.
		if err := c.wait(); err != nil && !errors.Is(err, errClosed) && !errors.Is(err, io.ErrClosedPipe) {
			c.t.Errorf("mcptest: the server ended with: %v", err)
		}
	})
}

// enter reports whether the client is open. If it is, Close waits for c.background.Done.
func (c *Client) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.background.Add(1)
	return true
}

// Revision returns the protocol revision in use.
func (c *Client) Revision() string { return c.revision.Version }

// Server returns the server's description of itself; in revision 2026-07-28 it sends
// server/discover.
func (c *Client) Server() *mcpclient.DiscoverResult {
	c.t.Helper()
	switch {
	case c.hello != nil:
	case !c.revision.PerRequest:
		var err error
		if c.hello, err = c.client.Server(context.Background()); err != nil {
			c.t.Fatalf("mcptest: %v", c.reason(err))
		}
	default:
		var result struct {
			Versions     []string                   `json:"supportedVersions"`
			Capabilities map[string]json.RawMessage `json:"capabilities"`
			Instructions string                     `json:"instructions"`
			Meta         struct {
				Server mcp.ServerInfo `json:"io.modelcontextprotocol/serverInfo"`
			} `json:"_meta"`
		}
		c.must(protocol.Discover.String(), nil, &result)
		c.hello = &mcpclient.DiscoverResult{ServerInfo: result.Meta.Server, Capabilities: result.Capabilities, Versions: result.Versions}
		c.hello.Instructions = result.Instructions
	}
	return c.hello
}

// SetLogLevel sets the lowest level of log messages to receive: in a session by a request, in
// revision 2026-07-28 with each later request.
func (c *Client) SetLogLevel(level string) {
	c.t.Helper()
	if c.revision.PerRequest {
		c.mu.Lock()
		c.options.LogLevel = level
		c.mu.Unlock()
		return
	}
	c.must(protocol.SetLevel.String(), map[string]any{"level": level}, nil)
}

// RootsChanged notifies the server that the client's roots have changed, if the revision has such a
// notification.
func (c *Client) RootsChanged() {
	c.t.Helper()
	if slices.Contains(c.revision.ClientMessages.Notifications, protocol.RootsListChanged) {
		c.Notify(protocol.RootsListChanged, nil)
	}
}

// Logs returns the log messages since the last call. The log messages of a request arrive before
// its result.
func (c *Client) Logs() []mcpclient.LogMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	logs := c.logs
	c.logs = nil
	return logs
}

// marshal is json.Marshal without the escapes of HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// read decodes JSON from the server.
func read(data json.RawMessage, to any) error {
	if len(data) == 0 {
		return errors.New("it is missing")
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%w: %s", err, string(data))
	}
	return nil
}

// read decodes JSON from the server, or fails the test.
func (c *Client) read(data json.RawMessage, to any, what string) {
	c.t.Helper()
	if err := read(data, to); err != nil {
		c.t.Fatalf("mcptest: %s cannot be read: %v", what, err)
	}
}
