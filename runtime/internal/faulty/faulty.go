// Package faulty provides MCP servers that break the protocol, or send too much, or nothing: for
// tests of clients. A [Server] replies correctly, unless a script changes that.
package faulty

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
)

// Server replies to the messages of a client, over any number of connections.
type Server struct {
	// Modern is set for a server that supports revision 2026-07-28 only. Otherwise the server
	// supports 2025-11-25 only, with sessions.
	Modern bool
	// Script is called with each message before the server replies to it. It returns true if the
	// server must not send its own reply. It may be called by several goroutines.
	Script func(*Message) bool

	connections atomic.Int32
}

// Message is a message of the client.
type Message struct {
	Wire       `json:"-"`
	Connection int `json:"-"` // number of the connection, from 1 on

	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Wire sends the messages that answer a message: on the connection, or over HTTP in its response.
type Wire interface {
	// Send sends one message, in the frame of the transport. It returns an error if the client has
	// gone.
	Send(message string) error
	// Raw sends a part of a message: the frame does not end.
	Raw(part string) error
	// Close closes the connection.
	Close() error
	// Gone is closed when the client has gone.
	Gone() <-chan struct{}
}

// Is reports whether the message calls the tool, or has the method.
func (m *Message) Is(name string) bool {
	if m.Method == name {
		return true
	}
	var p struct{ Name string }
	return m.Method == "tools/call" && json.Unmarshal(m.Params, &p) == nil && p.Name == name
}

// Text returns a text with this request in it: %ID is its id.
func (m *Message) Text(format string) string { return strings.ReplaceAll(format, "%ID", string(m.ID)) }

// Reply sends a result.
func (m *Message) Reply(result string) error {
	return m.Send(m.Text(`{"jsonrpc":"2.0","id":%ID,"result":` + result + `}`))
}

// Fail sends an error.
func (m *Message) Fail(code int, text string) error {
	return m.Send(m.Text(fmt.Sprintf(`{"jsonrpc":"2.0","id":%%ID,"error":{"code":%d,"message":%q}}`, code, text)))
}

// handle handles a message that came over a wire.
func (s *Server) handle(w Wire, connection int, data []byte) {
	m := &Message{Wire: w, Connection: connection}
	if json.Unmarshal(data, m) != nil {
		_ = w.Send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`) // the client may have gone
		return
	}
	if s.Script != nil && s.Script(m) {
		return
	}
	if len(m.ID) == 0 || m.Method == "" {
		return
	}
	if result := s.result(m); result != "" {
		_ = m.Reply(result)
		return
	}
	_ = m.Fail(-32601, "method not found")
}

// Capabilities are the capabilities of the server.
const Capabilities = `{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{}}`

// result returns the correct result of a request, or "" for an unknown one.
func (s *Server) result(m *Message) string {
	switch {
	case m.Method == "initialize" && !s.Modern:
		return `{"protocolVersion":"2025-11-25","capabilities":` + Capabilities + `,"serverInfo":{"name":"faulty","version":"1"}}`
	case m.Method == "server/discover" && s.Modern:
		return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + Capabilities + `,"ttlMs":0,"cacheScope":"private"}`
	case m.Method == "ping" && !s.Modern:
		return `{}`
	case m.Method == "tools/list":
		return s.Complete(`"tools":[{"name":"echo","inputSchema":{"type":"object"}}]`, true)
	case m.Method == "resources/read":
		return s.Complete(`"contents":[{"uri":"a:b","text":"right"}]`, true)
	case m.Method == "tools/call":
		return s.Complete(`"content":[{"type":"text","text":"right"}]`, false)
	}
	return ""
}

// Complete returns a result with these members and the members that the revision requires.
func (s *Server) Complete(members string, cacheable bool) string {
	switch {
	case !s.Modern:
		return `{` + members + `}`
	case cacheable:
		return `{"resultType":"complete","ttlMs":0,"cacheScope":"private",` + members + `}`
	}
	return `{"resultType":"complete",` + members + `}`
}
