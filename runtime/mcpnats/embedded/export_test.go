package embedded

import (
	"log/slog"

	"github.com/nats-io/nats-server/v2/server"
)

// Address returns the address of the listener for clients.
func (s *Server) Address() string { return s.current().Addr().String() }

// Password returns the password for the listener.
func (s *Server) Password() string { return s.password }

// EndJetStream ends JetStream like a failed write.
func (s *Server) EndJetStream() error { return s.current().ShutdownJetStream() }

// NewLogger returns the logger of a server with secrets.
func NewLogger(to *slog.Logger, secrets ...string) server.Logger {
	return newLogger(to, func(string) {}, secrets...)
}
