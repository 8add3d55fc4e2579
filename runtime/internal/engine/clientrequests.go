package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	errPingTimeout    = errors.New("client does not answer pings")
	errNotInitialized = errors.New("ask the client: it has not sent " + protocol.Initialized)
)

// This file sends requests to the client: questions of handlers, in revisions where the server
// sends requests, and pings. [Exchange.RoundTrip] runs on a handler goroutine and waits; the
// goroutine that reads delivers the answer ([Conn.response]). Conn.mu guards the table of open
// requests.

// openRequests are the requests of the server that wait for an answer of the client. The server
// chooses their ids, and does not use an id twice.
type openRequests struct {
	last   int64
	prefix string                                // prefix of ids, which are then strings
	open   map[jsonrpc.IDKey]chan<- clientAnswer // contains a nil channel for a request without a goroutine that waits
	ping   jsonrpc.IDKey                         // key of the latest ping
	closed bool                                  // the client has closed its input
}

// clientAnswer is a result or an error.
type clientAnswer struct {
	result  json.RawMessage
	failure json.RawMessage // the error object
	err     error           // set if there is no answer
	charged int             // bytes that the call is charged for
}

// add adds a request. The channel receives its answer.
func (r *openRequests) add(answer chan<- clientAnswer) jsonrpc.ID {
	if r.open == nil {
		r.open = map[jsonrpc.IDKey]chan<- clientAnswer{}
	}
	r.last++
	id := jsonrpc.IntID(r.last)
	if r.prefix != "" {
		id = jsonrpc.TextID(r.prefix + strconv.FormatInt(r.last, 10))
	}
	r.open[id.Key()] = answer
	return id
}

// response handles the answer to a request of the server.
func (c *Conn) response(m *jsonrpc.Message) {
	answer := clientAnswer{charged: len(m.Result) + len(m.Error)}
	switch {
	case !c.Settings.Memory.Take(answer.charged):
		answer = clientAnswer{err: ErrOverloaded}
	case m.Error != nil:
		answer.failure = append(json.RawMessage(nil), m.Error...)
	default:
		answer.result = append(json.RawMessage(nil), m.Result...)
	}
	if !c.deliver(m.ID, answer) {
		c.Settings.Log.Client(c.Ctx, slog.LevelWarn, "response to no request dropped", slog.String("id", m.ID.String()))
	}
}

// deliver sends an answer to the goroutine that waits for it. It reports whether the answer belongs
// to a request of the server.
func (c *Conn) deliver(id jsonrpc.ID, answer clientAnswer) bool {
	key := id.Key()
	c.mu.Lock()
	waiting, ok := c.requests.open[key]
	delete(c.requests.open, key)
	c.mu.Unlock()
	if waiting != nil {
		waiting <- answer // does not block: the channel has a buffer for one
	} else {
		c.Settings.Memory.Release(answer.charged)
	}
	return ok
}

// InputClosed fails the requests that wait for the client, after the client closes its input.
func (c *Conn) InputClosed() {
	c.mu.Lock()
	c.requests.closed = true
	open := slices.Collect(maps.Values(c.requests.open))
	clear(c.requests.open)
	c.mu.Unlock()
	for _, waiting := range open {
		if waiting != nil {
			waiting <- clientAnswer{err: fmt.Errorf("ask the client: %w", ErrConnectionClosed)}
		}
	}
}

// RoundTrip sends a request that belongs to x, and waits for the answer: a result, or an error
// object. sent, which may be nil, is called with the id of the request. If the wait ends without an
// answer, RoundTrip cancels the request (basic/utilities/cancellation).
func (x *Exchange) RoundTrip(ctx context.Context, method string, params []byte, sent func(jsonrpc.ID)) (result, failure json.RawMessage, err error) {
	answer := make(chan clientAnswer, 1)
	x.Sink.Wait()
	id, err := x.openRequest(method, params, answer)
	x.Sink.Flush()
	if err != nil {
		return nil, nil, err
	}
	if sent != nil {
		sent(id)
	}
	within := x.conn.Settings.Limits.QuestionTime
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case a := <-answer:
		x.AddCharge(a.charged)
		return a.result, a.failure, a.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-x.Ctx.Done():
		err = context.Cause(&x.Ctx)
	case <-timer.C:
		err = fmt.Errorf("%w within %v", ErrNoAnswer, within)
	}
	if !x.cancelRequest(id, err) {
		a := <-answer // the answer has just arrived: the goroutine that has removed the request sends it
		x.AddCharge(a.charged)
	}
	return nil, nil, err
}

