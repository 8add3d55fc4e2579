package mcp

import "context"

// Handler handles a request. An error becomes a failed result of a tool call, or an error reply to
// any other request; see [Errorf] and [ProtocolError].
type Handler func(ctx context.Context, req *Request) (Reply, error)

// Interceptor wraps a [Handler]. Interceptors handle the requests of every method, including
// initialize, ping and unknown methods. The server replies itself only to messages that are not
// valid requests of any revision. Notifications are not requests.
//
// For calls of tools the reply is a [*ToolResult], and the error is the one that the tool's
// function returned, before its text is written or hidden. An interceptor may answer itself without
// calling next, and may call next with another context that derives from ctx. It runs on the
// request goroutine, for many requests at once.
//
// Ready made are [LogCalls] and the limits of package mcprate. Panics are always recovered;
// timeouts and policies are options of the server, [WithTimeout] and [WithPolicy], since they need
// to know features.
type Interceptor func(next Handler) Handler

// intercept puts the interceptors around h, the first one outermost.
func intercept(h Handler, interceptors []Interceptor) Handler {
	for i := len(interceptors) - 1; i >= 0; i-- {
		h = interceptors[i](h)
	}
	return h
}
