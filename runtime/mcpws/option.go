package mcpws

import (
	"cmp"
	"net/http"
	"net/netip"
	"time"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const (
	defaultConnections = 1000
	defaultPing        = 30 * time.Second
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
func WithPrincipal(find func(*http.Request) (mcp.Principal, error)) Option {
	return func(h *Handler) { h.identify = find }
}

// WithPing sets how often clients are pinged. The default is 30 seconds, and 0 turns
// pings off. A connection on which no byte arrives between two pings is closed.
func WithPing(interval time.Duration) Option {
	return func(h *Handler) { h.ping = max(interval, 0) }
}

// WithLimits sets limits. Fields that are zero keep their default.
func WithLimits(l Limits) Option {
	return func(h *Handler) { h.limits = l.withDefaults(h.limits) }
}

// Limits bound what all clients of a handler together can occupy. The limits of the server
// ([mcp.Limits]) apply as well, and its ClientShare to Connections.
type Limits struct {
	// Connections is how many connections may be open. One more is refused with status
	// 503. Default: 1000.
	Connections int
}

var defaultLimits = Limits{Connections: defaultConnections}

// withDefaults sets fields that are zero from d.
func (l Limits) withDefaults(d Limits) Limits {
	return Limits{Connections: cmp.Or(max(l.Connections, 0), d.Connections)}
}

// WithClientAddress finds the address of a client by the request that opens the
// connection, where the connection does not show it: see mcphttp.WithClientAddress. The
// function is called concurrently.
func WithClientAddress(find func(*http.Request) netip.Addr) Option {
	return func(h *Handler) { h.address = find }
}

// WithCompression turns compression on or off. If it is on, messages of more than 512 bytes
// are compressed for clients that offer it (permessage-deflate, RFC 7692, without context
// takeover). That costs CPU time, and memory for each message in transit, so the default is
// off. The size limit applies to the uncompressed message.
func WithCompression(on bool) Option {
	return func(h *Handler) {
		h.compression = websocket.CompressionDisabled
		if on {
			h.compression = websocket.CompressionNoContextTakeover
		}
	}
}
