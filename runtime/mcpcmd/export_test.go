package mcpcmd

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/internal/httpflags"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// EndpointURL and Warn format the lines that are printed at the start.
var EndpointURL = endpointURL

// HeaderTime and IdleTime are limits of connections.
const (
	HeaderTime = headerTime
	IdleTime   = idleTime
	HeaderSize = headerBytes
	ReadTime   = readTime
	// ClosingTime limits the time that a shutdown waits for connections.
	ClosingTime = closingTime
)

// Quoted quotes the shell arguments in the help.
var Quoted = quoted

// Warn returns the warning for an address.
func Warn(w io.Writer, bound net.Addr, secure, decided bool) {
	(&program{stderr: w}).warn(bound, secure, decided)
}

// GetCertificate returns the GetCertificate function for a pair of files.
func GetCertificate(cert, key string, log *slog.Logger) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	config, err := tlsConfig(&httpflags.TLS{Cert: cert, Key: key}, logs.New(log), false)
	if err != nil {
		return nil, err
	}
	return config.GetCertificate, nil
}

// ListenError returns an error message.
func ListenError(address string, err error) string { return (&listenError{address, err}).Error() }

// WithOutput makes Run write to these instead of the standard streams.
func WithOutput(stdout, stderr io.Writer) Option {
	return func(p *program) { p.stdout, p.stderr = stdout, stderr }
}

// SetSignalGrace sets signalGrace.
func SetSignalGrace(d time.Duration) { signalGrace = d }

// NewHTTPServer returns the HTTP server of Run, and a function that closes it.
func NewHTTPServer(ctx context.Context, s *mcp.Server) (server *http.Server, end func()) {
	h := (&program{server: s, flags: ownFlags()}).newHTTPServer(ctx, nil, "")
	return &h.server, h.close
}

// NewHTTPServerToStop is like NewHTTPServer with options, and returns a function that shuts the
// server down.
func NewHTTPServerToStop(ctx context.Context, s *mcp.Server, options ...Option) (server *http.Server, shutdown func(context.Context) error) {
	p := &program{server: s, flags: ownFlags()}
	for _, option := range options {
		option(p)
	}
	h := p.newHTTPServer(ctx, nil, "")
	return &h.server, h.shutdown
}

// NewLimitedHTTPServer is like NewHTTPServer with a connection limit.
func NewLimitedHTTPServer(ctx context.Context, s *mcp.Server, most int) (server *http.Server, end func()) {
	h := (&program{server: s, flags: ownFlags()}).newHTTPServer(ctx, nil, "")
	h.conns.most = most
	return &h.server, h.close
}
