// Package transport defines the interface that a server offers to transports which give each
// request a channel of its own, as HTTP does. Package mcp implements [Server], [Conn] and
// [Message], and transports implement [Sink]. A transport with one stream of messages in each
// direction needs less: it implements [jsonrpc.Conn].
package transport

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Sink receives the reply to a request, and the notifications and requests that belong to it.
// Messages are copied. A connection calls the methods of a sink one at a time, except for Wait and
// Flush.
type Sink interface {
	// Reply queues the reply to one request. code is the code of its error, or 0 for a result. It
	// never waits. An empty message means that there is no reply.
	Reply(message []byte, code int)
	// Answer is like Reply for a request that the reading goroutine answers, which has not called
	// Wait.
	Answer(message []byte, code int)
	// Refuse is like Answer for a request that is refused before it is looked at, since it is not a
	// request of any revision.
	Refuse(message []byte, code int)
	// Notify queues a message that is not a reply. It never waits.
	Notify(message []byte)
	// FlushAsync starts sending the queue, and does not wait.
	FlushAsync()
	// Wait waits until there is room, or the client is gone. Only handlers call it, and each of
	// them then calls Flush, even if it has queued nothing: Flush wakes the next one.
	Wait()
	// Flush sends the queue, unless another goroutine is sending. It may wait for the client; only
	// handlers call it.
	Flush()
	// Full reports whether Wait would wait.
	Full() bool
}

// Releaser is a [Sink] that can release its channel before the reply: the client comes back for the
// rest.
type Releaser interface {
	// Release releases the channel, and reports whether it could. The client is asked to come back
	// after the time retry.
	Release(retry time.Duration) bool
}

// Owner is a [Sink] that can take over the storage of a large reply instead of copying it.
type Owner interface {
	// Own is like [Sink.Reply] for a message whose storage is from the pool and belongs to the sink
	// afterwards. It does nothing, and returns false, if the message must be copied.
	Own(message []byte, code int) bool
}

// Overloader is a [Sink] whose channel has a reply of its own, such as a status code, for a request
// that the server has no capacity for, or whose store is unavailable.
type Overloader interface {
	// Overload is like [Sink.Answer] for such a request, which has not run.
	Overload(message []byte, code int)
}

// Denier is a [Sink] whose channel has a reply of its own for a caller that may not use a feature.
type Denier interface {
	// Deny is called before [Sink.Reply] for such a request, with a *mcp.AccessError.
	Deny(refusal error)
}

// Listener is a [Sink] whose client may not be receiving.
type Listener interface {
	Listening() bool
}

// PeerWatcher is a [Sink] that knows whether its client has disconnected for good.
type PeerWatcher interface {
	PeerGone() bool
}

// Numberer is a [Sink] for messages that do not belong to a request, whose channel can be resumed.
type Numberer interface {
	// NotifyNumbered is like [Sink.Notify] for the notice with that number. A client that resumes
	// after it misses no notice before; see [Conn.Resume].
	NotifyNumbered(message []byte, number uint64)
}

// Message is a message on its way to a server, with its storage. It has one owner: [Conn.Take]
// makes the connection the owner.
type Message interface {
	// Buffer returns empty storage for the message.
	Buffer() []byte
	// Room charges storage of the given capacity for the text, replacing the charge before. It
	// returns false if the budget of the server does not allow it.
	Room(capacity int) bool
	// Parse parses a message, whose text must not be changed any more. Message contains the parts
	// that were read even if Parse returns an error.
	Parse(text []byte) *jsonrpc.Error
	// Text returns the text that was passed to Parse.
	Text() []byte
	// Message returns the parsed message.
	Message() *jsonrpc.Message
	// Drop gives the storage back. It is called instead of Take.
	Drop()
}

// Caller describes the sender of a message, as far as a transport knows it.
type Caller struct {
	// Values are values for the context of handlers, in addition to the values of the connection.
	// May be nil. Its cancellation does not cancel handlers.
	Values context.Context
	// Principal is a *mcp.Principal, or nil.
	Principal any
	// Groups are the groups to which the request narrows the features; nil for all.
	Groups []string
	// Header are header fields, by canonical keys.
	Header map[string][]string
	// Client is the client for limits per client.
	Client clientlimit.Client
	// Address is the address of the client, zero if it is not known.
	Address netip.Addr
}

// Conn is one client of a server: a session, or a single request. Its methods may be called by many
// goroutines.
type Conn interface {
	// Take takes a message whose replies go to the sink. It never waits. It reports whether a reply
	// will come or has come, which may be empty.
	Take(in Message, from Caller, out Sink) (expect bool)
	// Renew sets the sender of a request of the session without a message. The sender becomes the
	// latest principal, like the sender of a message.
	Renew(principal any)
	// Negotiated returns the revision of the session, or nil before it opens.
	Negotiated() *protocol.Revision
	// Active returns the number of running requests.
	Active() int
	// Drain waits until no request runs, or the time is up.
	Drain(within time.Duration)
	// InputClosed fails the requests that wait for the client, which can no longer reply.
	InputClosed()
	// Cancel cancels all requests in flight, as the client could: they get no reply.
	Cancel()
	// Close cancels the requests because the connection closes, and takes no further messages.
	Close()
	// State returns the state of the session for other replicas, or the zero value without a
	// session.
	State() SessionState
	// Change makes the changes that lead from one state of a session to another, in addition to
	// changes that were made here. Revision and client do not change.
	Change(from, to SessionState)
	// Notified returns the number of the latest notice that this replica sent to its clients.
	Notified() uint64
	// Resume notifies the client again of everything that it may have missed after the notice with
	// that number.
	Resume(after uint64)
}

