package sharedsession

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file manages the record of a session in the store. It changes by compare-and-swap, before
// the request that changes the session is answered; the other copies get the new record as a
// message (messages.go).

// record is the content of a session's record in the store.
type record struct {
	Principal string                 `json:"principal"`
	Opened    uint64                 `json:"opened"`  // number of the latest notice when the session was opened
	Changed   uint64                 `json:"changed"` // number of the latest notice when the record was written
	Written   time.Time              `json:"written"`
	State     transport.SessionState `json:"state"`
}

// rewriteAfter is the time after which the record of a session in use is written again, so that it
// is encrypted with a current key: sources of keys remove old ones.
const rewriteAfter = 12 * time.Hour

// create stores the record of a session that initialize has opened.
func (c *Session) create(ctx context.Context) error {
	l := c.local.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	state := l.State()
	if state.Revision == "" {
		return nil // initialize has failed
	}
	c.opened = l.Notified()
	c.Notices.resumed(c.opened, true)
	text, err := c.seal(ctx, state)
	if err != nil {
		return err
	}
	version, err := fromStore(ctx, func(ctx context.Context) (uint64, error) {
		return c.Store.Create(ctx, c.ID, text, c.IdleTime*5/4)
	})
	if err == nil {
		c.stored(state, version, time.Now())
	}
	return err
}

// stored sets the state of the record in the store. The caller holds the lock.
func (c *Session) stored(state transport.SessionState, version uint64, written time.Time) {
	c.known, c.version, c.written, c.checked, c.touched = state, version, written, time.Now(), time.Now()
}

// seal returns a sealed record.
func (c *Session) seal(ctx context.Context, state transport.SessionState) ([]byte, error) {
	text, err := json.Marshal(&record{c.principal, c.opened, c.local.Load().Notified(), time.Now(), state})
	if err != nil {
		return nil, err
	}
	return c.Host.Seal(ctx, sessionPurpose(c.ID), text)
}

// sessionPurpose returns the purpose for sealing a session's texts, so that they cannot be used for
// another session.
func sessionPurpose(id string) string { return "session " + id }

// load reads the record. The error is ErrNoSession, or an error of the store.
func (r *Replica) load(ctx context.Context, id string) (rec record, version uint64, err error) {
	sealed, err := fromStore(ctx, func(ctx context.Context) (v versioned, err error) {
		v.record, v.version, err = r.Store.Load(ctx, id)
		return v, err
	})
	if err != nil {
		return rec, 0, err
	}
	text, ok, err := r.Host.Unseal(ctx, sessionPurpose(id), sealed.record)
	switch {
	case err != nil:
		return rec, 0, err
	case !ok:
		return rec, 0, errors.New("the record of a session cannot be read: the replicas have different state keys")
	}
	if err := json.Unmarshal(text, &rec); err != nil {
		return rec, 0, fmt.Errorf("the record of a session: %w", err)
	}
	rec.Written = writtenBy(rec.Written, time.Now())
	return rec, sealed.version, nil
}

// writtenBy returns the time when a record was written, by the clock of another replica. A time in
// the future cannot be trusted: the record is then written again at once, and not only after its
// key was removed.
func writtenBy(clock, now time.Time) time.Time {
	if clock.Sub(now) > time.Minute {
		return time.Time{}
	}
	return clock
}

// versioned is a record with the version that the store assigns.
type versioned struct {
	record  []byte
	version uint64
}

// Check reads the record again if it was read long ago, or messages may have been lost.
func (c *Session) Check(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.version == 0: // initialize has not created it yet
		return nil
	case !c.known.Initialized: // another replica may have been notified just now
	case c.lost.Load(), time.Since(c.checked) >= checkAfter:
	default:
		return nil
	}
	c.lost.Store(false)
	err := c.read(ctx)
	if err != nil {
		c.lost.Store(true)
	}
	return err
}

// read reads the record, and applies it to the copy. The caller holds the lock.
func (c *Session) read(ctx context.Context) error {
	rec, version, err := c.load(ctx, c.ID)
	if err != nil {
		return err
	}
	c.checked, c.written = time.Now(), rec.Written
	c.apply(rec.State, version, rec.Changed)
	return nil
}

// apply applies the changes of a record to the copy, which may have further changes that are not
// stored yet. It notifies the client of changes since the record was written, when this copy did
// not have the session's subscriptions. The caller holds the lock.
func (c *Session) apply(state transport.SessionState, version, changed uint64) {
	if version <= c.version {
		return
	}
	c.local.Load().Change(c.known, state)
	if !slices.Equal(state.Resources, c.known.Resources) {
		c.notifyAfter(changed)
	}
	c.known, c.version = state, version
}

// save stores the changes of a request, and sends them to the other copies.
func (c *Session) save(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.local.Load()
	for range maxUpdates {
		mine := l.State()
		if same(mine, c.known) && time.Since(c.written) < rewriteAfter {
			return nil
		}
		text, err := c.seal(ctx, mine)
		if err != nil {
			return err
		}
		before, changed := c.version, l.Notified()
		version, err := fromStore(ctx, func(ctx context.Context) (uint64, error) {
			return c.Store.Update(ctx, c.ID, text, before)
		})
		switch {
		case err == nil:
			c.stored(mine, version, time.Now())
			c.sendAll(ctx, message{Kind: stateMessage, State: &mine, Version: version, Changed: changed})
			return nil
		case !errors.Is(err, ErrConflict):
			return err
		}
		if err := c.read(ctx); err != nil {
			return err
		}
	}
	return errors.New("the record of a session has changed too often")
}

// same reports whether the parts that change are equal in two states.
func same(a, b transport.SessionState) bool {
	return a.Level == b.Level && a.Initialized == b.Initialized && slices.Equal(a.Resources, b.Resources)
}

// Keep is called from time to time, with the time for which the copy has been idle. If the session
// is in use, it starts the idle time of the session anew; otherwise it may close the copy. It does
// not wait for the store.
func (c *Session) Keep(idle time.Duration) {
	if idle >= c.IdleTime {
		c.expired()
		return
	}
	if !c.mu.TryLock() {
		return // another goroutine uses the store
	}
	due := c.version > 0 && time.Since(c.touched) > idle && time.Since(c.touched) >= c.IdleTime/4
	rewrite := time.Since(c.written) >= rewriteAfter
	if due {
		c.touched = time.Now()
	}
	c.mu.Unlock()
	if !due {
		return
	}
	go func() {
		ctx := context.Background()
		var err error
		if rewrite {
			err = c.save(ctx)
		} else {
			err = withStore(ctx, func(ctx context.Context) error { return c.Store.Touch(ctx, c.ID) })
		}
		switch {
		case errors.Is(err, ErrNoSession):
			c.local.Load().End()
		case err != nil:
			c.Fails(ctx, "the idle time of a session cannot begin anew", err)
			c.mu.Lock()
			c.touched = time.Time{} // try again soon
			c.mu.Unlock()
		}
	}()
}

// Commit returns the function that stores the changes of a message, or nil if the message changes
// nothing.
func (c *Session) Commit(ctx context.Context, m *jsonrpc.Message, opens bool) func() error {
	switch {
	case opens:
		return func() error { return c.create(ctx) }
	case changesSession(m):
		return func() error { return c.save(ctx) }
	}
	return nil
}
