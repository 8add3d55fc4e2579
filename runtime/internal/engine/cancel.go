package engine

import (
	"errors"
	"log/slog"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file ends requests without a reply: after notifications/cancelled of the client, and when a
// connection for one request closes ([Conn.Abandon]). It runs on the goroutine that reads, or on
// the transport goroutine.

// notification handles a notification. Notifications mean the same in all revisions.
func (c *Conn) notification(m *jsonrpc.Message, from *Caller) {
	if string(m.Method) == protocol.Cancelled {
		c.cancel(&m.Params)
	} else {
		c.host.Notify(m, *from)
	}
}

// cancel cancels a request in flight (basic/utilities/cancellation). The request gets no reply, and
// the context of its handler is cancelled. An id that is not in flight, or has another type, is
// ignored: the reply may have been sent already. The reason of the client is logged.
func (c *Conn) cancel(p *jsonrpc.Params) {
	id, _ := jsonrpc.RawID(p.Get("requestId")) // the zero ID does not belong to any request
	c.mu.Lock()
	x := c.inflight.find(id.Key())
	if x == nil || x.Method == protocol.Initialize {
		c.mu.Unlock()
		return
	}
	c.forget(x)
	c.mu.Unlock()
	cause := ErrCancelled
	if reason, _ := jsonrpc.String(p.Get("reason")); reason != "" {
		cause = &cancelledError{printable(logs.Cut(reason, logs.MaxText))}
		c.Settings.Log.Client(c.Ctx, slog.LevelInfo, "request cancelled by the client", logs.Text("method", x.MethodName),
			logs.Text("name", LoggedFeature(x.Method, x.Feature)), logs.Text("id", x.ID.String()), slog.String("reason", ReasonOf(cause)))
	}
	x.Stop(cause)
}

// cancelledError is [ErrCancelled] with the reason of the client, truncated for the log.
type cancelledError struct {
	reason string
}

func (e *cancelledError) Error() string { return ErrCancelled.Error() + ": " + e.reason }

func (e *cancelledError) Unwrap() error { return ErrCancelled }

// ReasonOf returns the client's reason for a cancellation, or "".
func ReasonOf(cause error) string {
	if e, ok := errors.AsType[*cancelledError](cause); ok {
		return e.reason
	}
	return ""
}

// printable returns a client's text, quoted if it contains characters that are not printable.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// forget removes a request, which then gets no reply. The caller holds Conn.mu.
func (c *Conn) forget(x *Exchange) {
	x.dropNoticesLocked()
	x.answered = true
	if r := x.Ctx.inner.Load(); r != nil {
		r.endRunLocked(false)
	}
	c.inflight.remove(x)
	x.Sink.Reply(nil, 0)
}

// Abandon cancels all requests of a connection. They get no reply.
func (c *Conn) Abandon(cause error) {
	c.mu.Lock()
	all := c.inflight.all()
	for _, x := range all {
		c.forget(x)
	}
	c.mu.Unlock()
	for _, x := range all {
		x.Stop(cause)
	}
}

// LoggedFeature returns the feature of a request for the log: a URI without query, fragment and
// user.
func LoggedFeature(method protocol.Method, name string) string {
	switch method {
	case protocol.ResourcesRead, protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		return logs.URI(name)
	}
	return logs.Cut(name, logs.MaxText)
}
