package mcpcmd

import (
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Option configures [Main], [Run], [MainFunc] and [RunFunc].
type Option func(*program)

// WithHTTPOptions adds options for the handlers that serve over HTTP, such as
// [mcphttp.WithPrincipal]. They have no effect without -http. The flags -allow-host and
// -allow-origin add to them.
func WithHTTPOptions(options ...mcphttp.Option) Option {
	return func(p *program) { p.http = append(p.http, options...) }
}

// WithHandler wraps the HTTP handlers in middleware: to log requests, to authenticate them, to add
// paths of the program. If the option is repeated, the first is the outermost. A middleware that
// wraps the [http.ResponseWriter] needs a method Unwrap for [http.ResponseController];
// [http.TimeoutHandler] lacks it, and would buffer streams. A whole request must arrive within a
// minute; a path that accepts larger requests can extend the time with
// [http.ResponseController.SetReadDeadline].
func WithHandler(wrap func(http.Handler) http.Handler) Option {
	return func(p *program) { p.wrap = append(p.wrap, wrap) }
}

// WithCleanup registers a function that is called after serving, before the program exits: deferred
// calls of a function that calls [Main] never run. If the option is repeated, the last function is
// called first. A second signal exits without calling them.
func WithCleanup(cleanup func()) Option {
	return func(p *program) { p.cleanups = append(p.cleanups, cleanup) }
}

// WithReady registers a function that is called with the URL of the MCP endpoint, when the program
// listens for HTTP and before it serves. With -http 127.0.0.1:0 the URL contains the chosen port.
func WithReady(ready func(url string)) Option {
	return func(p *program) { p.ready = ready }
}
