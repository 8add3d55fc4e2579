package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	// ErrNoAnswer says that the client has not answered a question within
	// [Limits.QuestionTime].
	ErrNoAnswer = errors.New("no answer from the client")

	errPingTimeout    = errors.New("client does not answer pings")
	errNotInitialized = errors.New("ask the client: it has not sent " + protocol.Initialized)
)

// ClientError is the error with which a client answers a question. The code -1
// means that the user has refused (client/sampling, errors).
type ClientError struct {
	Code    int
	Message string
	Data    json.RawMessage // nil where there is none
}

// Error returns message and code.
func (e *ClientError) Error() string {
	return "the client answered with an error: " + e.Message + " (" + strconv.Itoa(e.Code) + ")"
}

// openRequests are the requests of the server that wait for an answer of the
// client. The identifiers are the server's own, and not used twice.
type openRequests struct {
	last   int64
	open   map[jsonrpc.Key]chan<- clientAnswer // nil channel: nobody waits
	ping   jsonrpc.Key                         // of the latest ping
	closed bool                                // nobody can answer any more
}

// clientAnswer is a result, or what came in its place.
type clientAnswer struct {
	result  json.RawMessage
	err     error
	charged int // bytes, until the call ends that gets it
}

// add enters a request, whose answer goes to the channel.
func (r *openRequests) add(answer chan<- clientAnswer) jsonrpc.ID {
	if r.open == nil {
		r.open = map[jsonrpc.Key]chan<- clientAnswer{}
	}
	r.last++
	id := jsonrpc.Int(r.last)
	r.open[id.Key()] = answer
	return id
}

// response takes the answer to a request of the server.
func (c *conn) response(m *jsonrpc.Message) {
	answer := clientAnswer{charged: len(m.Result) + len(m.Error)}
	switch {
	case !c.server.memory.Take(answer.charged):
		answer = clientAnswer{err: protocolError(errOverloaded)}
	case m.Error != nil:
		answer.err = readClientError(m.Error)
	default:
		answer.result = append(json.RawMessage(nil), m.Result...)
	}
	if !c.deliver(m.ID, answer) {
		c.server.log.Client(c.ctx, slog.LevelWarn, "response to no request dropped", slog.String("id", m.ID.String()))
	}
}

// answered hands an answer to whoever waits for it, and reports whether it
// belongs to a request of the server.
func (c *conn) deliver(id jsonrpc.ID, answer clientAnswer) bool {
	key := id.Key()
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, ok := c.requests.open[key]
	delete(c.requests.open, key)
	if waiting != nil {
		waiting <- answer // it has room for one
	} else {
		c.server.memory.Release(answer.charged)
	}
	return ok
}

func readClientError(object []byte) *ClientError {
	e := &ClientError{Code: jsonrpc.CodeInternal, Message: "no message"}
	jsonrpc.Members(object, func(name, value []byte) bool {
		switch string(name) {
		case "code":
			if n, err := strconv.Atoi(string(value)); err == nil {
				e.Code = n
			}
		case "message":
			if text, ok := jsonrpc.String(value); ok {
				e.Message = text
			}
		case "data":
			e.Data = append(json.RawMessage(nil), value...)
		}
		return true
	})
	return e
}

// inputClosed fails the requests that wait for the client, which has ended its input.
func (c *conn) inputClosed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests.closed = true
	for key, waiting := range c.requests.open {
		delete(c.requests.open, key)
		if waiting != nil {
			waiting <- clientAnswer{err: fmt.Errorf("ask the client: %w", ErrConnectionClosed)}
		}
	}
}

