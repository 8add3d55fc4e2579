package mcp

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

// This file is a connection from its start to its end. [engineConn.serve] runs one over a stream,
// with one goroutine that reads (readloop.go) and one that writes queued messages
// ([outbox.Outbox.Serve]); other transports pass each message to [engineConn.take].

// sink receives the replies to requests: the outbox of a connection, a batch, or the stream of
// another transport.
type sink = transport.Sink

// engineConn is one client: its session, if it has opened one, and its requests in flight. It does
// not depend on the transport. Messages come by [engineConn.receive] or [engineConn.take], on the
// goroutine that reads. Replies leave by the sink that came with the message, from the
// goroutines of the requests.
type engineConn struct {
	// These do not change once the connection reads.
	host       engineHost
	settings   *engineSettings
	ctx        context.Context // ends with the connection
	stop       context.CancelCauseFunc
	out        sink               // for messages that belong to no request; may be nil
	caller     *caller            // the other end, for transports with one stream
	clocks     *clocks            // of the requests; all connections of a transport can share them
	transport  string             // its name
	sessionID  string             // that the transport has given; "" for a new one
	endings    *transport.Endings // of sessions, for the transport; nil if nothing has to end
	number     uint64             // of this connection in the process; 0 if each message has a caller
	replyTurns *turns             // of replies for the shared channel; nil if each request has its own
	ended      <-chan struct{}    // closed when the client can send nothing more
	shared     bool               // all requests share one channel
	oneMessage bool               // the connection is for one message, whose request is charged for what it keeps

	received atomic.Bool  // a message has come since [engineConn.watch] looked
	active   atomic.Int32 // running handlers, without parked requests; changed under mu, except by those

	// mu guards the rest. It is held while a reply is queued, so that no message of a request
	// follows its reply, and not while a goroutine waits.
	mu       sync.Mutex
	idUsed   bool               // a session with sessionID has begun
	closing  bool               // messages are not handled any more
	session  *engineSession     // nil until the client has sent initialize
	latest   *protocol.Revision // of the latest request without a session
	recent   *client            // of that request
	inflight flight
	charged  int           // bytes charged for the session
	running  int           // handlers, with or without a reply
	idle     chan struct{} // closed when no handler runs any more; nil while drain does not wait
	requests openRequests  // of the server to the client
}

// bind sets the server behind the connection, before anything else.
func (c *engineConn) bind(host engineHost, s *engineSettings) { c.host, c.settings = host, s }

// connections counts those of the process, to tell them apart.
var connections atomic.Uint64

// beginStream begins a connection with one stream of messages in each direction.
func (c *engineConn) beginStream(ctx context.Context, transport string) {
	c.caller, c.number, c.clocks, c.transport = &connectionFrom(ctx).caller, connections.Add(1), new(clocks), transport
	c.ctx, c.stop = context.WithCancelCause(ctx)
}

// beginMessages begins a connection whose messages come from a transport that gives each request a
// channel of its own. Its context is that of the options, or ends with the connection.
func (c *engineConn) beginMessages(ctx context.Context, o *transport.Options, shared *clocks) {
	c.caller, c.clocks, c.out, c.ended, c.oneMessage = &unknownCaller, shared, o.Out, o.Ended, o.Once
	c.transport, c.sessionID = o.Transport, o.SessionID
	if o.Endings != nil {
		c.endings = o.Endings
	}
	if o.Once {
		c.ctx, c.stop = context.WithoutCancel(ctx), c.abandon
	} else {
		c.ctx, c.stop = context.WithCancelCause(ctx)
	}
	c.requests.prefix = o.RequestIDs
}

// serve serves the client at the other end until the connection or the given context ends, and closes
// the connection then. See mcp.Server.Serve.
func (c *engineConn) serve(given context.Context, jc jsonrpc.Conn) error {
	s := c.settings
	if !s.memory.Take(connectionCost) {
		_ = jc.Close()
		return errors.New("open connection: " + errOverloaded.Message)
	}
	defer s.memory.Release(connectionCost)
	out := outbox.New(jc, outbox.Options{
		QueueBytes: s.limits.QueueBytes, WriteTime: s.limits.WriteTime, Memory: s.memory,
		Failed: func() { c.stop(errConnectionClosed) }, Active: &c.active,
	})
	ending := make(chan struct{})
	c.out, c.shared, c.ended, c.replyTurns = out, true, ending, newTurns()
	read := make(chan error, 1)
	go func() { read <- c.readLoop(jc, out) }()
	written := make(chan error, 1)
	go func() { out.Serve(); written <- nil }()
	if s.pingAfter > 0 {
		go c.watch(out, s.pingAfter, func() { out.Fail(errPingTimeout) })
	}

	expired, stop := c.caller.expiry()
	defer stop()
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
	case <-given.Done():
		err = context.Cause(given)
	case <-expired:
		err = errPrincipalExpired
		c.inputClosed()
		close(ending) // listens end with a result
		c.drain(s.limits.DrainTime)
	case <-out.Broken():
	}
	c.close()
	c.drain(s.limits.GraceTime)
	out.FlushAsync()
	out.Drain(s.limits.GraceTime)
	if failure := out.Err(); failure != nil && err == nil {
		err = fmt.Errorf("write message: %w", failure)
	}
	out.Fail(errConnectionClosed)
	_ = jc.Close()
	if !ended {
		await(read)
	}
	await(written)
	c.awaitEndings()
	return err
}

// await waits for a goroutine that ends when the connection is closed. It does not wait for
// long: a read from a terminal does not return.
func await[T any](ended <-chan T) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}

// close stops the handling of messages and cancels running handlers.
func (c *engineConn) close() {
	c.mu.Lock()
	c.closing = true
	kept := c.charged
	c.charged = 0
	s := c.session
	c.mu.Unlock()
	c.settings.memory.Release(kept)
	if s != nil {
		s.part.Leave()
	}
	c.stop(errConnectionClosed)
	c.stopHandlers(errConnectionClosed)
	if s = c.opened(); s != nil {
		s.part.Finish()
	}
}

// awaitEndings waits until the sessions of the connection have ended, at the latest until
// [engineLimits].DrainTime is over.
func (c *engineConn) awaitEndings() {
	if c.endings == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.settings.limits.DrainTime)
	defer cancel()
	_ = c.endings.Wait(ctx)
}
