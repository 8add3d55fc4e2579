package mcphttp

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/unread"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Option changes how a handler is made.
type Option func(*settings)

type settings struct {
	hosts, origins []string
	principal      func(*http.Request) (mcp.Principal, error)
	address        func(*http.Request) netip.Addr
	sessionless    bool
	plain          bool // answers are never compressed
	log            *logs.Log
	limits         Limits
}

// WithPrincipal says who makes a request, by what middleware in front of the
// handler has found out, or by the request itself. It is asked for every HTTP
// request. Sessions, rate limits and request states are bound to the principal:
// the session of another one does not exist.
//
// An error is answered with 401, without its text, which goes to the log; a
// [*Refusal] says itself how it is answered.
func WithPrincipal(find func(*http.Request) (mcp.Principal, error)) Option {
	return func(s *settings) { s.principal = find }
}

// WithClientAddress says from which address a request comes, where that is not the other
// end of the connection: behind a proxy that says so in a header field. Clients without a
// principal are told apart by it, of IPv6 by the network of 64 bits: for rate limits and
// the shares of [Limits]. It is asked for every HTTP request, by many goroutines at once.
//
// The function must take the address from a proxy that it knows, and from the part of the
// field that this proxy has written: everything before that is the client's to choose. For
// the zero Addr, RemoteAddr of the request counts. Clients whose address is not known
// even so count as one.
func WithClientAddress(find func(*http.Request) netip.Addr) Option {
	return func(s *settings) { s.address = find }
}

// Refusal is an error of the function of [WithPrincipal] that says how it is
// answered.
type Refusal struct {
	Status int         // 401 where it is 0
	Header http.Header // such as WWW-Authenticate (RFC 9110, section 11.6.1)
	Text   string      // what the client may read
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// WithAllowedHosts allows further names in the Host field of requests, with a
// port or for every port: those under which clients know a server that listens on
// a loopback address behind a proxy. "*" allows all. A server that listens
// elsewhere checks the field only if this option is given.
//
// It panics on what is no name of a host.
func WithAllowedHosts(hosts ...string) Option {
	return func(s *settings) { s.hosts = append(s.hosts, hosts...) }
}

// WithAllowedOrigins allows web pages of other origins to use the server, such as
// "https://app.example.com". Browsers of theirs are told so (Fetch standard,
// CORS). There is no way to allow all: a page that the user happens to open could
// then use a server on the user's machine.
//
// It panics on what is no origin.
func WithAllowedOrigins(origins ...string) Option {
	return func(s *settings) { s.origins = append(s.origins, origins...) }
}

// WithoutSessions serves the revisions up to 2025-11-25 without sessions, so that
// any replica behind a plain balancer can answer any request. What needs a session
// is then missing: questions to the client, changes, subscriptions, log levels,
// and streams that can be resumed. From revision 2026-07-28 on nothing differs.
func WithoutSessions() Option {
	return func(s *settings) { s.sessionless = true }
}

// WithoutCompression never compresses answers. Without the option, long plain
// answers are compressed for clients that accept gzip.
func WithoutCompression() Option {
	return func(s *settings) { s.plain = true }
}

// WithLogger logs to l instead of the logger of the server.
func WithLogger(l *slog.Logger) Option {
	return func(s *settings) {
		if l != nil {
			s.log = logs.New(l)
		}
	}
}

// WithLimits replaces limits. Fields that are zero keep their default.
func WithLimits(l Limits) Option {
	return func(s *settings) { s.limits = l.or(s.limits) }
}

// Limits bound what all clients of a handler together can make it hold, and how
// long it waits for one of them. Those of the server ([mcp.Limits]) come on top.
type Limits struct {
	// Requests is how many HTTP requests are answered at the same time, without
	// standing streams. One more gets 503. Default: 10000.
	Requests int
	// RequestsPerClient is how many of them one client may have: a principal, or where
	// that is not known, an address. One more gets 503. Default: 2500, or a quarter of
	// Requests where that is set.
	RequestsPerClient int
	// Refused is how many HTTP requests that have been answered before their body had
	// come are waited for, so that their connections can be used again: a second, and up
	// to 64 KiB. The connection of one more is closed. Default: 1000.
	Refused int
	// Streams is how many standing streams there may be: GET, and listens. One
	// more gets 503. Default: 10000.
	Streams int
	// StreamsPerClient is how many of them one client may have. One more gets 503.
	// Default: 2500, or a quarter of Streams where that is set.
	StreamsPerClient int
	// Sessions is how many sessions may be open. One more takes the place of the one
	// that has been idle for longest, if that is a minute or more, and gets 503
	// otherwise. Default: 10000.
	Sessions int
	// SessionsPerClient is how many of them one client may have; one more is treated
	// alike. Default: 2500, or a quarter of Sessions where that is set.
	SessionsPerClient int
	// IdleTime is how long a session lasts that has neither requests nor a stream.
	// Default: 30 minutes.
	IdleTime time.Duration
	// EventBytes is how much a session keeps of its streams, for clients that come
	// back for what they have missed. The oldest goes first. Default: 1 MiB.
	EventBytes int
	// EventTime is how long a stream that has ended is kept. Default: 5 minutes.
	EventTime time.Duration
	// QuietTime is how long an answer may take before it becomes an event stream,
	// which shows that something is still there. Default: 10 seconds.
	QuietTime time.Duration
	// KeepAlive is how often a quiet stream says that it is there. Default: 15
	// seconds.
	KeepAlive time.Duration
	// ReadTime is how long the body of a request may take to arrive. Default: 30
	// seconds.
	ReadTime time.Duration
}

var defaultLimits = Limits{
	Requests: 10_000,
	Refused:  unread.Most,
	Streams:  10_000,
	Sessions: 10_000,

	RequestsPerClient: share.Quarter(10_000),
	StreamsPerClient:  share.Quarter(10_000),
	SessionsPerClient: share.Quarter(10_000),

	IdleTime:   30 * time.Minute,
	EventBytes: 1 << 20,
	EventTime:  5 * time.Minute,

	QuietTime: 10 * time.Second,
	KeepAlive: 15 * time.Second,
	ReadTime:  30 * time.Second,
}

// or fills in what is zero from d.
func (l Limits) or(d Limits) Limits {
	l.RequestsPerClient = share.Each(l.Requests, l.RequestsPerClient, d.RequestsPerClient)
	l.StreamsPerClient = share.Each(l.Streams, l.StreamsPerClient, d.StreamsPerClient)
	l.SessionsPerClient = share.Each(l.Sessions, l.SessionsPerClient, d.SessionsPerClient)
	l.Requests = either(l.Requests, d.Requests)
	l.Refused = either(l.Refused, d.Refused)
	l.Streams = either(l.Streams, d.Streams)
	l.Sessions = either(l.Sessions, d.Sessions)
	l.IdleTime = either(l.IdleTime, d.IdleTime)
	l.EventBytes = either(l.EventBytes, d.EventBytes)
	l.EventTime = either(l.EventTime, d.EventTime)
	l.QuietTime = either(l.QuietTime, d.QuietTime)
	l.KeepAlive = either(l.KeepAlive, d.KeepAlive)
	l.ReadTime = either(l.ReadTime, d.ReadTime)
	return l
}

func either[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}
