package sharedsession

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// followWait is the interval at which a [Follower] asks whether its call is still running.
const followWait = 2 * time.Second

// errInterrupted is the reply to a request whose replica has stopped.
var errInterrupted = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "the replica that ran the request has ended before the reply; the request may have run",
	Data: []byte(`{"reason":"interrupted"}`),
}

// Errors of [Session.Follow]; others are errors of the store.
var (
	ErrUnknownID  = errors.New("no stream has an event with that id")
	ErrOver       = errors.New("no event follows")
	ErrUnreadable = errors.New("an event is not one of its stream, or the replicas have different state keys")
)

// errNoEvents is the error for a store whose sequence of events ends too early.
var errNoEvents = errors.New("the events of the session store have ended before their context")

// Follower resumes the stream of a request: it passes the events that this replica or another
// appends to the store on to a response. If the replica that runs the call has stopped, it appends
// the last event itself: an error.
type Follower struct {
	// First is the sequence number of the first message.
	First int

	session *Session
	name    string // name of the stream
	owner   string // name of the copy that runs the call
	out     Output
	ctx     context.Context // cancelled when the response is complete
	end     context.CancelFunc
	first   chan error    // receives the error that the first event is, or nil
	started chan struct{} // closed when a response is set
	quiet   *time.Timer   // asks whether the call is still running
	id      jsonrpc.ID    // id of the request
	last    atomic.Uint64 // number of the last event
	begun   atomic.Bool
	failed  atomic.Pointer[error] // error of the store
}

// Output is the stream of a response that follows another stream.
type Output interface {
	transport.Sink
	transport.Releaser
	// Wake makes the response look at the stream.
	Wake()
	// Detach completes the response.
	Detach()
}

// Follow begins to read the events after the event with the given id, until the context is
// cancelled.
func (c *Session) Follow(ctx context.Context, id string) (*Follower, error) {
	name, seq, ok := parseEventID(id)
	owner, _, known := parseStreamName(name)
	if !ok || !known {
		return nil, ErrUnknownID
	}
	f := &Follower{session: c, name: name, owner: owner, first: make(chan error, 1), started: make(chan struct{})}
	f.ctx, f.end = context.WithCancel(ctx)
	go f.read(seq)
	late := time.NewTimer(storeWait)
	defer late.Stop()
	var err error
	select {
	case err = <-f.first:
	case <-late.C:
		err = errStoreSlow
	case <-f.ctx.Done():
		err = context.Cause(f.ctx)
	}
	if err != nil {
		f.end()
		return nil, err
	}
	return f, nil
}

// IsLocal reports whether this replica runs the call.
func (f *Follower) IsLocal() bool { return f.owner == f.session.name }

// Start begins to pass the following events on to out, which replaces any other response.
func (f *Follower) Start(out Output) {
	f.out = out
	f.session.setFollower(f.name, f)
	f.session.sendAll(f.ctx, message{Kind: resumedMessage, Stream: f.name})
	f.quiet = time.AfterFunc(followWait, f.ask)
	f.quiet.Reset(0)
	close(f.started)
}