// SessionState is the state of a session that replicas share, apart from its requests. It is JSON
// in the store of sessions.
type SessionState struct {
	Revision     string          `json:"revision"`
	Client       json.RawMessage `json:"client"`
	Capabilities json.RawMessage `json:"capabilities"`
	Initialized  bool            `json:"initialized,omitempty"`
	Level        string          `json:"level"`
	Resources    []string        `json:"resources,omitempty"` // resources that the client subscribes to
}

// Options are the properties of a connection.
type Options struct {
	// Transport is the name of the transport, for handlers.
	Transport string
	// SessionID is the id of the session that the connection may open; "" for a new one.
	SessionID string
	// Endings counts the sessions of the connection that are ending. May be nil.
	Endings *Endings
	// Out receives messages that do not belong to a request. May be nil.
	Out Sink
	// PingTimeout is called if the client does not reply to a ping of the server. May be nil.
	PingTimeout func()
	// Revision is the revision of a session that exists without an initialize. May be nil.
	Revision *protocol.Revision
	// State is the state of a session that another replica opened. May be nil.
	State *SessionState
	// RequestIDs is the prefix of the ids of requests to the client, if several connections belong
	// to one session; "" means that ids are numbers.
	RequestIDs string
	// Once is set for a connection of one request, which need not be closed and does not close with
	// its context.
	Once bool
	// Ended is closed when parked requests must end. Nil means never.
	Ended <-chan struct{}
}

// Limits are the limits of a server that concern transports.
type Limits struct {
	ClientShare              int // percent
	MessageBytes, QueueBytes int
	// Subscriptions and SubscriptionBytes are limits of one connection.
	Subscriptions, SubscriptionBytes int
	FirstMessageTime                 time.Duration
	WriteTime, DrainTime, GraceTime  time.Duration
}

// Scopes are scopes that features need, each once, in order of registration. They do not change.
type Scopes struct {
	All     []string
	Reading []string // of resources, templates, prompts, and tools that are read-only
}

// Server is the interface of a *mcp.Server for transports: the result of its method Transport.
type Server interface {
	Log() *slog.Logger
	Limits() Limits
	// Memory returns the memory budget of the server for all of its clients.
	Memory() *membudget.Budget
	// PublishChanges waits until the changes of resources so far are published for other replicas,
	// or publishing fails.
	PublishChanges(ctx context.Context)
	// NewMessage returns storage for one message.
	NewMessage() Message
	// Open returns a connection that lives as long as ctx, whose values handlers can read.
	Open(ctx context.Context, o Options) Conn
	// EndTasks stops the tasks of this process, before the program exits. Tasks may go on until ctx
	// is cancelled; then EndTasks returns the cause.
	EndTasks(ctx context.Context) error
	// Seal encrypts a text for a store, with the state keys of the server.
	Seal(ctx context.Context, purpose string, text []byte) ([]byte, error)
	// Unseal decrypts a result of Seal for the same purpose. ok is false for any other text. The
	// error is an error of a source of keys.
	Unseal(ctx context.Context, purpose string, sealed []byte) (text []byte, ok bool, err error)
	// SharesKeys reports whether other processes can have the same state keys.
	SharesKeys() bool
	// HeaderParams returns the arguments of a tool that header fields repeat.
	HeaderParams(tool string) []toolschema.HeaderParam
	// Listing returns all features of a list in the form of the revision, including features that
	// only some callers may see, for a server with a list of its own.
	Listing(list protocol.Method, rev *protocol.Revision) []json.RawMessage
	// Scopes returns the scopes of the features that policies allow. It is the same value until the
	// features change.
	Scopes() *Scopes
	// WatchLists calls changed after each change of a list, even if clients are not notified of it,
	// until stop is called. changed must not wait.
	WatchLists(changed func()) (stop func())
	// OffersCompletion reports whether arguments of prompts or templates can be completed.
	OffersCompletion() bool
	// Forwarded returns the tool that a call of use_tool names, its arguments (nil without any),
	// and the name of the called tool. For any other call, through is "".
	Forwarded(p *jsonrpc.Params) (tool string, arguments []byte, through string)
	// UnknownGroups returns the groups in which the caller sees no feature. If there are any, it
	// also returns the groups in which the caller sees features. over is the name of the transport.
	UnknownGroups(ctx context.Context, from Caller, over string, groups []string) (unknown, known []string)
}
