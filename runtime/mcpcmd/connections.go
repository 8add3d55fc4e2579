package mcpcmd

import (
	"net"
	"net/http"
	"sync"
)

// connections are those of an [http.Server].
type connections struct {
	most int // one more is closed at once

	mu sync.Mutex
	// Those that are counted, with whether no request has begun on them. Clients open one
	// more than they need now and then, and [http.Server.Shutdown] waits for its first
	// request for a while.
	open   map[net.Conn]bool
	closed bool
}

// state is a hook of [http.Server].
func (c *connections) state(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		if c.closed || len(c.open) >= c.most {
			_ = conn.Close()
			return
		}
		if c.open == nil {
			c.open = map[net.Conn]bool{}
		}
		c.open[conn] = true
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	default:
		if c.open[conn] {
			c.open[conn] = false
		}
	}
}

// closeUnused closes those without a request, and those that are still to come.
func (c *connections) closeUnused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for conn, unused := range c.open {
		if unused {
			_ = conn.Close()
		}
	}
}
