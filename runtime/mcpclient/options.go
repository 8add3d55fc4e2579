package mcpclient

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Options configure a client. The zero value is a client of the newest revision that the
// server speaks, without capabilities.
//
// The functions declare the capability that they need, and are called by goroutines of the
// client. Those that answer the server (Elicit, OpenURL, Sample, Roots) run side by side,
// within Limits.QuestionTime; their context ends with it, with the question and with the
// client. The others (On...) are called one after the other, in the order of what happened,
// and may use the client.
type Options struct {
	// Info is the name and version of the client. With an empty Name it is that of the main
	// module of the program.
	Info mcp.ClientInfo
	// Revision is the only protocol revision to speak, such as 2025-06-18. With "" it is the newest that
	// both sides speak.
	Revision string
	// Eras keeps which revision a server speaks. Nil keeps it as long as the process;
	// [FileEras] keeps it longer.
	Eras EraStore

	// Elicit answers a form (client/elicitation). An accepted answer is completed with the
	// defaults of the form and checked against its schema.
	Elicit func(context.Context, *Elicitation) (ElicitAnswer, error)
	// OpenURL shows a link to the user, and opens it if the user agrees. It gets links to
	// https, and to http on this machine; all others are declined without a call. That the user
	// has opened a link is not the end of what it is for: see [Elicitation.Complete].
	OpenURL func(context.Context, *Elicitation) (mcp.ElicitAction, error)
	// Sample answers a request for a message of a model (client/sampling). SampleTools and
	// SampleContext declare that it handles tools, and context of servers.
	Sample                     func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error)
	SampleTools, SampleContext bool
	// Roots returns the roots of the client (client/roots).
	Roots func(context.Context) ([]mcp.Root, error)
	// Extensions and Experimental are further capabilities to declare, as JSON objects.
	Extensions, Experimental map[string]json.RawMessage

	// LogLevel is the lowest level of log messages to get: debug, info, notice, warning,
	// error, critical, alert or emergency. With "" the server decides.
	LogLevel string
	OnLog    func(LogMessage)
	// OnChange is called when a list of the server has changed, or a resource that a
	// [Subscription] names.
	OnChange func(Change)
	// OnNotification is called with every notification of the server that no other function gets.
	OnNotification func(method string, params json.RawMessage)
	// OnState is called when the connection has changed.
	OnState func(State)
	// OnProtocolError is called with what the protocol does not allow a server to send, where
	// the client goes on: a *ProtocolViolationError. Nil writes it to Logger.
	OnProtocolError func(error)

	// OnMessage is called with every message as it is sent or received, to see what goes
	// over the connection. The goroutine that sends or reads calls it, so it must not wait, use
	// the client or keep the message. Header fields, which have credentials, are not part of it.
	OnMessage func(sent bool, message []byte)

	// Interceptors see every request, and each of its rounds. The first is the outermost.
	Interceptors []Interceptor
	// Cache keeps results that a server allows to be kept (server/utilities/caching). Nil is
	// a cache of the client's own; [NewCache] returns one that clients may share.
	Cache  Cache
	Limits Limits
	Retry  Retry
	// Logger is for what the client does by itself. Nil is slog.Default.
	Logger *slog.Logger
}

// Request is a request as interceptors see it.
type Request struct {
	Method string
	Name   string          // of the tool or prompt, or the URI of the resource; "" otherwise
	Params json.RawMessage // an object, without the members that the revision adds to _meta
	Round  int             // 0, and from 1 on for the same request with the answers to questions

	options *requestOptions // nil for a request that an interceptor has made
}

// Sender sends a request and returns its result. It may be called by many goroutines.
type Sender func(ctx context.Context, r *Request) (json.RawMessage, error)

// Interceptor returns a function that calls next, or answers itself. It may call next with another
// request, or one with other params, and more than once.
type Interceptor func(next Sender) Sender

// Retry is when a request is sent again, and when a lost connection is opened again.
type Retry struct {
	// Attempts is how often in all: 5 where it is 0, and 1 for never again. The reply to a question of
	// the server is sent again for as long as Limits.RequestTime, unless it is 1.
	Attempts int
	// First is the time before the second attempt, which doubles up to Max; the actual time is
	// between half of it and all of it. 500 ms and 30 s where they are 0. A server that says
	// how long to wait (Retry-After) is obeyed up to Max.
	First, Max time.Duration
	// TrustHints lets calls be sent again that may have run, of tools that call themselves
	// read-only or idempotent. A hint is a claim of the server.
	TrustHints bool
}

// withDefaults returns r with the defaults in the place of zeros.
func (r Retry) withDefaults() Retry {
	if r.Attempts <= 0 {
		r.Attempts = 5
	}
	if r.First <= 0 {
		r.First = 500 * time.Millisecond
	}
	if r.Max <= 0 {
		r.Max = 30 * time.Second
	}
	r.Max = max(r.Max, r.First)
	return r
}

// State is a change of the connection.
type State struct {
	Kind StateKind
	Err  error // why it was lost; nil otherwise
}

// StateKind is the kind of a State.
type StateKind uint8

// The kinds of a State.
const (
	Connected StateKind = iota
	Lost
	Reconnected
	Closed
)

// String returns the name of the kind.
func (k StateKind) String() string {
	return [...]string{"connected", "lost", "reconnected", "closed"}[k]
}

// RequestOption changes how one request is sent.
type RequestOption func(*requestOptions)

type requestOptions struct {
	client     *Client
	meta       map[string]any
	progress   func(Progress)
	timeout    time.Duration // 0: Limits.RequestTime
	maxTime    time.Duration // 0: Limits.MaxTime
	deadline   time.Time     // of all attempts and rounds
	noCache    bool
	stale      bool
	idempotent bool
	scope      listScope // of the list that the request is about
}

// WithMeta adds a value to the _meta of a request. A value that JSON cannot express is an
// error of the request.
func WithMeta(key string, value any) RequestOption {
	return func(o *requestOptions) {
		if o.meta == nil {
			o.meta = map[string]any{}
		}
		o.meta[key] = value
	}
}

// WithProgress requests progress notifications. f is called with them in order, and not any
// more after the request has returned; one that the next has overtaken is left out. It may
// use the client.
func WithProgress(f func(Progress)) RequestOption {
	return func(o *requestOptions) { o.progress = f }
}

// WithTimeout sets how long the request waits since the last sign of life of the server, in the place of
// Limits.RequestTime.
func WithTimeout(d time.Duration) RequestOption {
	return func(o *requestOptions) { o.timeout = d }
}

// WithMaxTime sets how long the request may take, in the place of Limits.MaxTime.
func WithMaxTime(d time.Duration) RequestOption {
	return func(o *requestOptions) { o.maxTime = d }
}

// WithoutCache sends the request even if its result is in the cache.
func WithoutCache() RequestOption {
	return func(o *requestOptions) { o.noCache = true }
}

// WithStale returns a result from the cache whose time is over, if the request fails.
func WithStale() RequestOption {
	return func(o *requestOptions) { o.stale = true }
}

// WithIdempotent says that the request may run twice: it is sent again after the connection
// was lost.
func WithIdempotent() RequestOption {
	return func(o *requestOptions) { o.idempotent = true }
}
