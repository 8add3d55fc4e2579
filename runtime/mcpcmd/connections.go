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
	// open contains the open connections; the value is true until the first request. Clients
	// sometimes open a connection that they do not use, and [http.Server.Shutdown] waits several
	// seconds for its first request.
	open   map[net.Conn]bool
	closed bool
}

// onState is the ConnState hook of an [http.Server].
func (c *connections) onState(conn net.Conn, state http.ConnState) {
	if !c.note(conn, state) {
		_ = conn.Close()
	}
}

// note records the state of a connection. It returns false for a new one that the caller must
// close, without the lock: closing a TLS connection may wait for the client.
func (c *connections) note(conn net.Conn, state http.ConnState) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		if c.closed || len(c.open) >= c.most {
			return false
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
	return true
}

// closeUnused closes the connections that sent no request, and all later ones.
func (c *connections) closeUnused() {
	c.mu.Lock()
	c.closed = true
	var unused []net.Conn
	for conn, is := range c.open {
		if is {
			unused = append(unused, conn)
		}
	}
	c.mu.Unlock()
	for _, conn := range unused {
		_ = conn.Close()
	}
}
