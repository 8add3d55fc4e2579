package mcpnet

import (
	"log/slog"
	"net"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const (
	// DefaultConnections is how many connections [Serve] has open at the same time
	// unless said otherwise.
	DefaultConnections = 1000
	// DefaultConnectionsPerClient is how many of them one client may have.
	DefaultConnectionsPerClient = DefaultConnections / 4
)

// Option changes how [Serve] works.
type Option func(*service)

// WithPrincipal finds out who is at the other end of a connection, before anything
// that it sends is looked at. Calls see it by mcp.Call.Principal. On an error the
// connection is closed without a word and the error logged. TLS has been negotiated
// by then.
//
// The function may read from the connection and write to it, as a handshake of its
// own, within ten seconds; it must read no further than the handshake goes. It must
// not close it. It is called by many goroutines at once.
func WithPrincipal(identify func(net.Conn) (mcp.Principal, error)) Option {
	return func(s *service) { s.identify = identify }
}

// WithConnections sets how many connections may be open at the same time, in the
// place of [DefaultConnections]. One more is closed as soon as it is accepted. One client
// may have a quarter of them, unless [WithConnectionsPerClient] says otherwise.
func WithConnections(most int) Option {
	return func(s *service) {
		if most > 0 {
			s.most = most
		}
	}
}

// WithConnectionsPerClient sets how many connections one client may have open at the same
// time, in the place of [DefaultConnectionsPerClient]: a principal or, where that is not
// known, an IP address, of IPv6 the network of 64 bits. All clients of a Unix socket are
// one. One more connection is closed at once.
func WithConnectionsPerClient(most int) Option {
	return func(s *service) {
		if most > 0 {
			s.each = most
		}
	}
}

// WithLogger logs to l what becomes of connections, in the place of the server's
// logger.
func WithLogger(l *slog.Logger) Option {
	return func(s *service) {
		if l != nil {
			s.log = logs.New(l)
		}
	}
}
