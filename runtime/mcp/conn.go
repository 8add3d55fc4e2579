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

// sink is where the replies to requests go: the outbox of a connection, a batch, or the
// stream of another transport.
type sink = transport.Sink

// conn is one client: its session, if it has opened one, and its requests in flight. It does
// not depend on the transport: messages come by [conn.receive] or [transportConn.Take], on the
// goroutine that reads, and replies leave by the sink that came with them, from the
// goroutines of the requests. mu guards what is below it. It is held while a reply is queued,
// so that nothing of a request follows its reply, and never while something waits.
type conn struct {
	server   *Server
	ctx      context.Context // ends with the connection
	stop     context.CancelCauseFunc
	out      sink        // for messages that belong to no request; may be nil
	caller   *caller     // who is at the other end, for transports with one stream
	received atomic.Bool // something has come since [conn.watch] looked
	clocks   *clocks     // of the requests, maybe with those of other connections
	number   uint64      // of this connection in the process; 0 where messages say whose they are

	mu       sync.Mutex
	session  *session // nil until the client has sent initialize
	latest   *protocol.Revision
	recent   *client // of the latest request without a session
	inflight flight
	charged  int           // bytes charged for the session
	running  int           // handlers, answered or not
	active   atomic.Int32  // those of them that do not stand (see stand.go); read without the lock
	idle     chan struct{} // closed when none is left; nil while nobody waits
	closing  bool          // nothing is taken any more
	requests openRequests  // of the server to the client

	subscriptions int             // to resources, of the session and of all listens
	subscribed    int             // bytes of them
	shared        bool            // all requests share one channel
	replyTurns    *turns          // of the replies that are made for it; nil where each request has its own
	ended         <-chan struct{} // closed when the client can ask for nothing more
	oneMessage    bool            // for one message; what that keeps is charged to its requests
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
	c.out, c.shared, c.ended, c.replyTurns = out, true, ending, newTurns()
	read := make(chan error, 1)
	go func() { read <- c.readLoop(jc, out) }()
	written := make(chan error, 1)
	go func() { out.Serve(); written <- nil }()
	if s.pingAfter > 0 {
		go c.watch(out, s.pingAfter, func() { out.Fail(errPingTimeout) })
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

func (c *conn) isClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing
}

// close takes nothing more and cancels what runs.
func (c *conn) close() {
	c.mu.Lock()
	c.closing = true
	kept := c.charged
	c.charged = 0
	c.mu.Unlock()
	c.server.memory.Release(kept)
	c.removeSubscriber()
	c.stop(ErrConnectionClosed)
}
