package mcpnet

import (
	"cmp"
	"net"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const (
	defaultConnections = 1000
)

// Option configures [Serve].
type Option func(*service)

// WithPrincipal authenticates clients by their connection, before a message is read and after the
// TLS handshake. mcp.Call.Principal returns the principal. On an error Serve closes the connection
// without a reply, and logs the error.
//
// The function may perform its own handshake on the connection, within ten seconds. It must not
// read beyond the handshake, and must not close the connection. It is called concurrently.
func WithPrincipal(find func(net.Conn) (mcp.Principal, error)) Option {
	return func(s *service) { s.identify = find }
}

// WithLimits sets limits. Zero fields keep their defaults.
func WithLimits(l Limits) Option {
	return func(s *service) { s.limits = l.withDefaults(s.limits) }
}

// Limits bounds the resources of all clients of [Serve] together. The limits of the server
// ([mcp.Limits]) apply as well, and its ClientShare to Connections.
type Limits struct {
	// Connections limits the open connections. Further ones are closed as soon as they are
	// accepted. Default: 1000.
	Connections int
}

var defaultLimits = Limits{Connections: defaultConnections}

// withDefaults sets fields that are zero from d.
func (l Limits) withDefaults(d Limits) Limits {
	return Limits{Connections: cmp.Or(max(l.Connections, 0), d.Connections)}
}
