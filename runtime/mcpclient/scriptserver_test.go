package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// scripted is a server that replies as a test demands, over any number of connections. Messages of
// the client are validated against the schemas.
type scripted struct {
	t *testing.T
	// handle is called with each message, and returns the messages to send, in order. closing ends
	// the connection after them.
	handle func(conn int, m message) []string

	mu       sync.Mutex
	received []message
	conns    []jsonrpc.Conn
	serving  sync.WaitGroup
}

// closing ends the connection.
const closing = "close"

// message is a message of the client.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// reply returns a reply with a result to a message.
func (m message) reply(result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// fail returns a reply with an error.
func (m message) fail(code int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, text)
}

// member returns a member of the params, or "".
func (m message) member(name string) string {
	var p map[string]json.RawMessage
	_ = json.Unmarshal(m.Params, &p) // not an object: no member
	return string(p[name])
}

// dial is for mcpclient.Dialer.
func (s *scripted) dial(context.Context) (jsonrpc.Conn, error) {
	client, server := jsonrpc.PipeLimit(1<<20, 1<<20)
	tap := spec.NewTap(s.t).OfClients().Conversation()
	s.mu.Lock()
	s.conns = append(s.conns, server)
	n := len(s.conns)
	s.mu.Unlock()
	s.serving.Go(func() {
		defer server.Close()
		for {
			data, err := server.Read()
			if err != nil {
				return
			}
			tap.Client(string(data))
			var m message
			if err := json.Unmarshal(data, &m); err != nil {
				s.t.Errorf("the client sent %s: %v", data, err)
				return
			}
			s.mu.Lock()
			s.received = append(s.received, m)
			s.mu.Unlock()
			for _, text := range s.handle(n, m) {
				if text == closing {
					return
				}
				tap.Server(text)
				if server.Write([]byte(strings.ReplaceAll(text, "\n", " ")+"\n")) != nil {
					return
				}
			}
		}
	})
	return client, nil
}

// validated returns a connection over a stream that validates the client's messages.
func validated(t *testing.T, stream io.ReadWriteCloser) jsonrpc.Conn {
	tap := spec.NewTap(t).OfClients().Conversation()
	both := struct {
		io.Reader
		io.Writer
		io.Closer
	}{io.TeeReader(stream, &spec.Lines{Take: tap.Server}), io.MultiWriter(&spec.Lines{Take: tap.Client}, stream), stream}
	return jsonrpc.NewLineConn(both, both, 1<<20)
}

// send sends a message on the newest connection.
func (s *scripted) send(text string) {
	s.mu.Lock()
	conn := s.conns[len(s.conns)-1]
	s.mu.Unlock()
	if err := conn.Write([]byte(text + "\n")); err != nil {
		s.t.Errorf("send %s: %v", text, err)
	}
}

// methods returns the methods of the received messages, in order; "reply" for a reply.
func (s *scripted) methods() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, m := range s.received {
		if m.Method == "" {
			m.Method = "reply"
		}
		all = append(all, m.Method)
	}
	return all
}

// count returns the number of received messages with a method.
func (s *scripted) count(method string) int {
	n := 0
	for _, m := range s.methods() {
		if m == method {
			n++
		}
	}
	return n
}

// Results of handshakes.
const (
	discoverResult   = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}}}`
	initializeResult = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"scripted","version":"1"}}`
)

// modern answers server/discover, and passes other messages on.
func modern(next func(conn int, m message) []string) func(int, message) []string {
	return func(conn int, m message) []string {
		if m.Method == "server/discover" {
			return []string{m.reply(discoverResult)}
		}
		return next(conn, m)
	}
}

// legacy answers the handshake of a server with sessions.
func legacy(next func(conn int, m message) []string) func(int, message) []string {
	return func(conn int, m message) []string {
		switch m.Method {
		case "server/discover":
			return []string{m.fail(-32601, "method not found")}
		case "initialize":
			return []string{m.reply(initializeResult)}
		case "notifications/initialized":
			return nil
		}
		return next(conn, m)
	}
}

// violations collects the errors that OnProtocolError gets.
type violations struct {
	mu  sync.Mutex
	all []error
}

func (v *violations) add(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all = append(v.all, err)
}

func (v *violations) texts() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var texts []string
	for _, err := range v.all {
		texts = append(texts, err.Error())
	}
	return texts
}

// connect connects to a scripted server, and closes the client at the end of the test.
func connect(t *testing.T, s *scripted, o mcpclient.Options) *mcpclient.Client {
	t.Helper()
	s.t = t
	c, err := mcpclient.Connect(t.Context(), mcpclient.Dialer("scripted "+t.Name(), s.dial), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		s.serving.Wait()
	})
	return c
}

// errorAs returns an error as a type, or fails the test.
func errorAs[T error](t *testing.T, err error) T {
	t.Helper()
	e, ok := errors.AsType[T](err)
	if !ok {
		t.Fatalf("the error is %T: %v; want %T", err, err, e)
	}
	return e
}
