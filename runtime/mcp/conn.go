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

// This file is a connection from its start to its end. [Server.Serve] runs one over a stream,
// with one goroutine that reads (readloop.go) and one that writes queued messages
// ([outbox.Outbox.Serve]); other transports make theirs by [Server.Transport].

// sink receives the replies to requests: the outbox of a connection, a batch, or the stream of
// another transport.
type sink = transport.Sink

// conn is one client: its session, if it has opened one, and its requests in flight. It does
// not depend on the transport. Messages come by [conn.receive] or [transportConn.Take], on the
// goroutine that reads. Replies leave by the sink that came with the message, from the
// goroutines of the requests.
type conn struct {
	// These do not change once the connection reads.
	server     *Server
	ctx        context.Context // ends with the connection
	stop       context.CancelCauseFunc
	out        sink               // for messages that belong to no request; may be nil
	caller     *caller            // the other end, for transports with one stream
	clocks     *clocks            // of the requests; all connections of a transport can share them
	transport  string             // its name, for [Call.Transport]
	sessionID  string             // that the transport has given; "" for a new one
	endings    *transport.Endings // of sessions, for the transport; nil without hooks
	number     uint64             // of this connection in the process; 0 if each message has a caller
	replyTurns *turns             // of replies for the shared channel; nil if each request has its own
	ended      <-chan struct{}    // closed when the client can send nothing more
	shared     bool               // all requests share one channel
	oneMessage bool               // the connection is for one message, whose request is charged for what it keeps

	// principal is that of the latest request, where each has its own; nil before the first.
	principal atomic.Pointer[Principal]

	received atomic.Bool  // a message has come since [conn.watch] looked
	active   atomic.Int32 // running handlers, without parked listens; changed under mu, except by those

	// mu guards the rest. It is held while a reply is queued, so that no message of a request
	// follows its reply, and not while a goroutine waits.
	mu            sync.Mutex
	idUsed        bool               // hooks have been called with sessionID
	closing       bool               // messages are not handled any more
	session       *session           // nil until the client has sent initialize
	latest        *protocol.Revision // of the latest request without a session
	recent        *client            // of that request
	inflight      flight
	charged       int           // bytes charged for the session
	running       int           // handlers, with or without a reply
	idle          chan struct{} // closed when no handler runs any more; nil while drain does not wait
	requests      openRequests  // of the server to the client
	subscriptions int           // to resources, of the session and of all listens
	subscribed    int           // bytes of the URIs of these
}

func newConn(ctx context.Context, s *Server) *conn {
	c := &conn{server: s, caller: &connectionFrom(ctx).caller, number: connections.Add(1), clocks: new(clocks), endings: s.newEndings()}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	return c
}

// Serve serves the client at the other end of the connection, and closes the connection at the
// end. It returns nil after the client has ended its input and all of its requests have replies
// (within [Limits.DrainTime]); the cause of ctx if that ends, which cancels running handlers;
// and an error if the connection fails or the client stops reading.
//
// If the connection has a method Transport() string, that is the name of the transport for
// [Call.Transport].
func (s *Server) Serve(ctx context.Context, jc jsonrpc.Conn) error {
	name := ""
	if c, ok := jc.(interface{ Transport() string }); ok {
		name = c.Transport()
	}
	return s.serve(ctx, jc, name)
}

// serve is Serve with the name of the transport.
func (s *Server) serve(ctx context.Context, jc jsonrpc.Conn, transport string) error {
	s.connected()
	if !s.memory.Take(connectionCost) {
		_ = jc.Close()
		return errors.New("open connection: " + errOverloaded.Message)
	}
	defer s.memory.Release(connectionCost)
	c := newConn(ctx, s)
	c.transport = transport
	out := outbox.New(jc, outbox.Options{
		QueueBytes: s.limits.QueueBytes, WriteTime: s.limits.WriteTime, Memory: s.memory,
		Failed: func() { c.stop(ErrConnectionClosed) }, Active: &c.active,
	})
	ending := make(chan struct{})
	c.out, c.shared, c.ended, c.replyTurns = out, true, ending, newTurns()
	// A client that has a reply can rely on the log: what is said of a connection is said before its
	// first message is read.
	who := connectionFrom(ctx).principal
	s.warnUnguarded(ctx, transport, who)
	read := make(chan error, 1)
	go func() { read <- c.readLoop(jc, out) }()
	written := make(chan error, 1)
	go func() { out.Serve(); written <- nil }()
	if s.pingAfter > 0 {
		go c.watch(out, s.pingAfter, func() { out.Fail(errPingTimeout) })
	}

	expired, stop := who.expiry()
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
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-expired:
		err = errPrincipalExpired
		c.inputClosed()
		close(ending) // listens end with a result
		c.drain(s.limits.DrainTime)
	case <-out.Broken():
	}
	c.close()
	c.finishSession()
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
func (c *conn) close() {
	c.mu.Lock()
	c.closing = true
	kept := c.charged
	c.charged = 0
	c.mu.Unlock()
	c.server.memory.Release(kept)
	c.removeSubscriber()
	c.stop(ErrConnectionClosed)
	c.stopHandlers(ErrConnectionClosed)
}
