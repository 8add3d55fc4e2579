package mcp

import (
	"errors"
	"log/slog"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file ends requests without a reply: for notifications/cancelled of the client, and when
// a connection for one request ends ([engineConn.abandon]). It runs on the goroutine that reads, or on
// that of the transport.

// notification handles a notification. Notifications mean the same in all revisions.
func (c *engineConn) notification(m *jsonrpc.Message, from *caller) {
	if string(m.Method) == protocol.Cancelled {
		c.cancel(&m.Params)
	} else {
		c.host.Notify(m, *from)
	}
}

// cancel cancels a request in flight (basic/utilities/cancellation). The request gets no reply,
// and the context of its handler ends. An id that is not in flight, or has another type, is
// ignored: the reply may have been sent already. The reason of the client is logged.
func (c *engineConn) cancel(p *jsonrpc.Params) {
	id, _ := jsonrpc.RawID(p.Get("requestId")) // the zero ID is that of no request
	c.mu.Lock()
	x := c.inflight.find(id.Key())
	if x == nil || x.method == protocol.Initialize {
		c.mu.Unlock()
		return
	}
	c.forget(x)
	c.mu.Unlock()
	cause := errCancelled
	if reason, _ := jsonrpc.String(p.Get("reason")); reason != "" {
		cause = &cancelledError{printable(logs.Cut(reason, logs.MaxText))}
		c.settings.log.Client(c.ctx, slog.LevelInfo, "request cancelled by the client", logs.Text("method", x.methodName),
			logs.Text("name", loggedFeature(x.method, x.feature)), logs.Text("id", x.id.String()), slog.String("reason", reasonOf(cause)))
	}
	x.stop(cause)
}

// cancelledError is [errCancelled] with the reason of the client, cut to what is logged.
type cancelledError struct {
	reason string
}

func (e *cancelledError) Error() string { return errCancelled.Error() + ": " + e.reason }

func (e *cancelledError) Unwrap() error { return errCancelled }

// reasonOf returns the client's reason for a cancellation, "" without one.
func reasonOf(cause error) string {
	if e, ok := errors.AsType[*cancelledError](cause); ok {
		return e.reason
	}
	return ""
}

// printable returns a text of the client, quoted if it has characters that are not printable.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// forget removes a request, which gets no reply then. The caller holds conn.mu.
func (c *engineConn) forget(x *engineExchange) {
	x.dropNoticesLocked()
	x.answered = true
	x.endHandlerLocked(false)
	c.inflight.remove(x)
	x.sink.Reply(nil, 0)
}

// abandon cancels all requests of a connection. They get no reply.
func (c *engineConn) abandon(cause error) {
	c.mu.Lock()
	all := c.inflight.all()
	for _, x := range all {
		c.forget(x)
	}
	c.mu.Unlock()
	for _, x := range all {
		x.stop(cause)
	}
}

// loggedFeature is the feature of a request for the log: a URI without query, fragment and user.
func loggedFeature(method protocol.Method, name string) string {
	switch method {
	case protocol.ResourcesRead, protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		return logs.URI(name)
	}
	return logs.Cut(name, logs.MaxText)
}
