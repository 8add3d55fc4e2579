package hardening_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
)

// refusedHeads are requests that are refused because of their header, or answered whatever their
// body is, before the body arrives.
var refusedHeads = []string{
	"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n",
	"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://evil.example\r\nContent-Length: 1000\r\n\r\n",
	"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nTransfer-Encoding: chunked\r\n\r\n",
	"PATCH /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nhalf",
	"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nContent-Length: 1000\r\n\r\n",
	"OPTIONS /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n",
	"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n",
	"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 100000000\r\n\r\n",
}

// testRefused has many clients that are refused, and send nothing more.
func testRefused(t *testing.T, v target) {
	const many = 300
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		c.alive("the start")
		s.settle()
		goroutines, began := testbed.Goroutines(), time.Now()
		var conns []net.Conn
		for i := range many {
			conn, err := s.net.Dial(s.ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conns = append(conns, conn)
			go func() { _, _ = io.WriteString(conn, refusedHeads[i%len(refusedHeads)]) }()
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode < 400 {
				t.Fatalf("%q: %v, %v", refusedHeads[i%len(refusedHeads)], resp, err)
			}
		}
		c.alive("many are refused")
		if took := time.Since(began); took > 0 {
			t.Errorf("it has taken %v", took)
		}
		for _, conn := range conns {
			_, _ = io.Copy(io.Discard, conn) // until the server closes it
		}
		if took := time.Since(began); took > unreadbody.Time+time.Second {
			t.Errorf("the connections have ended after %v", took)
		}
		s.settle()
		if n := testbed.Goroutines(); n > goroutines+10 {
			t.Errorf("%d goroutines, before it were %d", n, goroutines)
		}
		c.alive("they are gone")
	})
}
