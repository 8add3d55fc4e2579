package mcphttp

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcphttp/internal/sharedsession"
)

// SessionStore stores sessions of the revisions up to 2025-11-25 for several replicas of a server,
// and carries messages between the replicas. All records, events and messages are encrypted with
// the state keys of the server. Ids of sessions, and names of streams and copies, consist of at
// most 64 letters, digits, dots and hyphens. The methods may be called by many goroutines; callers
// may change slices after a method returns. An error other than the ones below means that the store
// is unavailable at the moment.
type SessionStore interface {
	// Create stores the record of a new session, and returns its version. The record is deleted
	// after the time idle without a Create, Update or Touch.
	Create(ctx context.Context, id string, record []byte, idle time.Duration) (version uint64, err error)
	// Load returns the record and its version, or ErrNoSession. It sees every Create, Update and
	// Delete that has returned at any replica.
	Load(ctx context.Context, id string) (record []byte, version uint64, err error)
	// Update replaces a record that has the given version, and returns the version of the new one.
	// The error is ErrConflict if the version differs, and ErrNoSession if the record does not
	// exist.
	Update(ctx context.Context, id string, record []byte, version uint64) (uint64, error)
	// Touch starts the idle time anew. The error is ErrNoSession if the session does not exist. The
	// version may change or not; if it does, Update with the version before returns ErrConflict.
	Touch(ctx context.Context, id string) error
	// Delete deletes the record and all events of a session. It does nothing if the session does
	// not exist.
	Delete(ctx context.Context, id string) error

	// Append adds an event to a stream of a session, and gives it the number after+1; the first one
	// has the number 1. The error is ErrConflict unless the last event of the stream has the number
	// after, and ErrNoSession if the session does not exist. The store may drop events after a time
	// or if the session has too many, the oldest of a stream first.
	Append(ctx context.Context, id, stream string, after uint64, event []byte) error
	// Events returns the events of a stream after the given number: the stored ones, then the ones
	// to come. The error is ErrGone if the next event is no longer stored, or if there has been no
	// event with the number after, unless after is 0. The sequence ends when ctx is cancelled, with
	// its cause.
	Events(ctx context.Context, id, stream string, after uint64) iter.Seq2[Event, error]

	// Send sends a message to the copy of the session with that name, and reports whether its
	// function has taken it. Without such a copy it returns false at once. If to is "", it sends
	// the message to all copies, does not wait, and returns false.
	Send(ctx context.Context, id, to string, message []byte) (taken bool, err error)
	// Receive calls handle with the messages for the copy with the given name, and for all copies,
	// including messages that the copy sends itself, one at a time and in the order of each sender,
	// from its return until stop is called. If messages may have been lost, it calls handle with
	// nil.
	Receive(ctx context.Context, id, name string, handle func(message []byte) (taken bool)) (stop func(), err error)
}

// Event is an event of a stream.
type Event struct {
	Sequence uint64 // number of the event in the stream
	Data     []byte // as given to Append
}

// Errors of a [SessionStore].
var (
	ErrNoSession = sharedsession.ErrNoSession
	ErrConflict  = sharedsession.ErrConflict
	ErrGone      = sharedsession.ErrGone
)

// sharedStore is a SessionStore for package sharedsession, which cannot name an [Event].
type sharedStore struct{ SessionStore }

func (s sharedStore) Events(ctx context.Context, id, stream string, after uint64) iter.Seq2[sharedsession.Event, error] {
	return func(yield func(sharedsession.Event, error) bool) {
		for e, err := range s.SessionStore.Events(ctx, id, stream, after) {
			if !yield(sharedsession.Event(e), err) {
				return
			}
		}
	}
}

// WithSessionStore shares the sessions of the revisions up to 2025-11-25 with the other replicas of
// the server, so that any of them can serve any request of a session, and resume any of its
// streams. Each replica that a session reaches opens a copy of it. Calls run at the replica that
// has received them. If that replica dies, a client that resumes gets the messages that its call
// sent so far, and then an error whose data.reason is "interrupted".
//
// The replicas need the same state keys ([mcp.WithStateKeys], [mcp.WithStateKeySource]), the same
// principals, and [mcp.WithPubSub] for changes. Limits for sessions apply to each replica. A
// session expires up to a quarter of IdleTime late. The store limits events; EventBytes and
// EventTime do not apply. Hooks ([mcp.WithSessionHook]) begin at the replica that opens the
// session, and end when that replica notices that the session is closed, or stops. Requests that
// need the store get status 503 while it is unavailable.
//
// NewHandler panics if the server has no state keys that can be shared, or if [WithoutSessions] is
// given, too. [NewSSEHandler] ignores the option: a session of HTTP+SSE is one connection.
func WithSessionStore(store SessionStore) Option {
	return func(s *settings) { s.store = store }
}
