package faulty

import (
	"io"
	"net/http"
	"sync"
)

// ServeHTTP serves streamable HTTP: each response is an event stream, of which Raw begins an
// event. A server with sessions has one for each initialize, and no GET stream.
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
	e := &events{w: w, r: r}
	s.handle(e, int(s.connections.Add(1)), body)
	if !e.begun {
		w.WriteHeader(http.StatusAccepted)
	}
}

// events is the response to one message.
type events struct {
	w     http.ResponseWriter
	r     *http.Request
	mu    sync.Mutex
	begun bool
	part  bool // an event has begun
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
	if _, err := io.WriteString(e.w, text+end); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}

// Close ends the response in the middle, and its connection.
func (e *events) Close() error { panic(http.ErrAbortHandler) }

func (e *events) Gone() <-chan struct{} { return e.r.Context().Done() }
