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

// EndpointURL and Warn make the lines that are printed at the start.
var EndpointURL = endpointURL

// HeaderTime and IdleTime are limits of connections.
const (
	HeaderTime = headerTime
	IdleTime   = idleTime
	HeaderSize = headerBytes
	ReadTime   = readTime
	// ClosingTime is how long a shutdown waits for connections.
	ClosingTime = closingTime
)

// Quoted makes the arguments of a shell that the help shows.
var Quoted = quoted

// Warn returns the warning about an address.
func Warn(w io.Writer, bound net.Addr, secure, decided bool) {
	(&program{stderr: w}).warn(bound, secure, decided)
}

// GetCertificate returns the function that returns the certificate of two files.
func GetCertificate(cert, key string, log *slog.Logger) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	config, err := tlsConfig(&httpflags.TLS{Cert: cert, Key: key}, logs.New(log), false)
	if err != nil {
		return nil, err
	}
	return config.GetCertificate, nil
}

// ListenError is the text of an error.
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

// NewHTTPServerToStop is NewHTTPServer with options, and a function that shuts it down.
func NewHTTPServerToStop(ctx context.Context, s *mcp.Server, options ...Option) (server *http.Server, shutdown func(context.Context) error) {
	p := &program{server: s, flags: ownFlags()}
	for _, option := range options {
		option(p)
	}
	h := p.newHTTPServer(ctx, nil, "")
	return &h.server, h.shutdown
}

// NewLimitedHTTPServer is NewHTTPServer with a limit of connections.
func NewLimitedHTTPServer(ctx context.Context, s *mcp.Server, most int) (server *http.Server, end func()) {
	h := (&program{server: s, flags: ownFlags()}).newHTTPServer(ctx, nil, "")
	h.conns.most = most
	return &h.server, h.close
}
