package mcphttpclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// fakeServer replies to a client without a network, so that a bubble can control its time.
type fakeServer struct {
	t *testing.T
	// respond is called for each request, with the message of a POST. nil means the correct
	// response of a server of 2025-11-25.
	respond func(r *http.Request, m fakeMessage) *http.Response

	mu   sync.Mutex
	seen []string // received methods: of the message, or of HTTP
	gets []string // Last-Event-ID of each GET
}

type fakeMessage struct {
	ID     json.RawMessage
	Method string
	Params struct{ Name string }
}

func (s *fakeServer) endpoint() mcphttpclient.Endpoint {
	return mcphttpclient.Endpoint{URL: "http://fake/mcp", Client: &http.Client{Transport: roundTripper(s.roundTrip)}}
}

func (s *fakeServer) roundTrip(r *http.Request) (*http.Response, error) {
	var m fakeMessage
	name := r.Method
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			s.t.Errorf("a message: %v", err)
		}
		name = m.Method
	}
	s.mu.Lock()
	s.seen = append(s.seen, name)
	if r.Method == http.MethodGet {
		s.gets = append(s.gets, r.Header.Get("Last-Event-ID"))
	}
	s.mu.Unlock()
	resp := s.respond(r, m)
	if resp == nil {
		resp = s.right(m)
	}
	if resp == nil { // no response
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	resp.Request, resp.ProtoMajor, resp.ProtoMinor = r, 1, 1
	resp.Body = &untilDone{resp.Body, r}
	return resp, nil
}

// untilDone is a body whose reads return when the context of the request is cancelled.
type untilDone struct {
	io.ReadCloser
	r *http.Request
}

func (b *untilDone) Read(p []byte) (int, error) {
	type read struct {
		n   int
		err error
	}
	done := make(chan read, 1)
	own := make([]byte, len(p))
	go func() {
		n, err := b.ReadCloser.Read(own)
		done <- read{n, err}
	}()
	select {
	case r := <-done:
		return copy(p, own[:r.n]), r.err
	case <-b.r.Context().Done():
		_ = b.Close()
		<-done
		return 0, b.r.Context().Err()
	}
}

func (s *fakeServer) right(m fakeMessage) *http.Response {
	switch m.Method {
	case "initialize":
		resp := fakeResult(m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}}`)
		resp.Header.Set("Mcp-Session-Id", "s1")
		return resp
	case "tools/call":
		return fakeResult(m, `{"content":[]}`)
	case "ping", "resources/subscribe", "resources/unsubscribe":
		return fakeResult(m, `{}`)
	case "server/discover":
		return fakeResponse(404, "text/plain", "not found")
	case "":
		return fakeResponse(405, "text/plain", "")
	}
	return fakeResponse(202, "", "")
}

// resumed returns the Last-Event-ID of each GET.
func (s *fakeServer) resumed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.gets)
}

// count returns the number of received requests with a method.
func (s *fakeServer) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, other := range s.seen {
		if other == name {
			n++
		}
	}
	return n
}

func fakeResult(m fakeMessage, result string) *http.Response {
	return fakeResponse(200, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

func fakeResponse(status int, contentType, body string) *http.Response {
	return fakeStream(status, contentType, io.NopCloser(strings.NewReader(body)))
}

func fakeStream(status int, contentType string, body io.ReadCloser) *http.Response {
	h := http.Header{}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	return &http.Response{StatusCode: status, Header: h, Body: body, ContentLength: -1}
}

// endless returns an event stream of notifications, one each second, without a reply.
func endless() *http.Response {
	body, stream := io.Pipe()
	go func() {
		for {
			if _, err := io.WriteString(stream, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n"); err != nil {
				return // the client has closed the response
			}
			time.Sleep(time.Second)
		}
	}()
	return fakeStream(200, "text/event-stream", body)
}

// silent returns a response whose body never arrives.
func silent() *http.Response {
	body, _ := io.Pipe()
	return fakeStream(200, "application/json", body)
}