// sendRequest sends a request that belongs to x and waits for the answer. The clock of
// the handler stands still in the meantime. Where the waiting ends otherwise, the
// client is told so (basic/utilities/cancellation).
func (x *exchange) sendRequest(ctx context.Context, method string, params []byte) (json.RawMessage, error) {
	defer x.pauseClock()()
	answer := make(chan clientAnswer, 1)
	x.sink.Wait()
	id, err := x.openRequest(method, params, answer)
	x.sink.Flush()
	if err != nil {
		return nil, err
	}
	within := x.conn.server.limits.QuestionTime
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case a := <-answer:
		x.addCharge(a.charged)
		return a.result, a.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-x.ctx.Done():
		err = context.Cause(&x.ctx)
	case <-timer.C:
		err = fmt.Errorf("%w within %v", ErrNoAnswer, within)
	}
	x.cancelRequest(id, err)
	select {
	case a := <-answer: // which has come at the last moment
		x.addCharge(a.charged)
	default:
	}
	return nil, err
}

// openRequest queues a request for the client.
func (x *exchange) openRequest(method string, params []byte, answer chan<- clientAnswer) (jsonrpc.ID, error) {
	c := x.conn
	peer, _ := x.sink.(transport.PeerWatcher)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closing || c.requests.closed, peer != nil && peer.PeerGone():
		return jsonrpc.ID{}, fmt.Errorf("ask the client: %w", ErrConnectionClosed)
	case x.answered:
		return jsonrpc.ID{}, ErrNoCall
	case c.session != nil && !c.session.initialized:
		return jsonrpc.ID{}, errNotInitialized
	case len(c.requests.open) >= c.server.limits.OpenQuestions:
		return jsonrpc.ID{}, fmt.Errorf("ask the client: %d questions are open", len(c.requests.open))
	}
	id := c.requests.add(answer)
	x.sink.Notify(jsonrpc.AppendRequest(nil, id, method, params))
	return id, nil
}

// giveUp tells the client that its answer is no longer of use.
func (x *exchange) cancelRequest(id jsonrpc.ID, cause error) {
	c := x.conn
	c.mu.Lock()
	_, open := c.requests.open[id.Key()]
	delete(c.requests.open, id.Key())
	silent := !open || c.closing || c.requests.closed
	c.mu.Unlock()
	if silent {
		return
	}
	b := append([]byte(nil), `{"requestId":`...)
	b = append(b, id.Raw()...)
	b = append(b, `,"reason":`...)
	b = wire.AppendString(b, cause.Error())
	b = append(b, '}')
	x.sink.Notify(jsonrpc.AppendNotification(nil, protocol.Cancelled, b))
	x.sink.Flush()
}

// emit sends a notification that belongs to the request, unless that has been
// answered. It waits for room where the client reads slowly. Where the server has no
// room, the notification is dropped: who waits for that could hold what others wait
// for.
func (x *exchange) emit(message []byte) {
	x.sink.Wait()
	if x.conn.server.memory.Short() {
		x.sink.Flush() // after Wait
		return
	}
	c := x.conn
	c.mu.Lock()
	if !x.answered {
		x.sink.Notify(message)
	}
	c.mu.Unlock()
	x.sink.Flush()
}

// watch pings a client with a session that says nothing, and ends the connection
// where that does not make it say something (basic/utilities/ping). It waits for
// nobody.
func (c *conn) watch(out sink, every time.Duration, silent func()) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	pinged := false
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-ticker.C:
		}
		switch l, ok := out.(transport.Listener); {
		case c.received.Swap(false), ok && !l.Listening():
			pinged = false
		case pinged:
			silent()
			return
		default:
			pinged = c.ping(out)
		}
	}
}

// ping sends a ping whose answer nobody waits for.
func (c *conn) ping(out sink) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil || c.closing || c.requests.closed {
		return false
	}
	delete(c.requests.open, c.requests.ping) // a client may go on without an answer
	id := c.requests.add(nil)
	c.requests.ping = id.Key()
	out.Notify(jsonrpc.AppendRequest(nil, id, protocol.Ping.String(), nil))
	out.FlushAsync()
	return true
}

// notify sends a notification that belongs to no request, from a goroutine that
// may wait.
func (c *conn) notify(message []byte) {
	if c.out == nil || c.isClosing() {
		return
	}
	c.out.Wait()
	c.out.Notify(message)
	c.out.Flush()
}
