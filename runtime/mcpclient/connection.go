package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// connection is one connection to the server, from its opening to its loss. Either stream or
// requester is set.
//
// One goroutine reads a stream (readStream). It calls no function of users, and does not block.
// Over HTTP each request reads its own response.
type connection struct {
	client    *Client
	conn      dial.Conn
	stream    dial.Stream
	requester dial.Requester
	out       outgoing // of a stream

	ctx context.Context // ends with the connection
	end context.CancelCauseFunc

	revision    atomic.Pointer[protocol.Revision] // nil before the handshake
	initialized atomic.Bool                       // the handshake is over
	assumed     atomic.Bool                       // the revision is from an EraStore; no reply has confirmed it yet
	server      *DiscoverResult                   // set before initialized

	answering atomic.Int32 // number of running functions that answer a question of the server
	answered  atomic.Int64 // when the last one returned, in Unix nanoseconds

	listenOnce  sync.Once // for the event stream of a session over HTTP
	streams     int       // number of times this stream was opened; used by its goroutine
	renewals    int       // consecutive renewals of subscriptions; used by the goroutine that renews
	releaseOnce sync.Once

	received atomic.Int64 // messages received over a stream

	mu          sync.Mutex
	last        int64 // id of the newest request
	waiting     map[int64]*pending
	left        map[int64]struct{}               // requests that were given up, whose replies may still arrive
	asked       map[jsonrpc.IDKey]*askedQuestion // questions that are being answered
	listens     map[int64]*listening             // by the id of the request that opened it
	failure     error                            // why the connection ended; nil while it is open
	gone        chan struct{}                    // closed when the connection ends
	reported    int                              // violations reported on this connection
	failedEarly bool                             // the message that is being skipped has already failed a request
	ending      bool                             // close will release
	gaps        int                              // number of times the session's event stream was closed
	renewing    bool                             // a goroutine is renewing the subscriptions
	renewed     time.Time                        // time of the last renewal
	doubts      *time.Timer                      // see doubt; nil without doubts
}

func newConnection(c *Client, conn dial.Conn) *connection {
	x := &connection{
		client: c, conn: conn, waiting: map[int64]*pending{}, asked: map[jsonrpc.IDKey]*askedQuestion{}, gone: make(chan struct{}),
	}
	x.ctx, x.end = context.WithCancelCause(c.ctx)
	trace := c.options.OnMessage
	switch conn := conn.(type) {
	case dial.Requester:
		if x.requester = conn; trace != nil {
			x.requester = &tracedRequester{conn, trace}
		}
	case dial.Stream:
		if x.stream = conn; trace != nil {
			x.stream = &tracedStream{conn, trace}
		}
		x.out = outgoing{conn: x.stream, limit: c.limits.WriteTime, failed: x.fail}
		c.spawn(x.readStream)
	}
	return x
}

// Reasons for the end of a connection.
var (
	errEnded      = errors.New("the server has closed the connection")
	errWriteTime  = errors.New("the server has not read for Limits.WriteTime")
	errUnread     = errors.New("the server does not read the replies to its requests")
	errReplaced   = errors.New("the connection was replaced")
	errNoResponse = errors.New("no reply")
	errVanished   = errors.New("the server has sent nothing since a request timed out, not even in reply to a ping")
)

// lost is the loss of a connection, as the error of a request.
type lost struct {
	sent bool
	err  error
}

func (e *lost) Error() string { return e.err.Error() }
func (e *lost) Unwrap() error { return e.err }

// isGone reports whether the connection is closed.
func (x *connection) isGone() bool {
	select {
	case <-x.gone:
		return true
	default:
		return false
	}
}

// why returns why the connection was closed, or nil while it is open.
func (x *connection) why() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.failure
}

// fail closes the connection with a reason, and fails every waiting request. It does not wait for
// the server.
func (x *connection) fail(why error) {
	x.retire(why)
	x.failWaiting(why)
	x.release()
}

// failWaiting fails every waiting request.
func (x *connection) failWaiting(why error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.waiting {
		p.finish(nil, &lost{sent: x.stream == nil || x.out.wasWritten(p), err: why})
		if p.abort != nil {
			p.abort(why)
		}
	}
	x.waiting = nil
}

// abortBy sets the function that aborts a request that waits for its own response.
func (x *connection) abortBy(p *pending, abort context.CancelCauseFunc) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if p.abort = abort; p.done {
		abort(p.err)
	}
}

// replace retires a connection. Over HTTP, waiting requests still get their replies: they need no
// session for them, or have an error of their own.
func (x *connection) replace(why error) {
	if x.stream != nil {
		x.fail(why)
		return
	}
	x.retire(why)
	x.releaseIfIdle()
}

// retire closes the connection to new requests, and ends everything on it that belongs to no
// request.
func (x *connection) retire(why error) {
	x.mu.Lock()
	if x.failure != nil {
		x.mu.Unlock()
		return
	}
	x.failure = why
	close(x.gone)
	x.client.exits.note(why) // before a caller may connect again
	for _, q := range x.asked {
		q.cancel()
	}
	clear(x.asked)
	if x.doubts != nil {
		x.doubts.Stop()
	}
	x.mu.Unlock()
	x.end(why)
	if x.stream != nil {
		x.out.close()
	}
	x.client.lostConnection(x, why)
}

