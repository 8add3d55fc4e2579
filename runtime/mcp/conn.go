package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/outbox"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// sink is where the replies to requests go: the outbox of a connection, a batch, or the
// stream of another transport.
type sink = transport.Sink

// conn is one client: its session, if it has opened one, and its requests in flight. It does
// not depend on the transport: messages come by [conn.receive] or [transportConn.Take], on the
// goroutine that reads, and replies leave by the sink that came with them, from the
// goroutines of the requests. mu guards what is below it. It is held while a reply is queued,
// so that nothing of a request follows its reply, and never while something waits.
type conn struct {
	server *Server
	ctx    context.Context // ends with the connection
	stop   context.CancelCauseFunc
	out    sink        // for messages that belong to no request; may be nil
	caller *caller     // who is at the other end, for transports with one stream
	heard  atomic.Bool // something has come since [conn.watch] looked
	clocks *clocks     // of the requests, maybe with those of other connections
	number uint64      // of this connection in the process; 0 where messages say whose they are

	mu       sync.Mutex
	session  *session // nil until the client has sent initialize
	latest   *protocol.Revision
	recent   *client // of the latest request without a session
	inflight flight
	kept     int           // bytes charged for the session
	running  int           // handlers, answered or not
	active   atomic.Int32  // those of them that do not stand (see stand.go); read without the lock
	idle     chan struct{} // closed when none is left; nil while nobody waits
	closing  bool          // nothing is taken any more
	requests openRequests  // of the server to the client

	subscriptions int             // to resources, of the session and of all listens
	subscribed    int             // bytes of them
	shared        bool            // all requests share one channel
	turns         *turns          // of the replies that are made for it; nil where each request has its own
	ended         <-chan struct{} // closed when the client can ask for nothing more
	once          bool            // for one message; what that keeps is charged to its requests
}

func newConn(ctx context.Context, s *Server) *conn {
	c := &conn{server: s, caller: callerFrom(ctx), number: connections.Add(1), clocks: new(clocks)}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	return c
}

// Serve answers the client at the other end of the connection and closes it at
// the end. It returns nil after the client has ended its input and everything
// that it had asked for was answered (up to [Limits.DrainTime]); the cause of
// ctx if that ends, which cancels what runs; and an error if the connection
// fails or the client stops reading.
func (s *Server) Serve(ctx context.Context, jc jsonrpc.Conn) error {
	if !s.memory.Take(connectionCost) {
		_ = jc.Close()
		return errors.New("open connection: " + errOverloaded.Message)
	}
	defer s.memory.Release(connectionCost)
	c := newConn(ctx, s)
	out := outbox.New(jc, outbox.Options{
		QueueBytes: s.limits.QueueBytes, WriteTime: s.limits.WriteTime, Memory: s.memory,
		Failed: func() { c.stop(ErrConnectionClosed) }, Active: &c.active,
	})
	ending := make(chan struct{})
	c.out, c.shared, c.ended, c.turns = out, true, ending, newTurns()
	read := make(chan error, 1)
	go func() { read <- c.readLoop(jc, out) }()
	written := make(chan error, 1)
	go func() { out.Serve(); written <- nil }()
	if s.pingAfter > 0 {
		go c.watch(out, s.pingAfter, func() { out.Fail(errClientSilent) })
	}

	var err error
	ended := false
	select {
	case err = <-read:
		ended = true
		c.inputClosed()
		close(ending)
		if errors.Is(err, io.EOF) {
			err = nil
			c.drain(s.limits.DrainTime)
		} else {
			err = fmt.Errorf("read message: %w", err)
		}
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-out.Broken():
	}
	c.close()
	c.drain(s.limits.GraceTime)
	out.FlushAsync()
	out.Drain(s.limits.GraceTime)
	if failure := out.Err(); failure != nil && err == nil {
		err = fmt.Errorf("write message: %w", failure)
	}
	out.Fail(ErrConnectionClosed)
	_ = jc.Close()
	if !ended {
		await(read)
	}
	await(written)
	return err
}

// await waits for a goroutine that the closing of the connection ends, unless
// the operating system holds it for ever, as it does with one that reads from a
// terminal.
func await[T any](ended <-chan T) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}

// receive handles one message of a stream. The data may be used again when it returns. It
// never waits. It reports false when the connection is closing and handles nothing more.
func (c *conn) receive(data []byte, out sink) bool {
	if c.isClosing() {
		return false
	}
	c.heard.Store(true)
	c.takeText(data, c.caller, out, false)
	return true
}

// takeText handles the text of a message, which it copies.
func (c *conn) takeText(data []byte, from *caller, out sink, inBatch bool) {
	b := c.server.newBuffers()
	if !b.hold(data) {
		c.noRoom(b, data, from, out, inBatch)
		return
	}
	c.take(b, c.server.parser.Parse(b.data, &b.msg), from, out, inBatch)
}

