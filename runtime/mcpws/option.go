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

// WithAllowedHosts allows host names or addresses in the Host header, with or without a port; "*"
// allows any. A server that listens on a loopback address always allows loopback names. A server
// that listens on another address checks the header only if this option is set.
func WithAllowedHosts(hosts ...string) Option {
	return func(h *Handler) { h.hosts = append(h.hosts, hosts...) }
}

// WithAllowedOrigins allows web pages of other origins, such as "https://example.com", to connect.
// The default allows only pages of the server itself, under an allowed host, and clients that send
// no Origin header, like those outside of browsers.
func WithAllowedOrigins(origins ...string) Option {
	return func(h *Handler) { h.origins = append(h.origins, origins...) }
}

// WithPrincipal authenticates clients by the request that opens the connection. mcp.Call.Principal
// returns the principal. After an error the handler refuses the connection with status 401, and
// logs the error, which the client does not get. A *mcphttp.Refusal defines the response itself, so
// that one function serves both transports. The function is called concurrently.
func WithPrincipal(find func(*http.Request) (mcp.Principal, error)) Option {
	return func(h *Handler) { h.identify = find }
}

// WithPing sets the interval of pings to clients. The default is 30 seconds, and 0 disables pings.
// A connection that receives no byte between two pings is closed.
func WithPing(interval time.Duration) Option {
	return func(h *Handler) { h.ping = max(interval, 0) }
}

// WithLimits sets limits. Zero fields keep their defaults.
func WithLimits(l Limits) Option {
	return func(h *Handler) { h.limits = l.withDefaults(h.limits) }
}

// Limits bounds the resources of all clients of a handler together. The limits of the server
// ([mcp.Limits]) apply as well, and its ClientShare to Connections.
type Limits struct {
	// Connections limits the open connections. Further ones are refused with status 503.
	// Default: 1000.
	Connections int
}

var defaultLimits = Limits{Connections: defaultConnections}

// withDefaults sets fields that are zero from d.
func (l Limits) withDefaults(d Limits) Limits {
	return Limits{Connections: cmp.Or(max(l.Connections, 0), d.Connections)}
}

// WithClientAddress sets the function that returns the address of a client, for the request that
// opens the connection, if the connection does not show it: see mcphttp.WithClientAddress. The
// function is called concurrently.
func WithClientAddress(find func(*http.Request) netip.Addr) Option {
	return func(h *Handler) { h.address = find }
}

// WithCompression enables or disables compression. If it is enabled, messages of more than 512
// bytes are compressed for clients that offer it (permessage-deflate, RFC 7692, without context
// takeover). That costs CPU time, and memory for each message in transit, so the default is off.
// The size limit applies to the uncompressed message.
func WithCompression(on bool) Option {
	return func(h *Handler) {
		h.compression = websocket.CompressionDisabled
		if on {
			h.compression = websocket.CompressionNoContextTakeover
		}
	}
}
