package mcpclient

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// doubt checks whether a server is still reachable that has sent nothing since a request that has
// timed out: a machine that has lost its network sends no sign of it. doubt sends a ping that no
// goroutine waits for. If still nothing arrives within RequestTime, the connection counts as lost.
// before is the number of messages received before the request.
//
// It sends no ping to a program, since the end of a program is always noticed; a program that
// handles one request at a time may be busy with it.
func (x *connection) doubt(before int64) {
	c := x.client
	if r, ok := c.target.(dial.Restarter); ok && r.Restarts() || c.testing != nil || !x.initialized.Load() || x.received.Load() != before {
		return
	}
	method := protocol.Ping
	if !x.has(method) {
		method = protocol.Discover
	}
	r := &Request{Method: method.String(), options: new(requestOptions)}
	p, err := x.enter(r.Method, r.options)
	if err != nil {
		return
	}
	x.leave(p)
	message, err := x.appendRequest(nil, p, r)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil || x.doubts != nil || x.failure != nil {
		return
	}
	x.doubts = time.AfterFunc(c.limits.RequestTime, func() {
		x.mu.Lock()
		x.doubts = nil
		x.mu.Unlock()
		if x.received.Load() == before {
			x.fail(errVanished)
		}
	})
	x.out.add(message, nil)
}
