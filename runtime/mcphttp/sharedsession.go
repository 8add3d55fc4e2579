package mcphttp

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file is the copy of a session that a replica has open.

const (
	// storeWait is for how long the store is tried.
	storeWait = 5 * time.Second
	// checkAfter is for how long a copy is used before its record is read again. The end of a
	// session is a message, which can be lost.
	checkAfter = 30 * time.Second
	// maxUpdates is how often an update of a record is tried while other replicas change it.
	maxUpdates = 20
)

var (
	errStoreSlow       = errors.New("the session store has not answered within " + storeWait.String())
	errTooManySessions = errors.New("overloaded: too many sessions")
)

// sharedSession is the copy of a session at this replica.
type sharedSession struct {
	id     string // of the session
	name   string // of the copy, among all copies of the session
	opener bool   // the session was opened here
	core   *core
	stop   func() // ends Receive
	// session is nil until it is open.
	session atomic.Pointer[session]
	// lost is set when messages may have been lost: the record is read again.
	lost atomic.Bool

	mu      sync.Mutex             // held while the record is read or written
	known   transport.SessionState // as the store has it
	version uint64                 // of that record; 0 before it is created
	written time.Time              // that record
	checked time.Time              // when the record was read
	touched time.Time              // when the idle time has begun
	opened  uint64                 // see record

	// The lock of the session guards these.
	followers map[string]*following // of streams, by their names
	last      uint64                // the number of a notice up to which the client has all
	resuming  int                   // how many goroutines notify the client of earlier ones
}

// fromStore returns the result of a method of the store, which has storeWait for it.
func fromStore[T any](ctx context.Context, f func(context.Context) (T, error)) (result T, err error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), storeWait, errStoreSlow)
	defer cancel()
	results := make(chan T, 1) // f may return later
	err = usercode.Within(ctx, "the session store", func() error {
		result, err := f(ctx)
		results <- result
		return err
	})
	select {
	case result = <-results:
	default:
	}
	return result, err
}

