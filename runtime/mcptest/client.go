package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Client is a client of one server, for one test. Requests may be started while
// others run.
type Client struct {
	t        testing.TB
	server   *mcp.Server
	options  Options
	revision *protocol.Revision
	conn     jsonrpc.Conn
	wait     func() error
	ctx      context.Context // ends with the client
	stop     context.CancelCauseFunc
	gone     chan struct{} // closed at the end of the connection

	writing    sync.Mutex
	background sync.WaitGroup
	closing    sync.Once

	mu        sync.Mutex
	closed    bool
	failure   error // why the connection ended
	last      int64 // identifier of a request
	waiting   map[string]*reply
	progress  map[string]func(Progress) // by token, nil for requests that have ended
	answering map[string]context.CancelFunc
	logs      []LogMessage
	watches   []*Watch
	uris      map[string]int // how many watches of a session include a resource
	hello     *ServerInfo
}

// errClosed is the cause with which the connection of the server ends.
var errClosed = fmt.Errorf("the test is over: %w", mcp.ErrConnectionClosed)

// New connects a client to the server and closes it at the end of the test. The server
// may serve other clients at the same time.
func New(t testing.TB, server *mcp.Server, options Options) *Client {
	t.Helper()
	c := &Client{
		t: t, server: server, options: options, gone: make(chan struct{}),
		waiting: map[string]*reply{}, progress: map[string]func(Progress){},
		answering: map[string]context.CancelFunc{}, uris: map[string]int{},
	}
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
	c.ctx, c.stop = context.WithCancelCause(ctx)
	c.conn, c.wait = server.Connect(c.ctx)
	go c.listen()
	t.Cleanup(c.Close)
	if !c.revision.PerRequest {
		c.initialize()
	}
	return c
}

// Revisions returns all revisions, the oldest first, for tests that run in each of
// them.
func Revisions() []string {
	all := slices.Clone(protocol.Versions)
	slices.Reverse(all)
	return all
}

// Close closes the client: it cancels the requests that still run, and waits for the
// server's end of the connection. It is called at the end of the test.
func (c *Client) Close() {
	c.t.Helper()
	c.closing.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.stop(errClosed)
		_ = c.conn.Close() // ends the goroutine that reads
		<-c.gone
		c.background.Wait()
		// A server that still writes to a closing client gets an error, which must not
		// fail the test.
		if err := c.wait(); err != nil && !errors.Is(err, errClosed) && !errors.Is(err, io.ErrClosedPipe) {
			c.t.Errorf("mcptest: the server ended with: %v", err)
		}
	})
}

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// Revision returns the protocol revision in use.
func (c *Client) Revision() string { return c.revision.Version }

// initialize opens the session.
func (c *Client) initialize() {
	c.t.Helper()
	raw, err := c.Request(protocol.Initialize.String(), map[string]any{
		"protocolVersion": c.revision.Version, "capabilities": c.capabilities(), "clientInfo": c.implementation(),
	})
	if err != nil {
		c.t.Fatalf("mcptest: initialize: %v", err)
	}
	var result struct {
		Version      string                     `json:"protocolVersion"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
		Server       Implementation             `json:"serverInfo"`
		Instructions string                     `json:"instructions"`
	}
	c.read(raw, &result, "the result of initialize")
	if result.Version != c.revision.Version {
		c.t.Fatalf("mcptest: the server answers initialize with revision %q, want %q", result.Version, c.revision.Version)
	}
	c.hello = &ServerInfo{Implementation: result.Server, Instructions: result.Instructions, Capabilities: result.Capabilities}
	c.Notify(protocol.Initialized, nil)
	// After the next reply the server has seen the notification: from here on it sends
	// list changes, and its handlers may send requests.
	c.must(protocol.Ping.String(), nil, nil)
	if c.options.LogLevel != "" {
		c.SetLogLevel(c.options.LogLevel)
	}
}

func (c *Client) implementation() map[string]any {
	info := map[string]any{"name": c.options.Client.Name, "version": "0"}
	if v := c.options.Client.Version; v != "" {
		info["version"] = v
	}
	if title := c.options.Client.Title; title != "" && c.revision.Fields.Title {
		info["title"] = title
	}
	return info
}

// Server returns the server's description of itself; in revision 2026-07-28 it sends
// server/discover.
func (c *Client) Server() *ServerInfo {
	c.t.Helper()
	if c.hello == nil {
		var result struct {
			Versions     []string                   `json:"supportedVersions"`
			Capabilities map[string]json.RawMessage `json:"capabilities"`
			Instructions string                     `json:"instructions"`
			Meta         struct {
				Server Implementation `json:"io.modelcontextprotocol/serverInfo"`
			} `json:"_meta"`
		}
		c.must(protocol.Discover.String(), nil, &result)
		c.hello = &ServerInfo{
			Implementation: result.Meta.Server, Instructions: result.Instructions,
			Capabilities: result.Capabilities, Versions: result.Versions,
		}
	}
	return c.hello
}

// SetLogLevel sets the lowest level of log messages that the client gets: in a session
// by a request, in revision 2026-07-28 with each later request.
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

// RootsChanged notifies the server that the client's roots have changed, if the
// revision has such a notification.
func (c *Client) RootsChanged() {
	c.t.Helper()
	if slices.Contains(c.revision.ClientMessages.Notifications, protocol.RootsListChanged) {
		c.Notify(protocol.RootsListChanged, nil)
	}
}

// Logs returns the log messages since the last call. Those of a request arrive before
// its result.
func (c *Client) Logs() []LogMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	logs := c.logs
	c.logs = nil
	return logs
}

// send writes one message.
func (c *Client) send(message any) error {
	data, err := marshal(message)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if f := c.options.OnMessage; f != nil {
		f(false, data)
	}
	return c.conn.Write(append(data, '\n'))
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

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
