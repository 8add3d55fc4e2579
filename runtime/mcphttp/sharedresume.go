package mcphttp

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file resumes the stream of a request in a session that replicas share: the response follows what is
// appended to the [SessionStore], by this replica or another. If the replica that runs the call has
// ended, the response appends the last event itself: an error.

// followWait is how often a response that follows a stream asks whether its call still runs.
const followWait = 2 * time.Second

// errInterrupted is the reply to a request whose replica has ended.
var errInterrupted = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "the replica that ran the request has ended before the reply; the request may have run",
	Data: []byte(`{"reason":"interrupted"}`),
}

// getShared writes a stream of a session that replicas share.
func (h *Handler) getShared(w http.ResponseWriter, r *http.Request, se *session, who requester) {
	values, resuming := r.Header[httpfield.LastEventID]
	if !resuming {
		h.getStandalone(w, r, se, who, 0, false)
		return
	}
	id := ""
	if len(values) == 1 {
		id = strings.Trim(values[0], " \t")
	}
	if number, ok := parseNoticeID(id); ok {
		h.getStandalone(w, r, se, who, number, true)
		return
	}
	owner, stream, seq, ok := parseSharedEventID(id)
	if !ok {
		writeInvalid(w, http.StatusBadRequest, errNoStream)
		return
	}
	f := &following{
		response: response{h: &h.core, w: w, r: r, sessionEnded: se.done, stopping: h.stopping, expires: who.Expires},
		shared:   se.shared, owner: owner, stream: stream, replaced: make(chan struct{}), released: make(chan time.Duration, 1),
	}
	f.follow(seq)
}

// following is a response that follows a stream.
type following struct {
	response
	shared   *sharedSession
	owner    string // the copy whose call it is
	stream   string
	replaced chan struct{}      // closed when another response follows the stream
	released chan time.Duration // has after which time the client resumes the stream, if the response is to end

	id   jsonrpc.ID // of the request
	last uint64     // the number of the last event
}

// storedEvent is an event of the store, or the error after the last one.
type storedEvent struct {
	Event
	err error
}

// read reads events of the store until the context ends.
func (f *following) read(ctx context.Context, after uint64) <-chan storedEvent {
	events := make(chan storedEvent)
	give := func(e storedEvent) bool {
		select {
		case events <- e:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(events)
		usercode.Call(func() {
			for e, err := range f.h.store.Events(ctx, f.shared.id, f.stream, after) {
				if !give(storedEvent{e, err}) || err != nil {
					return
				}
			}
		}, func(failed usercode.Failure) {
			give(storedEvent{err: errors.New("the session store has failed: " + failed.String())})
		})
	}()
	return events
}

// follow writes the events after a message. The first event that is read is that message, or the beginning of
// the stream.
func (f *following) follow(seq uint64) {
	f.control = *http.NewResponseController(f.w)
	f.account.Of(f.h.memory)
	ctx, cancel := context.WithCancel(f.r.Context())
	defer cancel()
	events := f.read(ctx, seq)
	first, ok := f.first(events)
	if !ok {
		return
	}
	kind, _, ok := f.open(first)
	switch {
	case !ok:
		writeInternalError(f.w)
		return
	case kind == lastEvent:
		f.writeNothing()
		return
	}
	f.last = first.Sequence
	f.shared.setFollower(f.stream, f)
	defer f.shared.removeFollower(f)
	f.shared.detachCall(f.stream)
	f.shared.sendAll(ctx, message{Kind: resumedMessage, Stream: f.stream})
	f.writeAll(ctx, events)
}

// writeNothing writes the response where no event follows. An EventSource would connect again after an empty
// event stream; see [response.follow].
func (f *following) writeNothing() { writeStatus(f.w, http.StatusNoContent) }

// first returns the first event. If it reports false, it has written the response.
func (f *following) first(events <-chan storedEvent) (Event, bool) {
	late := time.NewTimer(storeWait)
	defer late.Stop()
	e := storedEvent{err: errNoEvents}
	select {
	case read, more := <-events:
		if more {
			e = read
		}
	case <-late.C:
		e.err = errStoreSlow
	case <-f.r.Context().Done():
		return e.Event, false
	}
	switch {
	case errors.Is(e.err, ErrGone):
		writeInvalid(f.w, http.StatusBadRequest, "the events after Last-Event-ID are no longer kept, or no event has had that id")
	case e.err != nil:
		f.h.refuseStore(f.w, f.r, noID, e.err)
	}
	return e.Event, e.err == nil
}

// writeAll writes events until the last one.
func (f *following) writeAll(ctx context.Context, events <-chan storedEvent) {
	_ = f.control.SetReadDeadline(time.Time{})
	_ = f.control.SetWriteDeadline(time.Time{})
	quiet, alive := time.NewTicker(followWait), time.NewTicker(f.h.limits.KeepAlive)
	defer quiet.Stop()
	defer alive.Stop()
	if !f.expires.IsZero() {
		timer := time.NewTimer(time.Until(f.expires))
		defer timer.Stop()
		f.expired = timer.C
	}
	if f.owner == f.shared.name {
		f.stopping = nil // its call will be answered
	}
	runs, asking := make(chan bool, 1), false
	ask := func() {
		if !asking {
			asking = true
			go func() { runs <- f.runs(ctx) }()
		}
	}
	ask()
	for {
		connected := true
		select {
		case e, more := <-events:
			if !more || e.err != nil {
				f.endByStore(ctx, e.err)
				return
			}
			connected = f.writeEvent(e.Event)
			quiet.Reset(followWait)
			alive.Reset(f.h.limits.KeepAlive)
		case <-quiet.C:
			ask()
		case still := <-runs:
			asking = false
			if still {
				connected = f.begin()
			} else {
				connected = f.interrupt(ctx)
			}
		case retry := <-f.released:
			f.letGo(retry)
			return
		case <-alive.C:
			connected = f.begin() && f.writeComment()
		case <-f.r.Context().Done():
			return
		case <-f.replaced:
			connected = false
		case <-f.sessionEnded:
			connected = false
		case <-f.stopping:
			connected = false
		case <-f.expired:
			connected = false
		case <-f.h.closed:
			connected = false
		}
		if !connected {
			return // with status 200 and no event, if there was none: the client resumes
		}
	}
}

// letGo ends the response, which the client resumes after that time.
func (f *following) letGo(retry time.Duration) {
	if f.begin() {
		id := sharedEventID(f.stream, int(f.last-1)) + "-" + strconv.FormatUint(uint64(rand.Uint32())+1, 10) // other replicas use other ones
		f.send(appendPriming(appendRetry(nil, retry), id))
	}
}

// begin writes the header, if it is not written.
func (f *following) begin() bool {
	if f.started {
		return true
	}
	f.writeHead()
	return f.send(nil)
}

// endByStore ends the response since events cannot be read. The client resumes later.
func (f *following) endByStore(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case err == nil:
		f.endByStore(ctx, errNoEvents)
	case f.started:
		f.h.fails(ctx, "events of a session cannot be read", err)
	default:
		f.h.refuseStore(f.w, f.r, noID, err)
	}
}