// release closes the transport of the connection. Close may wait several times CloseTime if the
// server does not end; callers that wait for a reply must not wait for that.
func (x *connection) release() {
	x.releaseOnce.Do(func() {
		x.client.spawn(func() {
			_ = x.conn.Close()
		})
	})
	x.client.released(x)
}

// releaseIfIdle releases a connection that has no requests left after its end.
func (x *connection) releaseIfIdle() {
	x.mu.Lock()
	idle := x.failure != nil && len(x.waiting) == 0 && !x.ending
	x.mu.Unlock()
	if idle {
		x.release()
	}
}

// enter returns a new request in flight, or an error if the connection is closed.
func (x *connection) enter(method string, o *requestOptions) (*pending, error) {
	p := &pending{method: method, progress: o.progress, arrived: make(chan struct{}, 1)}
	p.clock.start(x.client.idleTime(o), x.client.maxTime(o))
	p.received = x.received.Load()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failure != nil {
		return nil, &lost{err: x.failure}
	}
	x.last++
	p.id = x.last
	x.waiting[p.id] = p
	return p, nil
}

// leave removes a request that has no reply yet. It reports whether the request was still waiting.
func (x *connection) leave(p *pending) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.waiting[p.id] != p {
		return false
	}
	delete(x.waiting, p.id)
	x.leftBehind(p.id)
	return true
}

// leftBehind records a request that was given up. The caller holds the lock.
func (x *connection) leftBehind(id int64) {
	if x.left == nil || len(x.left) >= maxLeft {
		x.left = map[int64]struct{}{}
	}
	x.left[id] = struct{}{}
}

// maxLeft limits the recorded ids of requests that were given up. A reply to an older one is
// dropped too, but reported.
const maxLeft = 1024

// take returns the news of a request.
func (x *connection) take(p *pending) (newest *Progress, done bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	newest, p.newest = p.newest, nil
	return newest, p.done
}

// envelopeSize is room for the parts of a message around its parameters: in most revisions, and
// without metadata of the user.
const envelopeSize = 512

// request sends one request once, and waits for its reply.
func (x *connection) request(ctx context.Context, r *Request) (json.RawMessage, error) {
	p, err := x.enter(r.Method, r.options)
	if err != nil {
		return nil, err
	}
	message, err := x.appendRequest(make([]byte, 0, len(r.Params)+envelopeSize), p, r)
	if err != nil {
		x.leave(p)
		return nil, err
	}
	if x.stream != nil {
		x.out.add(message, p)
		return x.await(ctx, p)
	}
	return x.send(ctx, p, r, message)
}

// notify sends a notification.
func (x *connection) notify(ctx context.Context, method string, params json.RawMessage) error {
	message := jsonrpc.AppendNotification(nil, method, params)
	if x.stream != nil {
		x.out.add(message, nil)
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, x.client.limits.RequestTime, errNotifyTime)
	defer cancel()
	err := x.requester.Send(ctx, &dial.Message{Data: message, Method: method, Revision: x.revision.Load()}, nil)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// reply sends the reply to a question. It does not block.
func (x *connection) reply(message []byte) {
	if x.stream != nil {
		if x.out.add(message, nil)-len(message) > x.client.limits.QueueBytes {
			x.fail(errUnread)
		}
		return
	}
	x.client.spawn(func() {
		ctx, cancel := context.WithTimeoutCause(x.ctx, x.client.limits.RequestTime, ErrTimeout)
		defer cancel()
		if err := x.sendReply(ctx, &dial.Message{Data: message, Revision: x.revision.Load()}); err != nil && x.ctx.Err() == nil {
			x.client.log.Warn("mcpclient: a reply to the server could not be sent", "server", x.client.target.Name(), "error", err)
		}
	})
}

// sendReply sends a reply, and sends it again if it may not have arrived: a server ignores a reply
// that it has already received. It retries up to the timeout of a request, regardless of
// [Retry.Attempts] unless that is 1: without the reply, the call behind the question would wait
// until its timeout.
func (x *connection) sendReply(ctx context.Context, m *dial.Message) error {
	for attempt := 1; ; attempt++ {
		err := x.requester.Send(ctx, m, nil)
		asked, again := time.Duration(0), false
		switch e := err.(type) {
		case *dial.Error:
			again = e.Sent || e.Again
		case *dial.Status:
			asked, again = e.RetryAfter, e.Status == 429 || e.Status == 502 || e.Status == 503 || e.Status == 504
		}
		if !again || x.client.retry.Attempts == 1 {
			return err
		}
		if sleep(ctx, x.client.ctx, x.client.retry.backoff(attempt, asked)) != nil {
			return err
		}
	}
}

// close closes the connection because the client is closed. Waiting requests fail at once; then the
// session is ended, which may take CloseTime.
func (x *connection) close(why error) {
	if x.requester == nil || x.isGone() {
		x.fail(why)
		return
	}
	x.mu.Lock()
	x.ending = true
	x.mu.Unlock()
	x.retire(why)
	x.failWaiting(why)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), x.client.limits.CloseTime)
	defer cancel()
	_ = x.requester.EndSession(ctx) // the server ends sessions by itself too
	x.release()
}
