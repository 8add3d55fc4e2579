package mcphttp

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcphttp/internal/sharedsession"
)

// SessionStore keeps sessions of the revisions up to 2025-11-25 for several replicas of a server, and
// carries messages between those. What it is given is encrypted with the state keys of the server.
// Ids of sessions, and names of streams and copies, consist of letters, digits, dots and hyphens, at most 64.
// Its methods may be called by many goroutines; slices that they are given may be changed afterwards.
// An error that is not one of those below means that the store cannot be used now.
type SessionStore interface {
	// Create stores the record of a new session, which is deleted after it has been idle for that
	// time: since Create, Update, or Touch. It returns the version of the record.
	Create(ctx context.Context, id string, record []byte, idle time.Duration) (version uint64, err error)
	// Load returns the record and its version, or ErrNoSession. It sees every Create, Update
	// and Delete that has returned at any replica.
	Load(ctx context.Context, id string) (record []byte, version uint64, err error)
	// Update replaces a record of that version, and returns the version of the new one. The
	// error is ErrConflict if the record has another version, and ErrNoSession without one.
	Update(ctx context.Context, id string, record []byte, version uint64) (uint64, error)
	// Touch begins the idle time anew. The error without a session is ErrNoSession. The version
	// may change or not; if it does, Update with the version before is ErrConflict.
	Touch(ctx context.Context, id string) error
	// Delete deletes the record and all events of a session. Without one it does nothing.
	Delete(ctx context.Context, id string) error

	// Append adds an event to a stream of a session, and gives it the number after+1; the first
	// one has the number 1. The error is ErrConflict unless the last event of the stream has the
	// number after, and ErrNoSession without the session. The event may be dropped after a time
	// or when the session has too many, the oldest of a stream first.
	Append(ctx context.Context, id, stream string, after uint64, event []byte) error
	// Events returns the events of a stream after that number: those that are kept, then those to
	// come. The error is ErrGone if the next one is not kept any more, or there has been no event
	// with the number after, unless that is 0. The sequence ends when ctx does, with its cause.
	Events(ctx context.Context, id, stream string, after uint64) iter.Seq2[Event, error]

	// Send sends a message to the copy of the session with that name, and reports whether its
	// function has taken it. Without such a copy it returns false at once. If to is "", it sends the
	// message to all copies, does not wait, and returns false.
	Send(ctx context.Context, id, to string, message []byte) (taken bool, err error)
	// Receive has handle called with the messages for the copy with that name, and for all, also
	// those that the copy sends itself, one at a time and in order for each sender, from when it
	// returns until stop is called. If messages may have been lost, handle is called with nil.
	Receive(ctx context.Context, id, name string, handle func(message []byte) (taken bool)) (stop func(), err error)
}

// Event is an event of a stream.
type Event struct {
	Sequence uint64 // its number in the stream
	Data     []byte // what was given to Append
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

// WithSessionStore shares the sessions of the revisions up to 2025-11-25 with the other replicas of the
// server, so that any of them can serve any request of a session, and resume any of its streams. Each
// replica that a session reaches opens a copy of it. Calls run at the replica that has received them. If
// that dies, a client that resumes gets what its call has sent so far, and then an error whose
// data.reason is "interrupted".
//
// The replicas need the same state keys ([mcp.WithStateKeys], [mcp.WithStateKeySource]), the same
// principals, and [mcp.WithPubSub] for changes. Limits of sessions are those of each replica.
// IdleTime begins anew with a quarter of it as precision. EventBytes and EventTime are those of the store.
// Hooks ([mcp.WithSessionHook]) begin at the replica that opens the session, and end when that
// has noticed its end, or stops. Requests that need the store get status 503 while it cannot be used.
//
// NewHandler panics if the server has no state keys that can be shared, or together with
// [WithoutSessions]. [NewSSEHandler] ignores the option: a session of HTTP+SSE is one connection.
func WithSessionStore(store SessionStore) Option {
	return func(s *settings) { s.store = store }
}
