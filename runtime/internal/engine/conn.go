package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/outbox"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file runs a connection from its start to its end. [Conn.Serve] runs it over a stream, with
// one goroutine that reads (receive.go) and one that writes queued messages
// ([outbox.Outbox.Serve]); other transports pass each message to [Conn.Take].

// Sink receives the replies to requests: the outbox of a connection, a batch, or the stream of
// another transport.
type Sink = transport.Sink

// Conn is the connection of one client: its session, if it has opened one, and its requests in
// flight. It does not depend on the transport. Messages arrive by [Conn.Receive] or [Conn.Take], on
// the goroutine that reads. Replies leave by the sink that was passed with the message, from the
// request goroutines.
type Conn struct {
	// These fields do not change once the connection reads.
	host       Host
	Settings   *Settings
	Ctx        context.Context // cancelled when the connection closes
	Stop       context.CancelCauseFunc
	Out        Sink               // for messages that do not belong to a request; may be nil
	Caller     *Caller            // the other end, for transports with one stream
	clocks     *Clocks            // for requests; all connections of a transport can share them
	Transport  string             // name of the transport
	SessionID  string             // set by the transport; "" for a new id
	Endings    *transport.Endings // counts sessions that are ending, for the transport; nil if none needs it
	Number     uint64             // number of this connection in the process; 0 if each message has a caller
	replyTurns *turns             // for replies on the shared channel; nil if each request has its own
	Ended      <-chan struct{}    // closed when the client can no longer send
	shared     bool               // all requests share one channel
	OneMessage bool               // for one message only, whose request is charged for the connection's storage

	received atomic.Bool  // a message has arrived since [Conn.Watch] looked
	closing  atomic.Bool  // messages are no longer handled; set under mu
	active   atomic.Int32 // running handlers, without parked requests; changed under mu, except by parked requests

	// mu guards the following fields. It is held while a reply is queued, so that no message of a
	// request follows its reply, and never while a goroutine waits.
	mu       sync.Mutex
	idUsed   bool               // a session with sessionID has begun
	Session  *Session           // nil until the client has sent initialize
	latest   *protocol.Revision // of the latest request without a session
	recent   *Client            // client of that request
	inflight flight
	charged  int           // bytes charged for the session
	running  int           // handlers, with or without a reply
	idle     chan struct{} // closed when the last handler has returned; nil unless drain waits
	requests openRequests  // requests of the server to the client
}

// Bind sets the server of the connection. It is called first.
func (c *Conn) Bind(host Host, s *Settings) { c.host, c.Settings = host, s }

// connections counts the connections of the process, to tell them apart.
var connections atomic.Uint64

// BeginStream begins a connection with one stream of messages in each direction.
func (c *Conn) BeginStream(ctx context.Context, transport string) {
	c.Caller, c.Number, c.clocks, c.Transport = &ConnectionFrom(ctx).Caller, connections.Add(1), new(Clocks), transport
	c.Ctx, c.Stop = context.WithCancelCause(ctx)
}

// BeginMessages begins a connection whose messages come from a transport that gives each request a
// channel of its own. Its context is the context in the options, or a new one that is cancelled
// when the connection closes.
func (c *Conn) BeginMessages(ctx context.Context, o *transport.Options, shared *Clocks) {
	c.Caller, c.clocks, c.Out, c.Ended, c.OneMessage = &unknownCaller, shared, o.Out, o.Ended, o.Once
	c.Transport, c.SessionID = o.Transport, o.SessionID
	if o.Endings != nil {
		c.Endings = o.Endings
	}
	if o.Once {
		c.Ctx, c.Stop = context.WithoutCancel(ctx), c.Abandon
	} else {
		c.Ctx, c.Stop = context.WithCancelCause(ctx)
	}
	c.requests.prefix = o.RequestIDs
}

// Serve serves the client until the connection closes or the given context is cancelled, and then
// closes the connection. See mcp.Server.Serve.
func (c *Conn) Serve(given context.Context, jc jsonrpc.Conn) error {
	s := c.Settings
	if !s.Memory.Take(connectionCost) {
		_ = jc.Close()
		return errors.New("open connection: " + ErrOverloaded.Message)
	}
	defer s.Memory.Release(connectionCost)
	out := outbox.New(jc, outbox.Options{
		QueueBytes: s.Limits.QueueBytes, WriteTime: s.Limits.WriteTime, Memory: s.Memory,
		Failed: func() { c.Stop(ErrConnectionClosed) }, Active: &c.active,
	})
	ending := make(chan struct{})
	c.Out, c.shared, c.Ended, c.replyTurns = out, true, ending, newTurns()
	read := make(chan error, 1)
	go func() { read <- c.readLoop(jc, out) }()
	written := make(chan error, 1)
	go func() { out.Serve(); written <- nil }()
	if s.PingAfter > 0 {
		go c.Watch(out, s.PingAfter, func() { out.Fail(errPingTimeout) })
	}

	expired, stop := c.Caller.Expiry()
	defer stop()
	var err error
	ended := false
	select {
	case err = <-read:
		ended = true
		c.InputClosed()
		close(ending)
		if errors.Is(err, io.EOF) {
			err = nil
			c.Drain(s.Limits.DrainTime)
		} else {
			err = fmt.Errorf("read message: %w", err)
		}
	case <-given.Done():
		err = context.Cause(given)
	case <-expired:
		err = errPrincipalExpired
		c.InputClosed()
		close(ending) // makes listens reply with a result
		c.Drain(s.Limits.DrainTime)
	case <-out.Broken():
	}
	c.Close()
	c.Drain(s.Limits.GraceTime)
	out.FlushAsync()
	out.Drain(s.Limits.GraceTime)
	if failure := out.Err(); failure != nil && err == nil {
		err = fmt.Errorf("write message: %w", failure)
	}
	out.Fail(ErrConnectionClosed)
	_ = jc.Close()
	if !ended {
		await(read)
	}
	await(written)
	c.awaitEndings()
	return err
}

// await waits for a goroutine that ends when the connection is closed. It limits the wait, since a
// read from a terminal does not return.
func await[T any](ended <-chan T) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}

// Close stops the handling of messages and cancels running handlers.
func (c *Conn) Close() {
	c.mu.Lock()
	c.closing.Store(true)
	kept := c.charged
	c.charged = 0
	s := c.Session
	c.mu.Unlock()
	c.Settings.Memory.Release(kept)
	if s != nil {
		s.Part.Leave()
	}
	c.Stop(ErrConnectionClosed)
	c.stopHandlers(ErrConnectionClosed)
	if s = c.Opened(); s != nil {
		s.Part.Finish()
	}
}

// awaitEndings waits until the sessions of the connection are closed, for at most
// [Limits].DrainTime.
func (c *Conn) awaitEndings() {
	if c.Endings == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.Settings.Limits.DrainTime)
	defer cancel()
	_ = c.Endings.Wait(ctx)
}