// errNoEvents is the fault of a store whose sequence of events ends.
var errNoEvents = errors.New("the events of the session store have ended before their context")

// open reads an event.
func (f *following) open(e Event) (kind byte, text []byte, ok bool) {
	plain, ok, err := f.h.host.Unseal(f.r.Context(), eventPurpose(f.shared.id, f.stream, e.Sequence), e.Data)
	if ok && err == nil {
		if kind, f.id, text, ok = readStored(plain); ok {
			return kind, text, true
		}
	}
	if err == nil {
		err = errors.New("an event is not one of its stream, or the replicas have different state keys")
	}
	f.h.fails(f.r.Context(), "events of a session cannot be read", err)
	return 0, nil, false
}

// writeEvent writes an event. It reports whether others can follow.
func (f *following) writeEvent(e Event) (more bool) {
	kind, text, ok := f.open(e)
	switch {
	case !ok || e.Sequence != f.last+1:
		return false // an event is missing: the client resumes before it
	case kind == lastEvent && len(text) == 0 && !f.started:
		f.writeNothing()
		return false
	}
	f.last = e.Sequence
	if !f.started {
		f.writeHead()
	}
	if len(text) == 0 {
		return false
	}
	f.account.Set(2 * len(text))
	defer f.account.Set(0)
	sent := f.send(appendEvent(nil, "message", sharedEventID(f.stream, int(f.last-1)), text))
	return sent && kind != lastEvent
}

// runs reports whether the call may still run.
func (f *following) runs(ctx context.Context) bool {
	if f.owner == f.shared.name {
		return f.shared.runs(f.stream)
	}
	taken, err := f.shared.send(ctx, f.owner, message{Kind: runsMessage, Stream: f.stream})
	return taken || err != nil
}

// interrupt appends the error that ends the stream, unless something has been appended since: that is
// read as other events are. It reports whether to go on reading.
func (f *following) interrupt(ctx context.Context) bool {
	l := eventLog{shared: f.shared, name: f.stream, id: f.id}
	err := l.append(f.last, lastEvent, jsonrpc.AppendError(nil, f.id, errInterrupted))
	if err == nil || errors.Is(err, ErrConflict) {
		return true
	}
	f.endByStore(ctx, err)
	return false
}

// setFollower records the response that follows a stream at this replica, nil for none. It ends the one
// before.
func (c *sharedSession) setFollower(stream string, f *following) {
	se := c.session.Load()
	se.mu.Lock()
	defer se.mu.Unlock()
	if before := c.followers[stream]; before != nil {
		close(before.replaced)
		delete(c.followers, stream)
	}
	if f != nil {
		c.followers[stream] = f
	}
}

// releaseFollower ends the response that follows a stream at this replica, if there is one.
func (c *sharedSession) releaseFollower(stream string, retry time.Duration) {
	se := c.session.Load()
	se.mu.Lock()
	defer se.mu.Unlock()
	if f := c.followers[stream]; f != nil {
		select {
		case f.released <- retry:
		default:
		}
	}
}

// removeFollower forgets a response that has ended.
func (c *sharedSession) removeFollower(f *following) {
	se := c.session.Load()
	se.mu.Lock()
	defer se.mu.Unlock()
	if c.followers[f.stream] == f {
		delete(c.followers, f.stream)
	}
}
