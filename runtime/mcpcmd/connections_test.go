package mcpcmd

import (
	"net"
	"net/http"
	"testing"
	"testing/synctest"
)

// stuckConn is a connection whose Close waits for its client.
type stuckConn struct {
	net.Conn
	ended chan struct{}
}

func (c *stuckConn) Close() error {
	<-c.ended
	return nil
}

// While one connection waits for its client to close, other connections work.
func TestStuckConnection(t *testing.T) {
	for name, close := range map[string]func(*connections, *stuckConn){
		"too many": func(c *connections, conn *stuckConn) {
			c.most = 1
			c.onState(conn, http.StateNew)
		},
		"after the end": func(c *connections, conn *stuckConn) {
			c.closed = true
			c.onState(conn, http.StateNew)
		},
		"unused": func(c *connections, conn *stuckConn) {
			c.onState(conn, http.StateNew)
			c.closeUnused()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, stuck, other := &connections{most: 2}, &stuckConn{ended: make(chan struct{})}, &stuckConn{}
				c.onState(other, http.StateNew)
				c.onState(other, http.StateActive)
				go close(c, stuck)
				synctest.Wait()
				c.onState(other, http.StateClosed)
				if _, open := c.open[other]; open {
					t.Error("the other connection is still there")
				}
				stuck.ended <- struct{}{}
			})
		})
	}
}
