package mcpnet

import (
	"log/slog"
	"net"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const (
	// DefaultConnections is the default of [WithConnections].
	DefaultConnections = 1000
	// DefaultConnectionsPerClient is the default of [WithConnectionsPerClient].
	DefaultConnectionsPerClient = DefaultConnections / 4
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
func WithPrincipal(identify func(net.Conn) (mcp.Principal, error)) Option {
	return func(s *service) { s.identify = identify }
}

// WithConnections sets how many connections may be open. The default is
// [DefaultConnections]. One more is closed as soon as it is accepted. One client may
// have a quarter of them, unless [WithConnectionsPerClient] is given.
func WithConnections(most int) Option {
	return func(s *service) {
		if most > 0 {
			s.maxConns = most
		}
	}
}

// WithConnectionsPerClient sets how many connections one client may have open: a
// principal or, where that is not known, an IP address (IPv6: a /64 network). The
// default is a quarter of the connections. All clients of a Unix socket count as one.
// One more connection is closed as soon as it is accepted.
func WithConnectionsPerClient(most int) Option {
	return func(s *service) {
		if most > 0 {
			s.maxPerClient = most
		}
	}
}

// WithLogger sets the logger. The default is that of the server.
func WithLogger(l *slog.Logger) Option {
	return func(s *service) {
		if l != nil {
			s.log = logs.New(l)
		}
	}
}
