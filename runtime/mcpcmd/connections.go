package mcpcmd

import (
	"net"
	"net/http"
	"sync"
)

// connections counts the connections of an [http.Server].
type connections struct {
	most int // one more is closed at once

	mu sync.Mutex
	// The open connections; the value is true until the first request. Clients
	// sometimes open a connection that they do not use, and [http.Server.Shutdown]
	// waits several seconds for its first request.
	open   map[net.Conn]bool
	closed bool
}

// onState is the ConnState hook of an [http.Server].
func (c *connections) onState(conn net.Conn, state http.ConnState) {
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

// closeUnused closes the connections without a request, and all later ones.
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
