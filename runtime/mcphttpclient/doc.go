// Package mcphttpclient connects clients of package mcpclient to servers over HTTP.
//
// An [Endpoint] is a server behind a URL. It speaks streamable HTTP of every revision, and HTTP+SSE
// to a server that supports nothing else. An [Authorizer] adds credentials to its requests:
// [Bearer], [Basic], [Header] and [TokenFunc] return one, and package mcplogin contains one that
// logs in. Package mcphttp serves.
package mcphttpclient
