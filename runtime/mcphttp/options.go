package mcphttp

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Option configures a handler.
type Option func(*settings)

type settings struct {
	hosts, origins []string
	principal      func(*http.Request) (mcp.Principal, error)
	challenger     func(*http.Request, *mcp.AccessError) http.Header
	address        func(*http.Request) netip.Addr
	sessionless    bool
	uncompressed   bool // replies are never compressed
	log            *logs.Log
	limits         Limits
	store          SessionStore
	groups         bool // groups in the URL narrow the features
	servers        []func(*mcp.Server)
}

// WithServer calls found with the server of each handler that gets the option. It is for the
// guard of package mcpauth, which publishes the scopes of a server.
func WithServer(_ friend.Key, found func(*mcp.Server)) Option {
	return func(s *settings) { s.servers = append(s.servers, found) }
}

// WithPrincipal authenticates requests. The function returns the principal, from the request or
// from a value that middleware has stored in its context. It is called for every HTTP request,
// concurrently. Sessions, rate limits and request states are bound to the principal: a session of
// another principal is answered like an unknown one.
//
// An error is answered with 401, without its text, which is logged. A [*Refusal] defines the
// response itself.
func WithPrincipal(find func(*http.Request) (mcp.Principal, error)) Option {
	return func(s *settings) { s.principal = find }
}

// WithGroups lets the URL of a request narrow the features to groups: /mcp?groups=orders,billing
// lists and answers only the features of these groups. It never allows a caller more. With package
// mcpfind a list contains all tools of the groups, up to its threshold.
//
// If the caller does not see any feature of a group, the response is status 400 with the groups
// that it sees. Without the option the query of the URL is not read.
func WithGroups() Option {
	return func(s *settings) { s.groups = true }
}

// WithChallenge sets header fields of the response with status 403 (RFC 6750, section 3.1) to a
// caller that may not use a feature because of an [mcp.AccessError]. A response that has begun, a
// batch, and HTTP+SSE do not have such a status: there the reply alone contains the error. The
// function is called concurrently.
func WithChallenge(challenge func(r *http.Request, e *mcp.AccessError) http.Header) Option {
	return func(s *settings) { s.challenger = challenge }
}

// WithClientAddress finds the address of the client if the connection does not show it, as behind a
// proxy that sends a header field. Clients without a principal are distinguished by address (IPv6:
// by the /64 network), for rate limits and the shares of [Limits]. The function is called for every
// HTTP request, concurrently.
//
// The function must use only a field that a trusted proxy wrote, and only the part that this proxy
// added: the client controls the rest. If it returns the zero Addr, RemoteAddr of the request is
// used. All clients whose address remains unknown count as one.
func WithClientAddress(find func(*http.Request) netip.Addr) Option {
	return func(s *settings) { s.address = find }
}

// Refusal is an error of the function of [WithPrincipal] that defines the response.
type Refusal struct {
	Status int         // 0 means 401
	Header http.Header // such as WWW-Authenticate (RFC 9110, section 11.6.1)
	Text   string      // sent to the client
}

// Error returns Text.
func (r *Refusal) Error() string { return r.Text }

// WithAllowedHosts allows further names in the Host header, with a port or for all ports. It is for
// servers that listen on a loopback address and are reached under other names, as behind a proxy.
// "*" allows all. A server that listens on another address checks the header only if this option is
// given.
//
// It panics if a host is invalid.
func WithAllowedHosts(hosts ...string) Option {
	return func(s *settings) { s.hosts = append(s.hosts, hosts...) }
}

// WithAllowedOrigins allows web pages of other origins to use the server, such as
// "https://app.example.com". The CORS headers of responses (Fetch standard) allow these origins.
// Allowing all origins is not possible: any page that the user opens could then use a server on the
// user's machine.
//
// It panics if an origin is invalid.
func WithAllowedOrigins(origins ...string) Option {
	return func(s *settings) { s.origins = append(s.origins, origins...) }
}

// WithoutSessions serves the revisions up to 2025-11-25 without sessions, so that any replica
// behind a load balancer can answer any request. Features that need a session are then missing:
// questions to the client, change notifications, subscriptions, log levels and resumable streams.
// Revision 2026-07-28 and later are not affected.
func WithoutSessions() Option {
	return func(s *settings) { s.sessionless = true }
}

// WithCompression turns compression on or off. If it is on, which is the default, long JSON replies
// are compressed for clients that accept gzip.
func WithCompression(on bool) Option {
	return func(s *settings) { s.uncompressed = !on }
}

// WithLimits sets limits. Fields that are zero keep their defaults.
func WithLimits(l Limits) Option {
	return func(s *settings) { s.limits = l.withDefaults(s.limits) }
}

// Limits limit the resources that all clients of a handler together can use, and the time for which
// the handler waits for a client. The limits of the server ([mcp.Limits]) apply as well, and its
// ClientShare to Requests, Streams and Sessions.
type Limits struct {
	// Requests limits the HTTP requests in progress, without long-lived streams. One more gets 503.
	// Default: 10000.
	Requests int
	// Streams limits the long-lived streams: GET and listen. One more gets 503. Default: 10000.
	Streams int
	// Sessions limits the open sessions. One more replaces the session that has been idle longest,
	// if it has been idle for at least a minute, and gets 503 otherwise. Default: 10000.
	Sessions int
	// IdleTime is the time after which a session without requests and streams is closed. Default:
	// 30 minutes.
	IdleTime time.Duration
	// EventBytes limits the bytes of events that a session stores for clients that resume a stream.
	// The oldest are dropped first. Default: 1 MiB.
	EventBytes int
	// EventTime is the time for which the events of a finished stream are stored. Default: 5
	// minutes.
	EventTime time.Duration
	// KeepAlive is the interval at which a comment is sent on a quiet stream. Default: 15 seconds.
	KeepAlive time.Duration
	// ReadTime limits the time in which the body of a request must arrive. Default: 30 seconds.
	ReadTime time.Duration
}

// Limits that no field of [Limits] sets.
const (
	// quietTime is the time after which the response of a call becomes an event stream, which can
	// send keep-alives.
	quietTime = 10 * time.Second
	// mostRefused limits the HTTP requests answered early whose rest of the body is read at the
	// same time, so that their connections can be reused.
	mostRefused = unreadbody.Most
)

var defaultLimits = Limits{
	Requests: 10_000,
	Streams:  10_000,
	Sessions: 10_000,

	IdleTime:   30 * time.Minute,
	EventBytes: 1 << 20,
	EventTime:  5 * time.Minute,

	KeepAlive: 15 * time.Second,
	ReadTime:  30 * time.Second,
}

// withDefaults sets fields that are zero from d.
func (l Limits) withDefaults(d Limits) Limits {
	l.Requests = positiveOr(l.Requests, d.Requests)
	l.Streams = positiveOr(l.Streams, d.Streams)
	l.Sessions = positiveOr(l.Sessions, d.Sessions)
	l.IdleTime = positiveOr(l.IdleTime, d.IdleTime)
	l.EventBytes = positiveOr(l.EventBytes, d.EventBytes)
	l.EventTime = positiveOr(l.EventTime, d.EventTime)
	l.KeepAlive = positiveOr(l.KeepAlive, d.KeepAlive)
	l.ReadTime = positiveOr(l.ReadTime, d.ReadTime)
	return l
}

func positiveOr[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}
