// Package transport is what a server offers to transports that give each request a channel
// of its own, as HTTP does. Package mcp implements [Server], [Conn] and [Message], and
// transports implement [Sink]. A transport with one stream of messages in each direction
// needs less: it implements [jsonrpc.Conn].
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

// Sink is where the reply to a request goes, and the notifications and requests that belong
// to it. Messages are copied. A connection calls the methods of a sink one at
// a time but for Wait and Flush.
type Sink interface {
	// Reply queues the reply to one request. The code is that of its error, 0 for
	// a result. It never waits. An empty message means that there will be none.
	Reply(message []byte, code int)
	// Answer is Reply for a request that the reading goroutine answers, which has not
	// called Wait.
	Answer(message []byte, code int)
	// Refuse is Answer for a request that is not even looked at, since it is not
	// one of any revision.
	Refuse(message []byte, code int)
	// Notify queues a message that is not a reply. It never waits.
	Notify(message []byte)
	// FlushAsync has what is queued sent, and does not wait.
	FlushAsync()
	// Wait waits until there is room, or the client is gone. Only handlers call it, and each
	// of them then calls Flush, also if it has queued nothing: that wakes the next one.
	Wait()
	// Flush sends what is queued, unless another goroutine is sending. It may wait for the
	// client; only handlers call it.
	Flush()
	// Full reports whether Wait would wait.
	Full() bool
}

// Releaser is a [Sink] that can let go its channel before the reply: the client
// comes back for what follows.
type Releaser interface {
	// Release reports whether the channel is let go. The client is asked to come
	// back after that time.
	Release(retry time.Duration) bool
}

// Owner is a [Sink] that can take over the storage of a large reply instead of copying
// it.
type Owner interface {
	// Own is [Sink.Reply] for a message whose storage is from the pool and belongs to
	// the sink afterwards. It does nothing, and reports false, where the message has to
	// be copied.
	Own(message []byte, code int) bool
}

// Overloader is a [Sink] whose channel can say in its own way that the server has no
// room for a request, or cannot use a store that the request needs.
type Overloader interface {
	// Overload is [Sink.Answer] for such a request, which has not run.
	Overload(message []byte, code int)
}

// Denier is a [Sink] whose channel can say in its own way that the caller may not use a
// feature.
type Denier interface {
	// Deny is called before [Sink.Reply] for such a request, with a *mcp.AccessError.
	Deny(refusal error)
}

// Listener is a [Sink] that the client may not be listening to.
type Listener interface {
	Listening() bool
}

// PeerWatcher is a [Sink] that knows whether its client is gone for good.
type PeerWatcher interface {
	PeerGone() bool
}

// Numberer is a [Sink] for messages that belong to no request, whose channel can be resumed.
type Numberer interface {
	// NotifyNumbered is [Sink.Notify] for the notice with that number. A client that resumes
	// after it misses no notice before; see [Conn.Resume].
	NotifyNumbered(message []byte, number uint64)
}

// Message is a message on its way to a server, with its storage. It has one owner:
// [Conn.Take] makes the connection the owner.
type Message interface {
	// Buffer returns storage for the text of the message, empty.
	Buffer() []byte
	// Room charges storage of that capacity for the text, in the place of what was
	// charged before. It reports false where the server has no room.
	Room(capacity int) bool
	// Parse looks at a message, whose text must not be changed any more. What it
	// has found out is in Message even where it returns an error.
	Parse(text []byte) *jsonrpc.Error
	// Text returns what Parse has got.
	Text() []byte
	// Message returns what Parse has found.
	Message() *jsonrpc.Message
	// Drop gives the storage back, in the place of Take.
	Drop()
}

// Caller is what a transport knows of where a message comes from.
type Caller struct {
	// Values are those that handlers find in their context, besides the ones of the
	// connection. May be nil. Its end is not the handler's.
	Values context.Context
	// Principal is a *mcp.Principal, or nil.
	Principal any
	// Groups are those to which the request narrows the features; nil for all.
	Groups []string
	// Header are header fields, by canonical keys.
	Header map[string][]string
	// Client is whom the message counts for.
	Client clientlimit.Client
	// Address is that of the client, zero if it is not known.
	Address netip.Addr
}

// Conn is one client of a server: a session, or a single request. Its methods may
// be called by many goroutines.
type Conn interface {
	// Take takes a message whose replies go to the sink. It never waits. It reports
	// whether a reply will come or has come, if only an empty one.
	Take(in Message, from Caller, out Sink) (expect bool)
	// Renew says who has sent a request of the session that has no message. It is the
	// latest principal, as that of a message is.
	Renew(principal any)
	// Negotiated returns the revision of the session, nil while there is none.
	Negotiated() *protocol.Revision
	// Active returns the number of requests that run.
	Active() int
	// Drain waits until no request runs, or the time is over.
	Drain(within time.Duration)
	// InputClosed fails the requests that wait for the client, which cannot reply any more.
	InputClosed()
	// Cancel ends all requests in flight as the client would: they get no reply.
	Cancel()
	// Close ends them because the connection does, and takes nothing more.
	Close()
	// State returns what other replicas have to know of the session, zero without one.
	State() SessionState
	// Change makes the changes of a session that lead from one state to another, besides those that
	// have been made here. Revision and client do not change.
	Change(from, to SessionState)
	// Notified returns the number of the latest notice of which this replica has notified its clients.
	Notified() uint64
	// Resume notifies the client again of what it may have missed after the notice with that
	// number.
	Resume(after uint64)
}

