package mcpcmd

import (
	"net"
	"net/http"
	"sync"
)

// unused are the connections on which no request has begun. Clients open one more
// than they need now and then, and [http.Server.Shutdown] waits for its first
// request for a while.
type unused struct {
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
}

// state is a hook of [http.Server].
func (u *unused) state(conn net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(u.conns, conn)
	case u.closed:
		_ = conn.Close()
	default:
		if u.conns == nil {
			u.conns = map[net.Conn]struct{}{}
		}
		u.conns[conn] = struct{}{}
	}
}

// close closes them, and those that are still to come.
func (u *unused) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for conn := range u.conns {
		_ = conn.Close()
	}
}
