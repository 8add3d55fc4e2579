// Package sharedsession implements the sessions of the revisions up to 2025-11-25 that several
// replicas of a server share, on top of a store: their records, the messages that the copies of a
// session send each other, and the events of their streams. Package mcphttp writes the responses. A
// server without such a store does not call this package.
package sharedsession

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
)

const (
	// checkAfter limits the time for which a copy is used before its record is read again. The
	// close of a session is a message, which can be lost.
	checkAfter = 30 * time.Second
	// maxUpdates limits the attempts to update a record while other replicas change it.
	maxUpdates = 20
)

// Replica opens copies of the sessions of a store.
type Replica struct {
	Store    Store
	Host     transport.Server
	Log      *logs.Log
	IdleTime time.Duration     // idle time of a session
	Logs     transport.Endings // streams whose messages are being appended
}

// Fails logs an error of the store.
func (r *Replica) Fails(ctx context.Context, what string, err error) {
	r.Log.Program(ctx, slog.LevelError, what, slog.Any("error", err))
}

// Session is the copy of a session at this replica.
type Session struct {
	*Replica
	ID        string
	Notices   Notices
	Leave     func() // stops receiving messages for the copy
	principal string
	name      string // name of the copy, unique among all copies of the session
	opener    bool   // the session was opened here
	// local is nil until the copy is open.
	local atomic.Pointer[local]
	// lost is set when messages may have been lost: the record must be read again.
	lost atomic.Bool

	mu      sync.Mutex             // held while the record is read or written
	known   transport.SessionState // the state in the store
	version uint64                 // version of that record; 0 before it is created
	written time.Time              // time when that record was written
	checked time.Time              // when the record was read
	touched time.Time              // when the idle time was last started
	opened  uint64                 // see record

	following sync.Mutex
	followers map[string]*Follower // followers of streams, by the names of the streams
}

// Local is a session of the handler of this replica. Its streams are numbered; the stream for
// messages that do not belong to a request has the number 0.
type Local interface {
	// Deliver takes a message of the client that has arrived at another replica.
	Deliver(in transport.Message)
	// Runs reports whether the stream belongs to a call whose messages are being appended.
	Runs(stream int) bool
	// Detach completes the response of a stream, which the client reads elsewhere.
	Detach(stream int)
	// End closes the session at this replica.
	End()
}

// local is an open session with its connection.
type local struct {
	transport.Conn
	Local
}

// New returns the first copy of a new session, whose record [Session.Commit] creates.
func (r *Replica) New(ctx context.Context, principal string) (*Session, error) {
	return r.join(ctx, rand.Text(), principal, true)
}

// Find returns a copy of a session of the principal.
func (r *Replica) Find(ctx context.Context, id, principal string) (*Session, error) {
	if !isRandomText(id) {
		return nil, ErrNoSession // so the store need not be asked
	}
	rec, _, err := r.load(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case rec.Principal != principal:
		return nil, ErrNoSession
	}
	c, err := r.join(ctx, id, principal, false)
	if err != nil {
		return nil, err
	}
	// Load again, since messages are received only from now on.
	rec, version, err := r.load(ctx, id)
	if err != nil {
		c.Leave()
		return nil, err
	}
	c.stored(rec.State, version, rec.Written)
	c.opened, c.Notices.last = rec.Opened, rec.Opened
	return c, nil
}

// join begins to receive the messages for a copy.
func (r *Replica) join(ctx context.Context, id, principal string, opener bool) (*Session, error) {
	c := &Session{Replica: r, ID: id, principal: principal, name: rand.Text(), opener: opener, followers: map[string]*Follower{}}
	stop, err := fromStore(ctx, func(ctx context.Context) (func(), error) {
		stop, err := r.Store.Receive(ctx, id, c.name, c.receive)
		if err == nil && ctx.Err() != nil {
			stop() // called before join has returned
		}
		return stop, err
	})
	c.Leave = sync.OnceFunc(func() {
		_ = withStore(context.Background(), func(context.Context) error { stop(); return nil })
	})
	return c, err
}

// SetOptions sets the options that depend on the copy.
func (c *Session) SetOptions(o *transport.Options) {
	if !c.opener {
		o.State = &c.known
	}
	o.RequestIDs = c.name + requestMark
	o.PingTimeout = func() {
		if err := c.End(context.Background()); err != nil {
			c.Fails(context.Background(), "a session without answer to a ping cannot be ended", err)
		}
	}
}

// Open sets the connection of the copy, and the session of the handler.
func (c *Session) Open(conn transport.Conn, l Local) { c.local.Store(&local{conn, l}) }

// End closes a session at all replicas.
func (c *Session) End(ctx context.Context) error {
	err := withStore(ctx, func(ctx context.Context) error { return c.Store.Delete(ctx, c.ID) })
	if err == nil {
		c.sendAll(ctx, message{Kind: endMessage})
		c.local.Load().End()
	}
	return err
}

// expired closes a copy that has been idle for IdleTime; other copies may be in use. The copy of
// the replica that has opened the session stays as long as the session, for its hooks.
func (c *Session) expired() {
	go func() {
		if c.opener {
			if _, _, err := c.load(context.Background(), c.ID); !errors.Is(err, ErrNoSession) {
				return
			}
		}
		c.local.Load().End()
	}()
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
