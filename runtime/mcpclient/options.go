package mcpclient

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Options configures a client. The zero value is a client that uses the newest revision of the
// server and declares no capabilities.
//
// Each function declares the capability that it implements, and is called in client goroutines. The
// functions that answer the server (Elicit, OpenURL, Sample, Roots) run concurrently, within
// Limits.QuestionTime; their context ends with that time, with the question and with the client.
// The others (On...) are called one after the other, in the order of events, and may use the
// client.
type Options struct {
	// Info is the name and version of the client. If Name is empty, the client declares the main
	// module of the program.
	Info mcp.ClientInfo
	// Revision is the only protocol revision to use, such as 2025-06-18. "" means the newest that
	// both sides support.
	Revision string
	// Eras stores which revision a server supports. Nil stores it for the lifetime of the process;
	// [FileEras] stores it in a file.
	Eras EraStore

	// Elicit answers a form (client/elicitation). The client adds the form's defaults to an
	// accepted answer, and checks it against the schema.
	Elicit func(context.Context, *Elicitation) (ElicitAnswer, error)
	// OpenURL shows a link to the user, and opens it if the user agrees. It gets https links, and
	// http links to this machine; the client declines all others. A link that was opened is not yet
	// completed: see [Elicitation.Complete].
	OpenURL func(context.Context, *Elicitation) (mcp.ElicitAction, error)
	// Sample answers a request for a model message (client/sampling). SampleTools and SampleContext
	// declare that it supports tools, and context of servers.
	Sample                     func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error)
	SampleTools, SampleContext bool
	// Roots returns the roots of the client (client/roots).
	Roots func(context.Context) ([]mcp.Root, error)
	// Extensions and Experimental are further capabilities to declare, as JSON objects.
	Extensions, Experimental map[string]json.RawMessage

	// LogLevel is the lowest level of log messages to receive: debug, info, notice, warning, error,
	// critical, alert or emergency. With "" the server decides.
	LogLevel string
	OnLog    func(LogMessage)
	// OnChange is called when a list of the server has changed, or a resource that a [Subscription]
	// names.
	OnChange func(Change)
	// OnNotification is called with every notification of the server that no other function
	// handles.
	OnNotification func(method string, params json.RawMessage)
	// OnState is called when the connection has changed.
	OnState func(State)
	// OnProtocolError is called when a server violates the protocol and the client continues, with
	// a *ProtocolViolationError. Nil logs it with Logger.
	OnProtocolError func(error)

	// OnMessage is called with every message that is sent or received, to trace the connection. The
	// goroutine that sends or reads calls it, so it must not block, use the client or retain the
	// message. It does not get header fields, which contain credentials.
	OnMessage func(sent bool, message []byte)

	// Interceptors receive every request, and each of its rounds. The first is the outermost.
	Interceptors []Interceptor
	// Cache stores results that a server allows clients to cache (server/utilities/caching). Nil
	// gives the client its own cache; [NewCache] returns a cache that clients may share.
	Cache  Cache
	Limits Limits
	Retry  Retry
	// Logger gets the log records of the client. Nil is slog.Default.
	Logger *slog.Logger
}

// Request is a request as interceptors receive it.
type Request struct {
	Method string
	Name   string          // of the tool or prompt, or the URI of the resource; "" otherwise
	Params json.RawMessage // an object, without the members that the revision adds to _meta
	Round  int             // 0 for the first round; then the same request is sent with answers to questions

	options *requestOptions // nil for a request that an interceptor has created
}

// Sender sends a request and returns its result. Several goroutines may call it.
type Sender func(ctx context.Context, r *Request) (json.RawMessage, error)

// Interceptor returns a Sender that calls next, or returns a result itself. It may call next with
// another request, with other params, and more than once.
type Interceptor func(next Sender) Sender

// Retry configures when the client sends a request again, and when it opens a lost connection
// again.
type Retry struct {
	// Attempts limits the number of attempts. 0 means 5; 1 means that nothing is sent again. Unless
	// it is 1, the client sends the reply to a question of the server again for up to
	// Limits.RequestTime.
	Attempts int
	// First is the delay before the second attempt. It doubles up to Max; the actual delay is a
	// random part of it, at least half. 0 means 500 ms and 30 s. The client waits for as long as a
	// server demands (Retry-After), up to Max.
	First, Max time.Duration
	// TrustHints allows the client to send a call again that may have run, if the tool declares
	// itself read-only or idempotent. A hint is an unverified claim of the server.
	TrustHints bool
}

// withDefaults returns r with defaults in place of zeros.
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
	Err  error // why the connection was lost; nil otherwise
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

// RequestOption configures one request.
type RequestOption func(*requestOptions)

type requestOptions struct {
	client     *Client
	meta       map[string]any
	progress   func(Progress)
	timeout    time.Duration // 0: Limits.RequestTime
	maxTime    time.Duration // 0: Limits.MaxTime
	deadline   time.Time     // for all attempts and rounds
	noCache    bool
	stale      bool
	idempotent bool
	scope      listScope // of the requested list
}

// WithMeta adds a value to the _meta of a request. A value that JSON cannot express makes the
// request fail.
func WithMeta(key string, value any) RequestOption {
	return func(o *requestOptions) {
		if o.meta == nil {
			o.meta = map[string]any{}
		}
		o.meta[key] = value
	}
}

// WithProgress requests progress notifications. f is called with them in order, and not after the
// request has returned; it does not get a notification if a newer one has arrived. f may use the
// client.
func WithProgress(f func(Progress)) RequestOption {
	return func(o *requestOptions) { o.progress = f }
}

// WithTimeout limits the time that the request waits since the server's last sign of life. It
// replaces Limits.RequestTime.
func WithTimeout(d time.Duration) RequestOption {
	return func(o *requestOptions) { o.timeout = d }
}

// WithMaxTime limits the duration of the request. It replaces Limits.MaxTime.
func WithMaxTime(d time.Duration) RequestOption {
	return func(o *requestOptions) { o.maxTime = d }
}

// WithoutCache sends the request even if the cache contains its result.
func WithoutCache() RequestOption {
	return func(o *requestOptions) { o.noCache = true }
}

// WithStale returns a stale result from the cache if the request fails.
func WithStale() RequestOption {
	return func(o *requestOptions) { o.stale = true }
}

// WithIdempotent declares that the request may run twice: the client sends it again after the loss
// of the connection.
func WithIdempotent() RequestOption {
	return func(o *requestOptions) { o.idempotent = true }
}
