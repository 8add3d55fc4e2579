package faulty

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// ServeHTTP serves streamable HTTP: each response is an event stream, and Raw begins an event. A
// server with sessions opens one for each initialize, and does not offer a GET stream.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if !s.Modern && r.Header.Get("Mcp-Session-Id") == "" {
		w.Header().Set("Mcp-Session-Id", "session")
	}
	var m struct{ ID, Method json.RawMessage }
	_ = json.Unmarshal(body, &m) // handle reports an error
	e := &events{w: w, r: r, replied: make(chan struct{})}
	s.handle(e, int(s.connections.Add(1)), body)
	if m.ID == nil || m.Method == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	select { // the script may reply later, or never
	case <-e.replied:
	case <-r.Context().Done():
	}
}

// events is the response to one message.
type events struct {
	w       http.ResponseWriter
	r       *http.Request
	mu      sync.Mutex
	begun   bool
	part    bool // an event is not complete
	replied chan struct{}
	once    sync.Once
}

func (e *events) Send(message string) error { return e.write(message, "\n\n") }
func (e *events) Raw(part string) error     { return e.write(part, "") }

func (e *events) write(text, end string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
	}
	if !e.part {
		text = "data: " + text
	}
	e.part = end == ""
	if e.r.Context().Err() != nil {
		return e.r.Context().Err()
	}
	if _, err := io.WriteString(e.w, text+end); err != nil {
		return err
	}
	if err := http.NewResponseController(e.w).Flush(); err != nil {
		return err
	}
	if end != "" && (strings.Contains(text, `"result":`) || strings.Contains(text, `"error":`)) {
		e.once.Do(func() { close(e.replied) })
	}
	return nil
}

// Close breaks the response off, and closes its connection.
func (e *events) Close() error { panic(http.ErrAbortHandler) }

func (e *events) Gone() <-chan struct{} { return e.r.Context().Done() }
