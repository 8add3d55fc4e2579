package mcp

import (
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// notification takes a notification. By its content alone it is clear what it is
// about, so it needs no revision; those that mean nothing here are ignored.
func (c *conn) notification(m *jsonrpc.Message) {
	switch string(m.Method) {
	case protocol.Cancelled:
		c.cancel(&m.Params)
	case protocol.Initialized:
		c.initialized()
	case protocol.RootsListChanged:
		c.rootsChanged()
	default:
		c.extensionNotification(m)
	}
}

// cancel ends a request in flight (basic/utilities/cancellation). It gets no
// reply from now on; its handler is told by its context and may take its time.
// An identifier that is not in flight, or is one of another type, is ignored:
// the reply may have crossed the notification.
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
		cause = fmt.Errorf("%w: %s", cause, reason)
	}
	x.stop(cause)
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
