package mcptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// incoming is a message of the server.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
}

// wireError is the JSON form of an error.
type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// reply is the reply of the server to one request.
type reply struct {
	done   chan struct{} // closed when it has arrived
	result json.RawMessage
	err    error
}

// listen reads messages of the server until the connection ends.
func (c *Client) listen() {
	var err error
	for {
		var data []byte
		if data, err = c.conn.Read(); err != nil {
			break
		}
		if broken := c.receive(append([]byte(nil), data...)); broken != nil {
			c.t.Errorf("mcptest: %v: %s", broken, data)
		}
	}
	c.mu.Lock()
	if c.failure = errors.New("the server has ended the connection"); !errors.Is(err, io.EOF) {
		c.failure = fmt.Errorf("%w: %w", c.failure, err)
	}
	watches := c.watches
	c.mu.Unlock()
	close(c.gone)
	for _, w := range watches {
		w.end(c.failure)
	}
}

// receive handles one message. If the client is closed, it ignores the message. The
// error says what is wrong with the message.
func (c *Client) receive(data []byte) error {
	if c.isClosed() {
		return nil
	}
	if f := c.options.OnMessage; f != nil {
		f(true, data)
	}
	var m incoming
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("the server sent an invalid message: %w", err)
	}
	switch {
	case m.Method != "" && m.ID != nil:
		if c.revision.ServerRequests.Rounds {
			return fmt.Errorf("the server sent a request, which revision %s does not have", c.revision.Version)
		}
		c.answerRequest(m.ID, m.Params, m.Method)
		return nil
	case m.Method != "":
		return c.notified(&m)
	}
	c.mu.Lock()
	r, known := c.waiting[string(m.ID)]
	delete(c.waiting, string(m.ID))
	c.mu.Unlock()
	switch {
	case !known:
		return errors.New("the server answered an unknown request")
	case r == nil:
		return nil // the request was cancelled before its reply arrived
	case m.Error != nil:
		r.err = &jsonrpc.Error{Code: m.Error.Code, Message: m.Error.Message, Data: m.Error.Data}
	case m.Result == nil:
		r.err = errors.New("the answer has neither a result nor an error")
	default:
		r.result = m.Result
	}
	close(r.done)
	return nil
}

// notified handles a notification.
func (c *Client) notified(m *incoming) error {
	if f := c.options.OnNotification; f != nil {
		f(m.Method, m.Params)
	}
	switch m.Method {
	case protocol.Progress:
		return c.progressed(m.Params)
	case protocol.LogMessage:
		var l LogMessage
		if err := read(m.Params, &l); err != nil {
			return err
		}
		c.mu.Lock()
		c.logs = append(c.logs, l)
		c.mu.Unlock()
		if f := c.options.OnLog; f != nil {
			f(l)
		}
	case protocol.Cancelled:
		return c.cancelled(m.Params)
	case protocol.ToolsListChanged, protocol.PromptsListChanged, protocol.ResourcesListChanged,
		protocol.ResourceUpdated, protocol.Acknowledged:
		return c.changed(m)
	}
	return nil
}

func (c *Client) progressed(params json.RawMessage) error {
	var p struct {
		Token json.RawMessage `json:"progressToken"`
		Progress
	}
	if err := read(params, &p); err != nil {
		return err
	}
	c.mu.Lock()
	f, known := c.progress[string(p.Token)]
	c.mu.Unlock()
	if !known {
		return errors.New("the server sent progress for a request without a progress token")
	}
	if f != nil {
		f(p.Progress)
	}
	return nil
}

// cancelled handles the cancellation of a request of the server, or of a
// subscriptions/listen request that it has ended.
func (c *Client) cancelled(params json.RawMessage) error {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if err := read(params, &p); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.answering[string(p.ID)]; ok {
		delete(c.answering, string(p.ID))
		cancel()
	}
	return nil
}
