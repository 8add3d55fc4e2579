package mcphttpclient

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
)

// stuckConn is a connection whose Close waits for the peer.
type stuckConn struct {
	net.Conn
	ended chan struct{}
}

func (c stuckConn) Close() error {
	<-c.ended
	return c.Conn.Close()
}

// While closing an idle connection waits for its peer, other connections of the process are opened
// and closed.
func TestStuckIdleConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 12345 // used by no other test
		rt, release := acquireTransport(limit)
		ended := make(chan struct{})
		rt.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go answerOnce(theirs)
			return stuckConn{ours, ended}, nil
		}
		r, err := http.NewRequest("GET", "http://example.com/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := rt.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		synctest.Wait() // the connection is idle
		released := make(chan struct{})
		go func() {
			release()
			close(released)
		}()
		synctest.Wait()
		select {
		case <-released:
			t.Error("the end of the connection did not wait, so that nothing is tested")
		default:
		}
		_, other := acquireTransport(limit)
		other()
		close(ended)
		<-released
	})
}

// answerOnce answers one request, and reads until the end.
func answerOnce(conn net.Conn) {
	buf := make([]byte, 4096)
	if _, err := conn.Read(buf); err != nil {
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	_, _ = io.Copy(io.Discard, conn)
}
