// Package mcphttp serves a server of package mcp over HTTP.
//
// [NewHandler] is the streamable HTTP transport for one endpoint: requests of
// every revision, with a session and without one, in the same process and under
// the same URL. [NewSSEHandler] is the older transport HTTP+SSE of revision
// 2024-11-05, for clients that know nothing else. Both are an [http.Handler] that
// works under any router and any middleware. Middleware that wraps the
// ResponseWriter must have an Unwrap or a Flush method, as http.ResponseController
// wants it, or there are no event streams.
//
// By default a handler refuses what a web page of another origin makes a browser
// send, and on a loopback address every name of the host but its own; see
// [WithAllowedOrigins] and [WithAllowedHosts].
package mcphttp
