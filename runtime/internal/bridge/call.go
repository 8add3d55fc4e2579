package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// call is one request. Only the goroutine that runs [call.run] changes its fields, except for asks,
// which mu guards.
type call struct {
	bridge *Bridge
	conn   transport.Conn
	client Client
	id     int64
	values context.Context // for handlers; nil if the connection has them

	principal *mcp.Principal

	mu   sync.Mutex
	asks map[string]context.CancelFunc // questions to the client, by their ids
}

var (
	errOverloaded = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "overloaded: there is no room for this message"}
	errNoReply    = errors.New("the request has got no reply")
)

// run sends the request, and returns its result.
func (c *call) run(ctx context.Context, req *Request, ended <-chan struct{}, cancel func()) (json.RawMessage, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	select {
	case <-ended:
		return nil, mcp.ErrConnectionClosed
	case <-c.bridge.ended:
		return nil, mcp.ErrConnectionClosed
	default:
	}
	c.principal = req.Principal
	out := newSink(c.bridge.host.Limits().QueueBytes)
	if err := c.send(req, out); err != nil {
		return nil, err
	}
	defer out.drop()
	defer c.cancelAsks()
	for {
		select {
		case <-out.changed:
		case <-ctx.Done():
			cancel()
			return nil, context.Cause(ctx)
		case <-ended:
			return nil, mcp.ErrConnectionClosed
		case <-c.bridge.ended:
			c.conn.Cancel()
			return nil, mcp.ErrConnectionClosed
		}
		// If the session or bridge is closed, handlers return, and a reply that follows is dropped.
		select {
		case <-ended:
			return nil, mcp.ErrConnectionClosed
		case <-c.bridge.ended:
			return nil, mcp.ErrConnectionClosed
		default:
		}
		messages, reply := out.take()
		for _, text := range messages {
			c.receive(ctx, text)
		}
		if reply != nil {
			return result(*reply)
		}
	}
}

// send sends the request to the server.
func (c *call) send(req *Request, out *sink) error {
	host := c.bridge.host
	in := host.NewMessage()
	buffer := in.Buffer()
	text := append(buffer, `{"jsonrpc":"2.0","id":`...)
	text = strconv.AppendInt(text, c.id, 10)
	text = append(text, `,"method":`...)
	text = wire.AppendString(text, req.Method)
	text = append(append(append(text, `,"params":`...), req.Params...), '}')
	if err := parse(host, in, text); err != nil {
		return err
	}
	c.conn.Take(in, callerOf(c.values, req.Principal, req.Header), out)
	return nil
}

// receive handles a message of the request: a notification, or a request to the client.
func (c *call) receive(ctx context.Context, text []byte) {
	m, err := jsonrpc.Parse(text)
	switch {
	case err != nil || c.client == nil:
	case m.Kind == jsonrpc.Request:
		c.ask(ctx, m.ID, string(m.Method), m.Params.Raw)
	case string(m.Method) == protocol.Cancelled:
		c.mu.Lock()
		cancel := c.asks[string(m.Params.Get("requestId"))]
		c.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	default:
		c.client.Notify(ctx, string(m.Method), m.Params.Raw)
	}
}

// ask asks the client, and sends its answer to the server.
func (c *call) ask(ctx context.Context, id jsonrpc.ID, method string, params json.RawMessage) {
	ctx, cancel := context.WithCancel(ctx)
	key := string(id.Raw())
	c.mu.Lock()
	if c.asks == nil {
		c.asks = map[string]context.CancelFunc{}
	}
	c.asks[key] = cancel
	c.mu.Unlock()
	go func() {
		answer, err := c.client.Ask(ctx, method, params)
		c.mu.Lock()
		delete(c.asks, key)
		c.mu.Unlock()
		cancel()
		// Without a reply the handler would wait for ever, so an answer that the server refuses
		// becomes an error.
		if err == nil {
			err = give(c.bridge.host, c.conn, c.principal, jsonrpc.AppendResult(nil, id, wire.AppendCompact(nil, answer)))
		}
		if err == nil {
			return
		}
		e, ok := errors.AsType[*jsonrpc.Error](err)
		if !ok {
			e = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: err.Error()}
		}
		if err := give(c.bridge.host, c.conn, c.principal, jsonrpc.AppendError(nil, id, e)); err != nil {
			e = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "the error of the client is refused: " + err.Error()}
			_ = give(c.bridge.host, c.conn, c.principal, jsonrpc.AppendError(nil, id, e))
		}
	}()
}

// cancelAsks cancels the open questions when the request is done.
func (c *call) cancelAsks() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.asks {
		cancel()
	}
}

// result returns the result of a reply. An empty reply means that the request was cancelled.
func result(reply []byte) (json.RawMessage, error) {
	if len(reply) == 0 {
		return nil, errNoReply
	}
	m, err := jsonrpc.Parse(reply)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read reply: %w", err)
	case m.Error != nil:
		return nil, readError(m.Error)
	}
	return m.Result, nil
}

// readError reads the error of a reply.
func readError(object json.RawMessage) error {
	var e jsonrpc.Error
	jsonrpc.Members(object, func(name, value []byte) bool {
		switch string(name) {
		case "code":
			e.Code, _ = strconv.Atoi(string(value))
		case "message":
			e.Message, _ = jsonrpc.String(value)
		case "data":
			e.Data = value
		}
		return true
	})
	return &e
}
