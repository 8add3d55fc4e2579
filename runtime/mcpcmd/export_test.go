package mcpcmd

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// EndpointURL and Warn are what the lines at the start say.
var EndpointURL = endpointURL

// HeaderTime and IdleTime are limits of connections.
const (
	HeaderTime = headerTime
	IdleTime   = idleTime
	HeaderSize = headerBytes
	ReadTime   = readTime
)

// Warn returns the warning about an address.
func Warn(w io.Writer, bound net.Addr) { (&program{stderr: w}).warn(bound) }

// ListenError is the text of an error.
func ListenError(address string, err error) string { return (&listenError{address, err}).Error() }

// WithOutput has Run write to others than the standard streams.
func WithOutput(stdout, stderr io.Writer) Option {
	return func(p *program) { p.stdout, p.stderr = stdout, stderr }
}

// SetTogether replaces the time in which signals count as one.
func SetTogether(d time.Duration) { together = d }

// NewHTTPServer returns what serves over HTTP, and how to close it.
func NewHTTPServer(ctx context.Context, s *mcp.Server) (server *http.Server, end func()) {
	site := (&program{server: s, flags: ownFlags()}).newSite(ctx)
	return &site.server, site.close
}

// NewLimitedHTTPServer is NewHTTPServer for so many connections.
func NewLimitedHTTPServer(ctx context.Context, s *mcp.Server, most int) (server *http.Server, end func()) {
	site := (&program{server: s, flags: ownFlags()}).newSite(ctx)
	site.conns.most = most
	return &site.server, site.close
}
