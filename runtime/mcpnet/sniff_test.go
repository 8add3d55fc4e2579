package mcpnet_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Other protocols are cut off before any of their lines is taken for a message: a
// page can make a browser send them.
func TestOtherProtocols(t *testing.T) {
	message := call(1, "block", "{}")
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
				visit(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{MessageBytes: 1000})}}, func(t *testing.T, p *place) {
					c, other := p.open(), p.open()
					rest := sent
					for len(rest) > 0 {
						n := min(len(rest), piece)
						if _, err := io.WriteString(c.raw, rest[:n]); err != nil {
							break
						}
						rest = rest[n:]
					}
					time.Sleep(2 * time.Second)
					c.wants("end EOF")
					if len(p.causes) > 0 {
						t.Error("a line was executed")
					}
					if strings.HasPrefix(name, "TLS") {
						p.logged("client speaks TLS")
					} else {
						p.logged("client speaks HTTP")
					}
					other.say(ping(1))
					other.wants(pong(1))
				})
			})
		}
	}
}

// It is told by the first bytes: nobody waits for the rest of a line.
func TestOtherProtocolAtOnce(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, p *place) {
		c := p.open()
		c.garble("POST ")
		c.wants("end EOF")
	})
}

// Everything else is for the parser to say.
func TestOtherBeginnings(t *testing.T) {
	for _, sent := range []string{
		"hello\n", "hello world\n", "POST\n", "GETAWAY\n", "{GET / HTTP/1.1\n", "get / HTTP/1.1\n", "\ufeff{}\n",
		strings.Repeat("A", 100) + " HTTP\n", "\"GET \"\n",
	} {
		visit(t, setup{}, func(t *testing.T, p *place) {
			c := p.open()
			c.garble(sent)
			c.wants(`"error":{"code":-32`)
			c.say(ping(1))
			c.wants(pong(1))
			synctest.Wait()
		})
	}
}