// openRequest queues a request for the client.
func (x *Exchange) openRequest(method string, params []byte, answer chan<- clientAnswer) (jsonrpc.ID, error) {
	c := x.conn
	peer, _ := x.Sink.(transport.PeerWatcher)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closing.Load() || c.requests.closed, peer != nil && peer.PeerGone():
		return jsonrpc.ID{}, fmt.Errorf("ask the client: %w", ErrConnectionClosed)
	case x.answered:
		return jsonrpc.ID{}, ErrNoCall
	case c.Session != nil && !c.Session.initialized:
		return jsonrpc.ID{}, errNotInitialized
	case len(c.requests.open) >= c.Settings.Limits.OpenQuestions:
		return jsonrpc.ID{}, fmt.Errorf("ask the client: %d questions are open", len(c.requests.open))
	}
	id := c.requests.add(answer)
	x.Sink.Notify(jsonrpc.AppendRequest(nil, id, method, params))
	return id, nil
}

// cancelRequest sends notifications/cancelled for a request of the server. It returns false if the
// request is no longer open; its channel then gets an answer.
func (x *Exchange) cancelRequest(id jsonrpc.ID, cause error) (wasOpen bool) {
	c := x.conn
	c.mu.Lock()
	_, open := c.requests.open[id.Key()]
	delete(c.requests.open, id.Key())
	silent := !open || c.closing.Load() || c.requests.closed
	c.mu.Unlock()
	if silent {
		return open
	}
	b := append([]byte(nil), `{"requestId":`...)
	b = append(b, id.Raw()...)
	b = append(b, `,"reason":`...)
	b = wire.AppendString(b, cause.Error())
	b = append(b, '}')
	x.Sink.Notify(jsonrpc.AppendNotification(nil, protocol.Cancelled, b))
	x.Sink.Flush()
	return true
}

// Emit sends a notification of the request, unless the request has its reply. If the client reads
// slowly, Emit waits for room in its queue. If the server has no memory left, it drops the
// notification: a request that waited for memory could hold memory that other requests wait for.
func (x *Exchange) Emit(message []byte) {
	x.Sink.Wait()
	if x.conn.Settings.Memory.Short() {
		x.Sink.Flush() // wakes the next goroutine, since Wait has let this one pass
		return
	}
	c := x.conn
	c.mu.Lock()
	if !x.answered {
		x.Sink.Notify(message)
	}
	c.mu.Unlock()
	x.Sink.Flush()
}

// Watch sends a ping if a client with a session has not sent anything for the time every, and calls
// silent if it does not send anything for that time again (basic/utilities/ping). It runs in its
// own goroutine, and does not wait for writers.
func (c *Conn) Watch(out Sink, every time.Duration, silent func()) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	pinged := false
	for {
		select {
		case <-c.Ctx.Done():
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

// ping sends a ping, and reports whether it could. No goroutine waits for the answer.
func (c *Conn) ping(out Sink) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Session == nil || c.closing.Load() || c.requests.closed {
		return false
	}
	delete(c.requests.open, c.requests.ping) // a client may send messages without ever answering pings
	id := c.requests.add(nil)
	c.requests.ping = id.Key()
	out.Notify(jsonrpc.AppendRequest(nil, id, protocol.Ping.String(), nil))
	out.FlushAsync()
	return true
}

// Send sends a notification that does not belong to a request. It may wait.
func (c *Conn) Send(message []byte) {
	if c.Out == nil || c.closing.Load() {
		return
	}
	c.Out.Wait()
	c.Out.Notify(message)
	c.Out.Flush()
}

// NotifySession queues a message of the session, unless the connection is closing. It does not
// wait. number is the number of its notice, or 0: a client that resumes after it must have got all
// notices before.
func (c *Conn) NotifySession(message []byte, number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing.Load() {
		return
	}
	if numbered, ok := c.Out.(transport.Numberer); ok && number > 0 {
		numbered.NotifyNumbered(message, number)
	} else {
		c.Out.Notify(message)
	}
}