// withStore is fromStore for methods that return an error alone.
func withStore(ctx context.Context, f func(context.Context) error) error {
	_, err := fromStore(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}

// fails logs an error of the store.
func (h *core) fails(ctx context.Context, what string, err error) {
	h.log.Program(ctx, slog.LevelError, what, slog.Any("error", err))
}

// join begins to receive the messages for a copy.
func (h *core) join(ctx context.Context, id string, opener bool) (*sharedSession, error) {
	c := &sharedSession{id: id, name: rand.Text(), opener: opener, core: h, followers: map[string]*following{}}
	stop, err := fromStore(ctx, func(ctx context.Context) (func(), error) {
		stop, err := h.store.Receive(ctx, id, c.name, c.receive)
		if err == nil && ctx.Err() != nil {
			stop() // join has returned
		}
		return stop, err
	})
	c.stop = sync.OnceFunc(func() {
		_ = withStore(context.Background(), func(context.Context) error { stop(); return nil })
	})
	return c, err
}

// setOptions sets what is particular to the connection of a copy. The state is nil for a new session.
func (c *sharedSession) setOptions(o *transport.Options, state *transport.SessionState) {
	o.State, o.RequestIDs = state, c.name+requestMark
	o.PingTimeout = func() {
		if err := c.core.endShared(context.Background(), c.session.Load()); err != nil {
			c.core.fails(context.Background(), "a session without answer to a ping cannot be ended", err)
		}
	}
}

// openSession opens a session for initialize. It returns nil if there are too many.
func (h *core) openSession(ctx context.Context, who *requester) (*session, error) {
	if h.store != nil {
		return h.openShared(ctx, who)
	}
	return h.sessions.open(h.host, who, true), nil
}

// acquireSession returns the session of a request, and acquires it. The error is [ErrNoSession] if there
// is no such session of the principal.
func (h *core) acquireSession(ctx context.Context, id string, who *requester) (*session, error) {
	if h.store == nil {
		se := h.sessions.find(id, who.ID)
		if se == nil || !se.acquire() {
			return nil, ErrNoSession
		}
		return se, nil
	}
	for range 3 { // a copy may end when there are too many, and is opened again
		se, err := h.findShared(ctx, id, who)
		switch {
		case err != nil:
			return nil, err
		case se == nil:
			return nil, ErrNoSession
		case se.acquire():
			return se, nil
		}
	}
	return nil, errTooManySessions
}

// openShared opens a session that other replicas can open too, once its record is created
// ([sharedSession.create]). It returns nil if there are too many.
func (h *core) openShared(ctx context.Context, who *requester) (*session, error) {
	c, err := h.join(ctx, rand.Text(), true)
	if err != nil {
		return nil, err
	}
	se, _ := h.sessions.add(h.host, who, sessionParts{id: c.id, resumable: true, shared: c})
	if se == nil {
		c.stop()
	}
	return se, nil
}

// setLast sets up to which notice the client has all.
func (c *sharedSession) setLast(se *session, number uint64) {
	se.mu.Lock()
	defer se.mu.Unlock()
	c.last = number
}

// findShared returns the copy of a session, which it opens if it is not. It returns nil if there is
// no such session of the principal.
func (h *core) findShared(ctx context.Context, id string, who *requester) (*session, error) {
	if se := h.sessions.find(id, who.ID); se != nil {
		switch err := se.shared.check(ctx); {
		case errors.Is(err, ErrNoSession):
			h.sessions.end(se)
			return nil, nil
		case err != nil:
			return nil, err
		}
		return se, nil
	}
	if !isRandomText(id) {
		return nil, nil // it is not worth a request to the store
	}
	r, _, err := h.load(ctx, id)
	if errors.Is(err, ErrNoSession) || err == nil && r.Principal != who.ID {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	c, err := h.join(ctx, id, false)
	if err != nil {
		return nil, err
	}
	// Again, since messages are received only now.
	r, version, err := h.load(ctx, id)
	if err != nil {
		c.stop()
		if errors.Is(err, ErrNoSession) {
			err = nil
		}
		return nil, err
	}
	c.stored(r.State, version, r.Written)
	c.opened, c.last = r.Opened, r.Opened
	se, added := h.sessions.add(h.host, who, sessionParts{id: id, resumable: true, shared: c, state: &r.State})
	if !added {
		c.stop()
	}
	switch {
	case se == nil:
		return nil, errTooManySessions
	case se.conn.Negotiated() == nil:
		h.sessions.end(se)
		return nil, errors.New("the session has a revision that this replica does not know")
	}
	return se, nil
}

// isRandomText reports whether a text can be a result of rand.Text, such as the id of a session.
func isRandomText(id string) bool {
	for i := range len(id) {
		if c := id[i]; (c < 'A' || c > 'Z') && (c < '2' || c > '7') {
			return false
		}
	}
	return len(id) == len(rand.Text())
}

// endShared ends a session at all replicas.
func (h *core) endShared(ctx context.Context, se *session) error {
	err := withStore(ctx, func(ctx context.Context) error { return h.store.Delete(ctx, se.id) })
	if err == nil {
		se.shared.sendAll(ctx, message{Kind: endMessage})
		h.sessions.end(se)
	}
	return err
}

// expired ends a copy that has been idle for IdleTime; others may be in use. That of the
// replica which has opened the session stays as long as the session, for its hooks.
func (c *sharedSession) expired(se *session) {
	go func() {
		if c.opener {
			if _, _, err := c.core.load(context.Background(), c.id); !errors.Is(err, ErrNoSession) {
				return
			}
		}
		c.core.sessions.end(se)
	}()
}

// refuseStore writes the response to a request whose session cannot be used.
func (h *core) refuseStore(w http.ResponseWriter, r *http.Request, id jsonrpc.ID, err error) {
	message := err.Error()
	switch {
	case errors.Is(err, ErrNoSession):
		writeError(w, http.StatusNotFound, id, errNoSession)
		return
	case errors.Is(err, errTooManySessions), errors.Is(err, errNoReplica):
	default:
		h.fails(r.Context(), "the session store cannot be used", err)
		message = "the session store cannot be used now" // the error is not for clients
	}
	writeOverloaded(w, id, message)
}
