// Package mcpws serves the Model Context Protocol over WebSocket (RFC 6455), with
// the subprotocol "mcp" and one message in each text frame. The specification has
// no such transport; it allows custom ones that keep the message format and the
// life cycle (basic/transports, custom transports). A connection is a stream like
// standard input and output, and its rules are those: all revisions on one
// connection, the revision of each request by its content, cancellation by
// notification.
//
// # At an HTTP server
//
// A [Handler] is an http.Handler for one path, behind any router. It takes the
// connection over from the HTTP server (http.Hijacker), so:
//
//   - It needs HTTP/1.1, which is what clients use for it. A request over HTTP/2 is
//     refused with status 400. Serving both on one port is no problem.
//   - Middleware that wraps the http.ResponseWriter must hand through Hijack, or have
//     a method Unwrap, as http.ResponseController wants it. Otherwise the answer is
//     500, and the log says so. http.TimeoutHandler is such a middleware.
//   - The timeouts of the http.Server end with the upgrade: ReadHeaderTimeout is worth
//     setting, and ReadTimeout and WriteTimeout do no harm.
//   - http.Server.Shutdown and Close do not know of the connections any more. Call
//     [Handler.Shutdown] beside it, the way that the example shows.
//   - A proxy in front must pass the upgrade on, and its idle timeout should be longer
//     than the interval of [WithPing].
//
// # Who may connect
//
// Browsers let every page open WebSockets to any address, with the cookies of that
// address. The Host and Origin headers of the upgrade are therefore checked, like
// those of the streamable HTTP transport: see [WithAllowedOrigins] and
// [WithAllowedHosts]. [WithPrincipal] authenticates. Scripts of browsers cannot set
// an Authorization header here; a cookie is as good, since the origin is checked.
package mcpws
