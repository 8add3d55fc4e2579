package mcpws

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const (
	// DefaultConnections is how many connections a [Handler] has open at the same
	// time unless said otherwise.
	DefaultConnections = 1000
	// DefaultConnectionsPerClient is how many of them one client may have.
	DefaultConnectionsPerClient = DefaultConnections / 4
	// DefaultPing is how often clients are pinged unless said otherwise.
	DefaultPing = 30 * time.Second
)

// Option changes how a [Handler] works.
type Option func(*Handler)

// WithAllowedHosts adds names that the Host header may have: names or addresses,
// with a port or without one; "*" is any. Where the server listens on loopback,
// loopback names are allowed in any case; elsewhere Host is only checked if names
// are given.
func WithAllowedHosts(hosts ...string) Option {
	return func(h *Handler) { h.hosts = append(h.hosts, hosts...) }
}

// WithAllowedOrigins adds origins, such as "https://example.com", whose pages may
// connect. Without it that can only pages that come from the server itself, by a
// name that is known to be its own, and clients that are no browsers, which send
// no Origin.
func WithAllowedOrigins(origins ...string) Option {
	return func(h *Handler) { h.origins = append(h.origins, origins...) }
}

// WithPrincipal finds out who connects, from the request that opens the connection.
// Calls see it by mcp.Call.Principal. An error refuses the connection with status
// 401, without its text, which goes to the log; a *mcphttp.Refusal says itself how
// it is answered, so that a function can serve both transports. It is called by many
// goroutines at once.
func WithPrincipal(identify func(*http.Request) (mcp.Principal, error)) Option {
	return func(h *Handler) { h.identify = identify }
}

// WithPing sets how often clients are pinged, in the place of [DefaultPing]; 0 is
// never. A connection from which nothing at all has come between a ping and the
// next one is cut.
func WithPing(interval time.Duration) Option {
	return func(h *Handler) { h.ping = max(interval, 0) }
}

// WithConnections sets how many connections may be open at the same time, in the
// place of [DefaultConnections]. One more is refused with status 503. One client may have
// a quarter of them, unless [WithConnectionsPerClient] says otherwise.
func WithConnections(most int) Option {
	return func(h *Handler) {
		if most > 0 {
			h.most = most
		}
	}
}

// WithConnectionsPerClient sets how many connections one client may have open at the same
// time, in the place of [DefaultConnectionsPerClient]: a principal, or where that is not
// known, an address. One more is refused with status 503.
func WithConnectionsPerClient(most int) Option {
	return func(h *Handler) {
		if most > 0 {
			h.each = most
		}
	}
}

// WithClientAddress says from which address a request comes that opens a connection,
// where that is not the other end of the connection: see mcphttp.WithClientAddress. It is
// called by many goroutines at once.
func WithClientAddress(find func(*http.Request) netip.Addr) Option {
	return func(h *Handler) { h.address = find }
}

// WithCompression compresses messages of more than 512 bytes for clients that offer
// it (permessage-deflate, RFC 7692, without context takeover). It costs time, and
// memory for each message on its way. The limit of messages is that of their text,
// uncompressed.
func WithCompression() Option {
	return func(h *Handler) { h.compression = websocket.CompressionNoContextTakeover }
}

// WithLogger logs to l what becomes of connections, in the place of the server's
// logger.
func WithLogger(l *slog.Logger) Option {
	return func(h *Handler) {
		if l != nil {
			h.log = logs.New(l)
		}
	}
}
