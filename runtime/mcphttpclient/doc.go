// Package mcphttpclient connects clients of package mcpclient to servers over HTTP.
//
// An [Endpoint] is a server behind a URL. It speaks streamable HTTP of every revision, and
// HTTP+SSE to a server that has nothing else. An [Authorizer] gives its requests credentials:
// [Bearer], [Basic], [Header] and [TokenFunc] return some, and package mcplogin one that logs in.
// Package mcphttp has the server's half.
package mcphttpclient
