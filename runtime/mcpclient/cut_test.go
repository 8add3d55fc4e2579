package mcpclient_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

// cutting is a server of lines that closes each connection inside of a reply to tools/call, after
// the part that reply returns. It sends its other replies to tools/call whole.
type cutting struct {
	reply   func(whole string) (sent string, ends bool)
	sockets bool // the client frames lines by package mcpnet
	mu      sync.Mutex
	calls   int
	serving sync.WaitGroup
}

func (s *cutting) dial(context.Context) (jsonrpc.Conn, error) {
	client, server := net.Pipe()
	s.serving.Go(func() {
		defer func() { _ = server.Close() }()
		for lines := bufio.NewScanner(server); lines.Scan(); {
			var m message
			if json.Unmarshal(lines.Bytes(), &m) != nil || len(m.ID) == 0 {
				continue
			}
			text, ends := m.reply(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)+"\n", false
			if m.Method == "tools/call" {
				s.mu.Lock()
				s.calls++
				first := s.calls == 1
				s.mu.Unlock()
				if text = m.reply(okResult) + "\n"; first {
					text, ends = s.reply(text)
				}
			}
			if _, err := server.Write([]byte(text)); err != nil || ends {
				return
			}
		}
	})
	if s.sockets {
		return mcpnet.NewConn(client, 0), nil
	}
	return jsonrpc.NewLineConn(client, client, 0), nil
}

func (s *cutting) connect(t *testing.T, reported *violations) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Connect(t.Context(), mcpclient.Dialer("cutting", s.dial), mcpclient.Options{OnProtocolError: reported.add})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); s.serving.Wait() })
	return c
}

// TestCutReply ends the connection after each number of bytes of a reply. The call is lost with its
// connection, and sent again if it may be: the server has not violated the protocol.
func TestCutReply(t *testing.T) {
	length := len(message{ID: json.RawMessage("2")}.reply(okResult))
	for at := range length + 1 {
		for _, again := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s := &cutting{sockets: at%2 == 0, reply: func(whole string) (string, bool) { return whole[:at], true }}
				var reported violations
				c := s.connect(t, &reported)
				var options []mcpclient.RequestOption
				if again {
					options = append(options, mcpclient.WithIdempotent())
				}
				_, err := c.Call(t.Context(), "x", nil, options...)
				switch {
				case again || at == length: // the whole reply, without its newline
					if err != nil {
						t.Errorf("%d bytes: %v", at, err)
					}
				default:
					if e := errorAs[*mcpclient.ConnectionError](t, err); !e.Sent {
						t.Errorf("%d bytes: %v", at, err)
					}
				}
				if texts := reported.texts(); len(texts) > 0 {
					t.Errorf("%d bytes: reported %q", at, texts)
				}
			})
		}
	}
}

// TestBrokenLastLine: a last line that is not the beginning of a message violates the protocol even
// at the end of a connection, and a complete line is not cut.
func TestBrokenLastLine(t *testing.T) {
	for _, c := range []struct {
		name, sent string
		ends       bool
	}{
		{"other text", "panic: out of memory", true},
		{"text behind", `{"jsonrpc":"2.0","id":2,"result":{}} {}`, true},
		{"not JSON", `{"jsonrpc":"2.0","id":2,"result":{]}}`, true},
		{"half a message on a line", `{"jsonrpc":"2.0","id":2,"result":{` + "\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &cutting{reply: func(whole string) (string, bool) {
					// The id is the id of the call, whatever its number.
					var m struct{ ID json.RawMessage }
					_ = json.Unmarshal([]byte(whole), &m)
					return strings.Replace(c.sent, `"id":2`, `"id":`+string(m.ID), 1), c.ends
				}}
				var reported violations
				client := s.connect(t, &reported)
				_, err := client.Call(t.Context(), "x", nil)
				synctest.Wait()
				if len(reported.texts()) == 0 {
					errorAs[*mcpclient.ProtocolViolationError](t, err)
				}
			})
		})
	}
}
