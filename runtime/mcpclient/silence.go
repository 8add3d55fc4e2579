package mcpclient

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// doubt begins to find out whether a server is still there that has sent nothing since a request
// whose time is over: a machine that has lost its network sends no sign of that. A ping is sent
// whose reply nothing waits for. If still nothing has come after RequestTime, the connection
// counts as lost. before is how many messages had come before the request.
//
// A program is not asked, since its end is always seen; one that handles a request at a time may be
// busy with it.
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
