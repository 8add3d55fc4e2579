package mcp

import (
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// notification takes a notification. By its content alone it is clear what it is
// about, so it needs no revision; those that mean nothing here are ignored.
func (c *conn) notification(m *jsonrpc.Message, from *caller) {
	switch string(m.Method) {
	case protocol.Cancelled:
		c.cancel(&m.Params)
	case protocol.Initialized:
		c.initialized()
	case protocol.RootsListChanged:
		c.rootsChanged()
	default:
		c.extensionNotification(m, from)
	}
}

// cancel ends a request in flight (basic/utilities/cancellation). It gets no
// reply from now on; its handler is told by its context and may take its time.
// An identifier that is not in flight, or is one of another type, is ignored:
// the reply may have crossed the notification. A reason is logged.
func (c *conn) cancel(p *jsonrpc.Params) {
	id, ok := jsonrpc.RawID(p.Get("requestId"))
	if !ok {
		return
	}
	c.mu.Lock()
	x := c.inflight.find(id.Key())
	if x == nil || x.method == protocol.Initialize {
		c.mu.Unlock()
		return
	}
	c.forget(x)
	c.mu.Unlock()
	cause := ErrCancelled
	if reason, _ := jsonrpc.String(p.Get("reason")); reason != "" {
		cause = &cancelledError{printable(logs.Cut(reason, logs.MaxText))}
		c.server.log.Client(c.ctx, slog.LevelInfo, "request cancelled by the client", logs.Text("method", x.call.method),
			logs.Text("name", x.req.loggedFeature()), logs.Text("id", x.call.ID()), slog.String("reason", reasonOf(cause)))
	}
	x.stop(cause)
}

// cancelledError is [ErrCancelled] with the reason that the client has given, as much
// of it as is logged.
type cancelledError struct {
	reason string
}

func (e *cancelledError) Error() string { return ErrCancelled.Error() + ": " + e.reason }

func (e *cancelledError) Unwrap() error { return ErrCancelled }

// reasonOf returns the reason that a client has given for a cancellation, "" where
// there is none.
func reasonOf(cause error) string {
	if e, ok := errors.AsType[*cancelledError](cause); ok {
		return e.reason
	}
	return ""
}

// printable returns a text of the client as it is, or quoted where it has characters
// that a terminal would not show as such.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) || !utf8.ValidString(s) {
		return strconv.Quote(s)
	}
	return s
}

// forget has a request get no reply. The caller holds the lock.
func (c *conn) forget(x *exchange) {
	x.dropNoticesLocked()
	x.answered = true
	c.inflight.remove(x)
	x.sink.Reply(nil, 0)
}

// abandon ends all requests of a connection, which get no reply.
func (c *conn) abandon(cause error) {
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
