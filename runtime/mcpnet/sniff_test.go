package mcpnet_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Connections with other protocols are closed before any line is parsed: a web page can make a
// browser send them.
func TestOtherProtocols(t *testing.T) {
	message := testbed.Call(1, "block", "{}")
	body := "Host: 127.0.0.1:8080\r\nOrigin: http://evil.example\r\nContent-Type: text/plain\r\n\r\n" + message + "\n" + message + "\n"
	for name, sent := range map[string]string{
		"POST":                   "POST / HTTP/1.1\r\n" + body,
		"GET":                    "GET /mcp HTTP/1.1\r\n" + body,
		"OPTIONS":                "OPTIONS / HTTP/1.1\r\n" + body,
		"after blank lines":      "\r\n \r\n\nPOST / HTTP/1.1\r\n" + body,
		"path with a message":    "GET /\n" + message + "\n HTTP/1.1\r\n" + body,
		"longer than a message":  "GET /" + strings.Repeat("x", 2000) + " HTTP/1.1\r\n" + body,
		"HTTP/2":                 "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + body,
		"TLS":                    "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\n" + message + "\n",
		"TLS after a blank line": "\n\x16\x03\x01\n" + message + "\n",
	} {
		for _, piece := range []int{1 << 20, 7, 1} {
			t.Run(name, func(t *testing.T) {
				serve(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{MessageBytes: 1000})}}, func(t *testing.T, s *testServer) {
					c, other := s.open(), s.open()
					rest := sent
					for len(rest) > 0 {
						n := min(len(rest), piece)
						if _, err := io.WriteString(c.raw, rest[:n]); err != nil {
							break
						}
						rest = rest[n:]
					}
					time.Sleep(2 * time.Second)
					c.want("end EOF")
					if len(s.tools.Causes) > 0 {
						t.Error("a line was executed")
					}
					if strings.HasPrefix(name, "TLS") {
						s.wantLog("client speaks TLS")
					} else {
						s.wantLog("client speaks HTTP")
					}
					other.send(testbed.Ping(1))
					other.want(testbed.Pong(1))
				})
			})
		}
	}
}

// The first bytes suffice: the server does not wait for the end of the line.
func TestOtherProtocolAtOnce(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.writeInvalid("POST ")
		c.want("end EOF")
	})
}

// All other input is passed to the parser.
func TestOtherBeginnings(t *testing.T) {
	for _, sent := range []string{
		"hello\n", "hello world\n", "POST\n", "GETAWAY\n", "{GET / HTTP/1.1\n", "get / HTTP/1.1\n", "\ufeff{}\n",
		strings.Repeat("A", 100) + " HTTP\n", "\"GET \"\n",
	} {
		serve(t, setup{}, func(t *testing.T, s *testServer) {
			c := s.open()
			c.writeInvalid(sent)
			c.want(`"error":{"code":-32`)
			c.send(testbed.Ping(1))
			c.want(testbed.Pong(1))
			synctest.Wait()
		})
	}
}
