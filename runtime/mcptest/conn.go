package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// target is the server of a test. It accepts one connection: a lost connection must be visible to
// the test.
type target struct{ client *Client }

func (t *target) Name() string { return "server" }
func (t *target) Key() string  { return "mcptest" }

// AuthorizationContext reports that connections carry no credentials: the only connection has a
// principal.
func (t *target) AuthorizationContext() (context string, ok bool) { return "", false }

// Dial returns the connection.
func (t *target) Dial(context.Context, dial.Options) (dial.Conn, error) {
	c := t.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dialed {
		return nil, &dial.Error{Err: c.failure}
	}
	c.dialed = true
	return &tap{Conn: c.conn, client: c}, nil
}

// Capabilities merges Options.Capabilities into the implied capabilities.
func (t *target) Capabilities(implied []byte) (all []byte) {
	defer func() { t.client.capabilities = all }()
	override := t.client.options.Capabilities
	if len(override) == 0 {
		return implied
	}
	members := map[string]any{}
	if err := json.Unmarshal(implied, &members); err != nil {
		panic(err) // written by the client
	}
	for name, value := range override {
		if value == nil {
			delete(members, name)
		} else {
			members[name] = value
		}
	}
	data, err := marshal(members)
	if err != nil {
		t.client.t.Errorf("mcptest: Options.Capabilities: %v", err)
		return implied
	}
	return data
}

// known is an EraStore that contains the revision, so that the client does not probe the server.
type known struct{ revision *protocol.Revision }

func (k known) Get(string) (mcpclient.Era, bool) {
	data, err := marshal(map[string]any{"supportedVersions": []string{k.revision.Version}, "capabilities": map[string]any{}})
	return mcpclient.Era{Revision: k.revision.Version, Discover: data}, k.revision.PerRequest && err == nil
}
func (known) Put(string, mcpclient.Era) {}
func (known) Drop(string)               {}

// noCache is a cache that stores nothing.
type noCache struct{}

func (noCache) Get(mcpclient.CacheKey) (entry mcpclient.CacheEntry, ok bool) { return }
func (noCache) Put(mcpclient.CacheKey, mcpclient.CacheEntry)                 {}
func (noCache) Drop(func(mcpclient.CacheKey) bool)                           {}

// tap is a connection that shows its messages to the test: received ones before the client handles
// them, sent ones before they are written.
type tap struct {
	jsonrpc.Conn
	client *Client
}

// Read returns the next message.
func (t *tap) Read() ([]byte, error) {
	data, err := t.Conn.Read()
	if err != nil {
		t.client.ended(err)
		return nil, err
	}
	t.client.received(data)
	return data, nil
}

// Write writes messages, one per line.
func (t *tap) Write(batch []byte) error {
	if !t.client.enter() {
		return io.ErrClosedPipe
	}
	for line := range bytes.Lines(batch) {
		t.client.sent(bytes.TrimSuffix(line, []byte("\n")))
	}
	t.client.background.Done()
	return t.Conn.Write(batch)
}

// ended records the end of the connection.
func (c *Client) ended(err error) {
	c.mu.Lock()
	if c.failure != nil {
		c.mu.Unlock()
		return
	}
	if c.failure = errors.New("the server has ended the connection"); !errors.Is(err, io.EOF) {
		c.failure = fmt.Errorf("%w: %w", c.failure, err)
	}
	watches := slices.Clone(c.watches)
	c.mu.Unlock()
	close(c.gone)
	for _, w := range watches {
		w.end(c.failure)
	}
}

// received shows a message of the server to the test. The client reports violations in it. After
// the end of the test it ignores the message.
func (c *Client) received(data []byte) {
	if !c.enter() {
		return
	}
	defer c.background.Done()
	if f := c.options.OnMessage; f != nil {
		f(true, data)
	}
	m, err := jsonrpc.Parse(data)
	if err != nil || m.Kind != jsonrpc.Notification {
		return
	}
	method, params := string(m.Method), bytes.Clone(m.Params.Raw)
	if f := c.options.OnNotification; f != nil {
		f(method, params)
	}
	switch method {
	case protocol.LogMessage:
		var l mcpclient.LogMessage
		if read(params, &l) != nil {
			return
		}
		c.mu.Lock()
		c.logs = append(c.logs, l)
		c.mu.Unlock()
		if f := c.options.OnLog; f != nil {
			f(l)
		}
	case mcpclient.ToolsChanged, mcpclient.PromptsChanged, mcpclient.ResourcesChanged, mcpclient.ResourceUpdated, protocol.Acknowledged:
		c.changed(method, params)
	}
}

// sent shows a message of the client to the test, and records the identifier of a request.
func (c *Client) sent(data []byte) {
	if f := c.options.OnMessage; f != nil {
		f(false, data)
	}
	m, err := jsonrpc.Parse(data)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case m.Kind == jsonrpc.Request && c.current != nil:
		q := c.current
		q.write(m.ID.String())
		c.current = nil
		<-c.sending
	case m.Kind == jsonrpc.Notification && string(m.Method) == protocol.Cancelled:
		id := string(m.Params.Get("requestId"))
		c.cancelling = slices.DeleteFunc(c.cancelling, func(q *request) bool {
			if q.id == id {
				close(q.cancelled)
			}
			return q.id == id
		})
	}
}

// violated fails the test because of a protocol violation.
func (c *Client) violated(err error) {
	if !c.enter() {
		return
	}
	defer c.background.Done()
	c.t.Errorf("mcptest: %v", c.reason(err))
}