// Close is called when the response is complete. It returns the error of the store that has
// completed it, if any.
func (f *Follower) Close() error {
	f.end()
	f.quiet.Stop()
	f.session.removeFollower(f)
	if err := f.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Changed does nothing: the store already contains the messages.
func (f *Follower) Changed() {}

// Ready returns the sequence number before which messages may be written: 0 before it is known
// whether any will follow.
func (f *Follower) Ready() int {
	if !f.begun.Load() {
		return 0
	}
	return math.MaxInt
}

// ID returns the id of the event with that sequence number.
func (f *Follower) ID(seq int) string { return eventID(f.name, seq) }

// begin lets the response begin.
func (f *Follower) begin() {
	if !f.begun.Swap(true) {
		f.out.Wake()
	}
}

// read reads events until the last one, or until the response is complete.
func (f *Follower) read(after uint64) {
	usercode.Call(func() {
		err := errNoEvents
		for e, failed := range f.session.Store.Events(f.ctx, f.session.ID, f.name, after) {
			if err = failed; err == nil {
				err = f.give(e)
			}
			if err != nil {
				break
			}
			err = errNoEvents
		}
		f.fail(err)
	}, func(failed usercode.Failure) {
		f.fail(errors.New("the session store has failed: " + failed.String()))
	})
}

// give passes an event on to the response. The first event is the message that the client already
// has, or the beginning of the stream. It returns an error if no event can follow.
func (f *Follower) give(e Event) error {
	kind, text, err := f.open(e)
	opened := f.First > 0
	switch {
	case err != nil:
		return err
	case !opened && kind != LastEvent:
		f.First = int(e.Sequence)
		f.first <- nil
		select {
		case <-f.started:
		case <-f.ctx.Done():
			return context.Cause(f.ctx)
		}
	case !opened:
	case e.Sequence != f.last.Load()+1:
		return ErrUnreadable // an event is missing: the client resumes before it
	case kind == LastEvent:
		f.out.Reply(text, 0)
		f.begin()
	default:
		f.out.Wait()
		f.out.Notify(text)
		f.begin()
		f.quiet.Reset(followWait)
	}
	f.last.Store(e.Sequence)
	if kind == LastEvent {
		return ErrOver
	}
	return nil
}

// fail completes the response since no event can be read. The client resumes later.
func (f *Follower) fail(err error) {
	switch {
	case f.First == 0:
		f.first <- err
		return
	case err == ErrOver, f.ctx.Err() != nil:
		return
	case err != ErrUnreadable:
		f.failed.Store(&err)
	}
	f.out.Detach()
}

// open reads an event.
func (f *Follower) open(e Event) (kind Kind, text []byte, err error) {
	c := f.session
	plain, ok, err := c.Host.Unseal(f.ctx, eventPurpose(c.ID, f.name, e.Sequence), e.Data)
	if ok && err == nil {
		var id jsonrpc.ID
		if kind, id, text, ok = readStored(plain); ok {
			if f.First == 0 {
				f.id = id
			}
			return kind, text, nil
		}
	}
	if err == nil {
		err = ErrUnreadable
	}
	c.Fails(f.ctx, "events of a session cannot be read", err)
	return 0, nil, ErrUnreadable
}

// ask asks whether the call is still running. If it is not, ask appends the error that ends the
// stream, unless another event was appended in the meantime, which is then read like others.
func (f *Follower) ask() {
	still := f.runs()
	switch {
	case f.ctx.Err() != nil:
		return
	case still:
		f.begin()
	default:
		err := f.session.append(f.name, f.last.Load(), LastEvent, f.id, jsonrpc.AppendError(nil, f.id, errInterrupted))
		if err != nil && !errors.Is(err, ErrConflict) {
			f.fail(err)
			return
		}
	}
	f.quiet.Reset(followWait)
}

// runs reports whether the call may still be running.
func (f *Follower) runs() bool {
	if f.IsLocal() {
		return f.session.runs(f.name)
	}
	taken, err := f.session.send(f.ctx, f.owner, message{Kind: runsMessage, Stream: f.name})
	return taken || err != nil
}

// setFollower records the follower of a stream at this replica, or nil. It completes the response
// before, including the response of the call itself.
func (c *Session) setFollower(name string, f *Follower) {
	c.following.Lock()
	before := c.followers[name]
	delete(c.followers, name)
	if f != nil {
		c.followers[name] = f
	}
	c.following.Unlock()
	if before != nil {
		before.out.Detach()
	}
	if owner, number, ok := parseStreamName(name); ok && owner == c.name {
		c.local.Load().Detach(number)
	}
}

// releaseFollower completes the response that follows a stream at this replica, if there is one.
func (c *Session) releaseFollower(name string, retry time.Duration) {
	c.following.Lock()
	f := c.followers[name]
	c.following.Unlock()
	if f != nil {
		f.out.Release(retry)
		f.begin()
	}
}

// removeFollower removes a follower whose response is complete.
func (c *Session) removeFollower(f *Follower) {
	c.following.Lock()
	defer c.following.Unlock()
	if c.followers[f.name] == f {
		delete(c.followers, f.name)
	}
}
