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
	// DefaultConnections is the default of [WithConnections].
	DefaultConnections = 1000
	// DefaultConnectionsPerClient is the default of [WithConnectionsPerClient].
	DefaultConnectionsPerClient = DefaultConnections / 4
	// DefaultPing is the default of [WithPing].
	DefaultPing = 30 * time.Second
)

// Option configures a [Handler].
type Option func(*Handler)

// WithAllowedHosts allows names in the Host header: names or addresses, with or without
// a port; "*" is any. A server that listens on a loopback address always allows
// loopback names. A server that listens on another address checks the header only if
// this option is given.
func WithAllowedHosts(hosts ...string) Option {
	return func(h *Handler) { h.hosts = append(h.hosts, hosts...) }
}

// WithAllowedOrigins allows web pages of other origins to connect, such as
// "https://example.com". By default, only pages of the server itself may connect, under
// an allowed host, and clients that send no Origin header, as those that are not
// browsers.
func WithAllowedOrigins(origins ...string) Option {
	return func(h *Handler) { h.origins = append(h.origins, origins...) }
}

// WithPrincipal authenticates clients by the request that opens the connection. Calls
// get the principal by mcp.Call.Principal. An error refuses the connection with status
// 401, without its text, which is logged. A *mcphttp.Refusal defines the response
// itself, so one function serves both transports. The function is called concurrently.
func WithPrincipal(identify func(*http.Request) (mcp.Principal, error)) Option {
	return func(h *Handler) { h.identify = identify }
}

// WithPing sets how often clients are pinged. The default is [DefaultPing], and 0 turns
// pings off. A connection on which no byte arrives between two pings is closed.
func WithPing(interval time.Duration) Option {
	return func(h *Handler) { h.ping = max(interval, 0) }
}

// WithConnections sets how many connections may be open. The default is
// [DefaultConnections]. One more is refused with status 503. One client may have a
// quarter of them, unless [WithConnectionsPerClient] is given.
func WithConnections(most int) Option {
	return func(h *Handler) {
		if most > 0 {
			h.maxConns = most
		}
	}
}

// WithConnectionsPerClient sets how many connections one client may have open: a
// principal or, where that is not known, an address. The default is a quarter of the
// connections. One more is refused with status 503.
func WithConnectionsPerClient(most int) Option {
	return func(h *Handler) {
		if most > 0 {
			h.maxPerClient = most
		}
	}
}

// WithClientAddress finds the address of a client by the request that opens the
// connection, where the connection does not show it: see mcphttp.WithClientAddress. The
// function is called concurrently.
func WithClientAddress(find func(*http.Request) netip.Addr) Option {
	return func(h *Handler) { h.address = find }
}

// WithCompression compresses messages of more than 512 bytes for clients that offer it
// (permessage-deflate, RFC 7692, without context takeover). It costs CPU time, and
// memory for each message in transit. The size limit applies to the uncompressed
// message.
func WithCompression() Option {
	return func(h *Handler) { h.compression = websocket.CompressionNoContextTakeover }
}

// WithLogger sets the logger. The default is that of the server.
func WithLogger(l *slog.Logger) Option {
	return func(h *Handler) {
		if l != nil {
			h.log = logs.New(l)
		}
	}
}
