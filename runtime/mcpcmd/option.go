package mcpcmd

import (
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Option changes what [Main] and [Run] do.
type Option func(*program)

// WithHTTPOptions gives options to the handlers that serve over HTTP, such as
// [mcphttp.WithPrincipal]. They are of no account without -http. What the flags
// -allow-host and -allow-origin say comes on top.
func WithHTTPOptions(options ...mcphttp.Option) Option {
	return func(p *program) { p.http = append(p.http, options...) }
}

// WithHandler puts middleware around everything that is served over HTTP: to log
// requests, to authenticate them, to add paths of the program's own. Given more
// than once, the first is the outermost. A middleware that wraps the
// [http.ResponseWriter] lets [http.ResponseController] reach what it wraps (by
// a method Unwrap); [http.TimeoutHandler] does not, and would hold back streams.
// A whole request has to arrive within a minute; a path that takes larger ones gives
// them more by [http.ResponseController.SetReadDeadline].
func WithHandler(wrap func(http.Handler) http.Handler) Option {
	return func(p *program) { p.wrap = append(p.wrap, wrap) }
}

// WithCleanup has a function called when all is over, before the program ends:
// deferred calls of a function that calls [Main] never run. Given more than once,
// the last comes first. A second signal ends the program without it.
func WithCleanup(cleanup func()) Option {
	return func(p *program) { p.cleanups = append(p.cleanups, cleanup) }
}

// WithReady has a function called with the URL of the MCP endpoint, when the
// program listens for HTTP and before it serves. That is how the port is known
// that -http 127.0.0.1:0 has found.
func WithReady(ready func(url string)) Option {
	return func(p *program) { p.ready = ready }
}