// take handles a message that has been parsed. It owns the buffers. It never waits. It
// reports whether the sink can expect a reply, if only an empty one.
func (c *conn) take(b *buffers, err *jsonrpc.Error, from *caller, out sink, inBatch bool) (expect bool) {
	m := &b.msg
	switch {
	case err != nil:
		expect = c.malformed(m, err, out)
	case m.Kind == jsonrpc.Request:
		c.request(b, from, out, inBatch) // which owns the buffers now
		return true
	case m.Kind == jsonrpc.Notification:
		c.notification(m, from)
	case m.Kind == jsonrpc.Response:
		c.response(m)
	case inBatch:
		c.refuse(m, invalidRequest("a batch inside a batch"), out)
		expect = true
	default:
		expect = c.batch(m, from, out)
	}
	b.drop()
	return expect
}

// malformed answers what is not a message. A broken response gets no reply,
// since a reply would be a response to it. It reports whether there is one.
func (c *conn) malformed(m *jsonrpc.Message, err *jsonrpc.Error, out sink) bool {
	if m.Kind == jsonrpc.Response {
		if c.answered(m.ID, clientAnswer{err: fmt.Errorf("malformed answer of the client: %w", err)}) {
			return false
		}
		c.server.log.Client(c.ctx, slog.LevelWarn, "malformed response dropped", slog.Any("error", err))
		return false
	}
	c.refuse(m, err, out)
	return true
}

// refuse replies an error to a request, or to something that has no id that
// could be read.
func (c *conn) refuse(m *jsonrpc.Message, err *jsonrpc.Error, out sink) {
	id := m.ID
	b, inBatch := out.(*batch)
	if inBatch {
		b.expect()
	}
	// A channel that carries one reply alone says by itself what is answered.
	if id.IsZero() && (c.shared || inBatch) && c.nullID() {
		id = jsonrpc.Null
	}
	out.Refuse(jsonrpc.AppendError(nil, id, err), err.Code)
}

// nullID reports whether an id that is not known is written as null: by the
// revision of the session, or that of the latest request, and as JSON-RPC has it
// while neither is known.
func (c *conn) nullID() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.session != nil:
		return c.session.revision.Errors.NullID
	case c.latest != nil:
		return c.latest.Errors.NullID
	}
	return true
}

func (c *conn) isClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing
}

// close takes nothing more and cancels what runs.
func (c *conn) close() {
	c.mu.Lock()
	c.closing = true
	kept := c.kept
	c.kept = 0
	c.mu.Unlock()
	c.server.memory.Release(kept)
	c.leave()
	c.stop(ErrConnectionClosed)
}

// start enters a request into the table of those in flight. It says why it is
// refused, if it is.
func (c *conn) start(x *exchange) *jsonrpc.Error {
	cost := callCost + x.kept()
	if !c.server.memory.Take(cost) {
		return errOverloaded
	}
	x.cost.Store(int64(cost))
	counter := x.counter()
	if !counter.Take(x.from.share()) {
		c.server.memory.Release(cost)
		return errTooManyCalls
	}
	err := c.enter(x)
	if err != nil {
		c.server.memory.Release(cost)
		counter.Give(x.from.share())
	}
	return err
}

// counter is what counts the request among those of all connections.
func (x *exchange) counter() *share.Counter {
	if x.method == protocol.Listen {
		return x.conn.server.listens
	}
	return x.conn.server.calls
}

func (c *conn) enter(x *exchange) *jsonrpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inflight.find(x.key) != nil {
		return duplicateID(x.call.id)
	}
	if c.closing {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: ErrConnectionClosed.Error(), Data: []byte(`{"reason":"closed"}`)}
	}
	if c.running >= c.server.limits.InFlight {
		return &jsonrpc.Error{
			Code:    jsonrpc.CodeInternal,
			Message: fmt.Sprintf("overloaded: %d requests of this connection are in flight", c.running),
			Data:    []byte(`{"reason":"overloaded"}`),
		}
	}
	c.inflight.add(x)
	c.running++
	c.active.Add(1)
	return nil
}

func duplicateID(id jsonrpc.ID) *jsonrpc.Error {
	return invalidRequest("id " + id.String() + " is that of a request in flight")
}

// busy reports whether a request with that id is in flight.
func (c *conn) busy(key jsonrpc.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inflight.find(key) != nil
}

// release notes that a handler has returned.
func (c *conn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseLocked()
}

func (c *conn) releaseLocked() {
	c.active.Add(-1)
	if c.running--; c.running == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// drain waits until no handler runs, or the time is over, or the connection
// ends.
func (c *conn) drain(within time.Duration) {
	c.mu.Lock()
	if c.running == 0 {
		c.mu.Unlock()
		return
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	ended := c.ctx.Done()
	if c.closing {
		ended = nil // it has: this is the time that handlers have to notice
	}
	c.mu.Unlock()
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-idle:
	case <-ended:
	case <-timer.C:
	}
}

func invalidRequest(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + message}
}

func invalidParams(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + message}
}
