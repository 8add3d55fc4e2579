// Package hostile contains servers that violate the protocol, send too much, or send nothing, for
// the comparison of clients. They are few and simple; runtime/internal/hardening contains the
// servers for the tests of mcpgen's client.
//
// A server supports revision 2025-11-25, and has one tool. Its [Row] describes its deviation.
package hostile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
)

// Server is a server of a row.
type Server struct {
	Row       *Row
	Elsewhere string // the URL of another origin, for rows that lead clients there

	mu       sync.Mutex
	methods  []string // of all received messages
	requests int      // over HTTP
}

// Methods returns the methods of all received messages.
func (s *Server) Methods() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.methods)
}

// Requests returns the number of HTTP requests.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// count returns the number of received messages with a method.
func (s *Server) count(method string) int {
	n := 0
	for _, m := range s.Methods() {
		if m == method {
			n++
		}
	}
	return n
}

// Message is a message of the client, and the destination of the reply.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`

	W http.ResponseWriter `json:"-"` // over HTTP
	R *http.Request       `json:"-"`
	// out writes to the client until it is gone.
	out io.Writer
}

// Raw writes a part of the reply. It reports whether the client may still read.
func (m *Message) Raw(part string) bool {
	_, err := io.WriteString(m.out, strings.ReplaceAll(part, "%ID", string(m.ID)))
	if f, ok := m.out.(http.Flusher); ok {
		f.Flush()
	}
	return err == nil
}

// Send writes one message: a line, or the response body.
func (m *Message) Send(message string) bool { return m.Raw(message + "\n") }

// Result sends the reply.
func (m *Message) Result(result string) bool {
	return m.Send(`{"jsonrpc":"2.0","id":%ID,"result":` + result + `}`)
}

// Event sends a message as an event of the response, which is a stream.
func (m *Message) Event(message string) bool { return m.Raw("data: " + message + "\n\n") }

// Stream begins a response that is an event stream.
func (m *Message) Stream() { m.W.Header().Set("Content-Type", "text/event-stream") }

// right is the correct result of the tool.
const right = `{"content":[{"type":"text","text":"right"}]}`

// wrong is a result without a request.
const wrong = `{"content":[{"type":"text","text":"wrong"}]}`

// handle replies to a message.
func (s *Server) handle(m *Message) {
	s.mu.Lock()
	s.methods = append(s.methods, m.Method)
	s.mu.Unlock()
	if s.Row.Script != nil && s.Row.Script(s, m) {
		return
	}
	switch {
	case m.ID == nil || m.Method == "":
		if m.W != nil {
			m.W.WriteHeader(http.StatusAccepted)
		}
	case m.Method == "initialize":
		m.Result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}`)
	case m.Method == "tools/list":
		m.Result(`{"tools":[{"name":"tool","inputSchema":{"type":"object"}}]}`)
	case m.Method == "tools/call":
		m.Result(right)
	case m.Method == "ping":
		m.Result(`{}`)
	default:
		m.Send(`{"jsonrpc":"2.0","id":%ID,"error":{"code":-32601,"message":"method not found"}}`)
	}
}

// ServeHTTP serves over streamable HTTP, without sessions.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	s.mu.Unlock()
	m := &Message{W: w, R: r, out: w}
	if s.Row.HTTP != nil && s.Row.HTTP(s, m) {
		return
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if json.NewDecoder(r.Body).Decode(m) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	s.handle(m)
}

// Start starts the server of a row over HTTP. strayed returns the number of requests to the other
// origin.
func Start(row *Row) (s *Server, url string, strayed func() int, stop func()) {
	other := &Server{Row: &Row{}}
	elsewhere := httptest.NewServer(other)
	s = &Server{Row: row, Elsewhere: elsewhere.URL + "/elsewhere"}
	here := httptest.NewServer(s)
	return s, here.URL + "/mcp", other.Requests, func() {
		for _, server := range []*httptest.Server{here, elsewhere} {
			server.CloseClientConnections()
			server.Close()
		}
	}
}

// ServeStdio serves a row over standard input and output, until the input ends.
func ServeStdio(row *Row) {
	s := &Server{Row: row}
	if row.Begin != nil {
		row.Begin()
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		m := &Message{out: os.Stdout}
		if json.Unmarshal(line, m) == nil {
			s.handle(m)
		}
	}
	if row.End != nil {
		row.End()
	}
}

// Find returns the row with a name.
func Find(name string) (*Row, error) {
	i := slices.IndexFunc(Rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no row %q", name)
	}
	return &Rows[i], nil
}