// SessionState is what replicas have to know of a session, besides its requests. It is JSON in the
// store of sessions.
type SessionState struct {
	Revision     string          `json:"revision"`
	Client       json.RawMessage `json:"client"`
	Capabilities json.RawMessage `json:"capabilities"`
	Initialized  bool            `json:"initialized,omitempty"`
	Level        string          `json:"level"`
	Resources    []string        `json:"resources,omitempty"` // that the client subscribes to
}

// Options are the properties of a connection.
type Options struct {
	// Transport is the name of the transport, for handlers.
	Transport string
	// SessionID is the id of the session that the connection may open; "" for a new one.
	SessionID string
	// Endings counts the sessions of the connection that end. May be nil.
	Endings *Endings
	// Out is where messages go that belong to no request. May be nil.
	Out Sink
	// PingTimeout is called where the server pings clients, and this one does not reply.
	// May be nil.
	PingTimeout func()
	// Revision is that of a session that exists without an initialize. May be nil.
	Revision *protocol.Revision
	// State is that of a session that another replica has opened. May be nil.
	State *SessionState
	// RequestIDs is the beginning of the ids of requests to the client, where several connections
	// belong to one session; "" for numbers.
	RequestIDs string
	// Once is set for a connection of one request, which need not be closed and does
	// not end with its context.
	Once bool
	// Ended is closed when parked requests must end. Nil means never.
	Ended <-chan struct{}
}

// Limits are those of a server that concern transports.
type Limits struct {
	ClientShare              int // percent
	MessageBytes, QueueBytes int
	// Subscriptions and SubscriptionBytes are those of one connection.
	Subscriptions, SubscriptionBytes int
	FirstMessageTime                 time.Duration
	WriteTime, DrainTime, GraceTime  time.Duration
}

// Scopes are scopes that features need, each once, in order of registration. They do not change.
type Scopes struct {
	All     []string
	Reading []string // of resources, templates, prompts, and tools that are read-only
}

// Server is a *mcp.Server as transports use it: the result of its method Transport.
type Server interface {
	Log() *slog.Logger
	Limits() Limits
	// Memory is what the server may hold for all of its clients.
	Memory() *membudget.Budget
	// PublishChanges waits until the changes of resources so far are published for other replicas, or cannot be now.
	PublishChanges(ctx context.Context)
	// NewMessage returns storage for one message.
	NewMessage() Message
	// Open returns a connection that lives as long as ctx, whose values handlers
	// see.
	Open(ctx context.Context, o Options) Conn
	// EndTasks ends the tasks of this process, before the program ends: some may go on until ctx
	// ends. Then it returns the cause.
	EndTasks(ctx context.Context) error
	// Seal encrypts what a store keeps, with the state keys of the server.
	Seal(ctx context.Context, purpose string, text []byte) ([]byte, error)
	// Unseal reports false for what Seal has not returned for that purpose. The error is that of
	// a source of keys.
	Unseal(ctx context.Context, purpose string, sealed []byte) (text []byte, ok bool, err error)
	// SharesKeys reports whether another process can have the state keys.
	SharesKeys() bool
	// HeaderParams returns the arguments of a tool that are mirrored in header
	// fields.
	HeaderParams(tool string) []toolschema.HeaderParam
	// Listing returns all features of a list in the form of the revision, also those that only some
	// callers may see, for a server that has a list of its own.
	Listing(list protocol.Method, rev *protocol.Revision) []json.RawMessage
	// Scopes returns the scopes of the features that policies allow. It is the same value until the
	// features change.
	Scopes() *Scopes
	// WatchLists has changed called after each change of a list, also of one that clients are not
	// notified of, until stop is called. It must not wait.
	WatchLists(changed func()) (stop func())
	// OffersCompletion reports whether arguments of prompts or templates can be completed.
	OffersCompletion() bool
	// Forwarded returns the tool that a call names in its arguments, and its arguments, nil for none,
	// where the server makes the call one of that tool; through is the tool that the client has
	// called, "" for any other call.
	Forwarded(p *jsonrpc.Params) (tool string, arguments []byte, through string)
	// UnknownGroups returns those of the groups of which the caller sees no feature, and if there
	// are any, the groups that it sees. Over is the transport.
	UnknownGroups(ctx context.Context, from Caller, over string, groups []string) (unknown, known []string)
}
