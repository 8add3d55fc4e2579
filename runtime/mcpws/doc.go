// Package mcpws serves the Model Context Protocol over WebSocket (RFC 6455), with the subprotocol
// "mcp" and one message in each text frame. The specification has no such transport; it allows
// custom ones that keep the message format and the life cycle (basic/transports, custom
// transports). A connection is a stream with the rules of standard input and output: all revisions
// on one connection, the revision of each request by its content, cancellation by notification. An
// [Endpoint] is the client's view of such a server, for mcpclient.Connect.
//
// # At an HTTP server
//
// A [Handler] is an http.Handler for one path and works with any router. It hijacks the connection
// (http.Hijacker), so:
//
//   - It needs HTTP/1.1, which clients use for it. A request over HTTP/2 is refused with
//     status 400. Serving both on one port is possible.
//   - Middleware that wraps the http.ResponseWriter must have a method Hijack, or Unwrap for
//     http.ResponseController. Otherwise the response has status 500, and the reason is logged.
//     http.TimeoutHandler is such a middleware.
//   - The timeouts of the http.Server end with the upgrade: set ReadHeaderTimeout; ReadTimeout and
//     WriteTimeout do not affect connections.
//   - http.Server.Shutdown and Close do not end hijacked connections. Call [Handler.Shutdown] as
//     well, as the example shows.
//   - A proxy in front must pass the upgrade on, and its idle timeout should be longer than the
//     interval of [WithPing].
//
// # Who may connect
//
// Browsers let every page open WebSockets to any address, with the cookies of that address.
// Therefore the Host and Origin headers of the upgrade are checked, as in the streamable HTTP
// transport: see [WithAllowedOrigins] and [WithAllowedHosts]. [WithPrincipal] authenticates.
// Scripts in browsers cannot set an Authorization header here; a cookie serves as well, since the
// origin is checked.
package mcpws
