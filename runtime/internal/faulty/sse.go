package faulty

import (
	"io"
	"net/http"
	"strconv"
	"sync"
)

// SSE serves HTTP+SSE (2024-11-05): the server sends its messages as events of a GET, and each
// message of the client is a POST.
type SSE struct {
	Server *Server

	mu      sync.Mutex
	streams map[string]*stream
}

// ServeHTTP serves the stream at /sse, and messages at the URL of its first event.
func (s *SSE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.serveStream(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	to := s.streams[r.URL.Query().Get("session")]
	s.mu.Unlock()
	if err != nil || to == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	number, _ := strconv.Atoi(r.URL.Query().Get("session")) // the server has chosen it
	to.handlers.Go(func() { s.Server.handle(&turn{stream: to}, number, body) })
}

func (s *SSE) serveStream(w http.ResponseWriter, r *http.Request) {
	number := int(s.Server.connections.Add(1))
	name := strconv.Itoa(number)
	w.Header().Set("Content-Type", "text/event-stream")
	conn := &response{w: w, ended: make(chan struct{})}
	begun := false // a message is sent in parts, and not complete
	to := newStream(conn, func(text []byte, whole bool) []byte {
		var b []byte
		if !begun {
			b = []byte("data: ")
		}
		b = append(b, text...)
		if begun = !whole; whole {
			b = append(b, "\n\n"...)
		}
		return b
	})
	s.mu.Lock()
	if s.streams == nil {
		s.streams = map[string]*stream{}
	}
	s.streams[name] = to
	s.mu.Unlock()
	if _, err := io.WriteString(conn, "event: endpoint\ndata: /message?session="+name+"\n\n"); err == nil {
		select {
		case <-r.Context().Done():
		case <-conn.ended:
		}
	}
	s.mu.Lock()
	delete(s.streams, name)
	s.mu.Unlock()
	to.end()
	panic(http.ErrAbortHandler) // the stream ends in the middle
}

// response is the stream as an io.ReadWriteCloser.
type response struct {
	mu    sync.Mutex // net/http does not allow writes after the handler returns
	w     http.ResponseWriter
	once  sync.Once
	ended chan struct{}
}

// Read is not used: messages of the client are requests of their own.
func (*response) Read([]byte) (int, error) { return 0, io.EOF }

func (c *response) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.ended:
		return 0, io.ErrClosedPipe
	default:
	}
	n, err := c.w.Write(b)
	if err == nil {
		err = http.NewResponseController(c.w).Flush()
	}
	return n, err
}

// Close lets the response end.
func (c *response) Close() error {
	c.once.Do(func() { close(c.ended) })
	return nil
}
