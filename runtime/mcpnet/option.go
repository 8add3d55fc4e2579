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

// WithPrincipal authenticates clients by their connection, before a message is read and
// after the TLS handshake. Calls get the principal by mcp.Call.Principal. On an error
// the connection is closed, without a reply, and the error is logged.
//
// The function may read from the connection and write to it, for a handshake of its
// own, within ten seconds. It must not read beyond the handshake, and must not close
// the connection. It is called concurrently.
func WithPrincipal(find func(net.Conn) (mcp.Principal, error)) Option {
	return func(s *service) { s.identify = find }
}

// WithLimits sets limits. Fields that are zero keep their default.
func WithLimits(l Limits) Option {
	return func(s *service) { s.limits = l.withDefaults(s.limits) }
}

// Limits bound what all clients of [Serve] together can occupy. The limits of the server
// ([mcp.Limits]) apply as well, and its ClientShare to Connections.
type Limits struct {
	// Connections is how many connections may be open. One more is closed as soon as it is
	// accepted. Default: 1000.
	Connections int
}

var defaultLimits = Limits{Connections: defaultConnections}

// withDefaults sets fields that are zero from d.
func (l Limits) withDefaults(d Limits) Limits {
	return Limits{Connections: cmp.Or(max(l.Connections, 0), d.Connections)}
}
