// Package mcphttp serves a server of package mcp over HTTP. Package mcphttpclient connects clients.
//
// [NewHandler] is the streamable HTTP transport for one endpoint. It serves requests of all
// revisions, with and without sessions, in the same process and under the same URL. [NewSSEHandler]
// is the older HTTP+SSE transport of revision 2024-11-05, for clients that support nothing else.
// Both are an [http.Handler] and work with any router and middleware. Event streams need a
// ResponseWriter that can flush: one that middleware has wrapped must have a method Flush, or
// Unwrap for http.ResponseController.
//
// By default a handler refuses requests that a web page of another origin makes a browser send. On
// a loopback address it also refuses Host headers other than loopback names. See
// [WithAllowedOrigins] and [WithAllowedHosts].
package mcphttp
