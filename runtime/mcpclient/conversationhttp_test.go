package mcpclient_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// httpScript is the server of a conversation over HTTP. A request is written as its method
// and path, with those of its header fields that the protocol has, and its message. The lines
// of the server are
//
//	< 404                            the response to the oldest request without one: status,
//	< 200 {"jsonrpc":...}            header fields, a message
//	< 401 WWW-Authenticate: Bearer   fields are separated by ";"
//	< 200 Content-Type: text/html | <p>
//	                                 and any other body, after "|"
//	< events                         the response is an event stream
//	< {"jsonrpc":...}                an event of the newest stream
//	< event endpoint /messages       the same, of another kind
//
// end closes the newest event stream; without one, the connection of the oldest request.
type httpScript struct {
	server *scriptServer
	used   bool

	mu      sync.Mutex
	waiting []*httpRequest
	streams []*io.PipeWriter
}

type httpRequest struct {
	*http.Request
	response chan *http.Response // nil: the connection is closed
}

// endpoint returns the server as a target.
func (h *httpScript) endpoint(words string) mcpclient.Target {
	h.used = true
	e := mcphttp.Endpoint{URL: "http://localhost/mcp", Client: &http.Client{Transport: spec.NewTap(h.server.r.t).OfClients().Transport(h)}}
	if slices.Contains(strings.Fields(words), "auth") {
		e.Auth = &scriptAuth{r: h.server.r}
	}
	return e
}

// scriptAuth is an Authorizer that gets a new token after each challenge.
type scriptAuth struct {
	r      *replay
	mu     sync.Mutex
	tokens int
}

func (a *scriptAuth) Authorize(_ context.Context, r *http.Request) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tokens > 0 {
		r.Header.Set("Authorization", "Bearer "+strconv.Itoa(a.tokens))
	}
	return nil
}

func (a *scriptAuth) HandleChallenge(_ context.Context, _ *http.Request, resp *http.Response) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tokens++
	a.r.addf(eventLine, "challenge %d %s", resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
	return nil
}

func (a *scriptAuth) CacheKey() string { return "c" }

// shownFields are the header fields of requests that a conversation shows.
var shownFields = []string{"Authorization", "Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Mcp-Session-Id"}

// RoundTrip waits for the response of the script.
func (h *httpScript) RoundTrip(req *http.Request) (*http.Response, error) {
	line := req.Method + " " + req.URL.RequestURI()
	for _, name := range shownFields {
		for _, value := range req.Header.Values(name) {
			line += "; " + name + ": " + value
		}
	}
	h.server.r.add(sentLine, line)
	if req.Body != nil {
		text, err := io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
		if len(text) > 0 {
			h.server.seen.add(h.server.r.revision, fromClient, string(text))
			h.server.r.add(sentLine, string(text))
		}
	}
	waiting := &httpRequest{req, make(chan *http.Response, 1)}
	h.mu.Lock()
	h.waiting = append(h.waiting, waiting)
	h.mu.Unlock()
	select {
	case resp := <-waiting.response:
		if resp == nil {
			return nil, errors.New("the connection was closed")
		}
		return resp, nil
	case <-req.Context().Done():
		h.mu.Lock()
		h.waiting = slices.DeleteFunc(h.waiting, func(w *httpRequest) bool { return w == waiting })
		h.mu.Unlock()
		h.server.r.addf(sentLine, "(%s %s is given up)", req.Method, req.URL.RequestURI())
		return nil, req.Context().Err()
	}
}

// next returns the oldest request without a response.
func (h *httpScript) next() *httpRequest {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 {
		return nil
	}
	first := h.waiting[0]
	h.waiting = h.waiting[1:]
	return first
}

// send sends a response, or an event.
func (h *httpScript) send(text string) {
	r := h.server.r
	if kind, rest, ok := strings.Cut(text, " "); text[0] == '{' || ok && kind == "event" {
		if ok && kind == "event" {
			kind, rest, _ = strings.Cut(rest, " ")
			text = "event: " + kind + "\ndata: " + rest
		} else {
			h.server.seen.add(r.revision, fromServer, text)
			text = "data: " + text
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if len(h.streams) == 0 {
			r.t.Fatalf("there is no event stream for %s", text)
		}
		if _, err := io.WriteString(h.streams[len(h.streams)-1], text+"\n\n"); err != nil {
			r.t.Errorf("send %s: %v", text, err)
		}
		return
	}
	waiting := h.next()
	if waiting == nil {
		r.t.Fatalf("there is no request for %s", text)
	}
	resp := &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Request: waiting.Request, ContentLength: -1,
	}
	if text == "events" {
		body, stream := io.Pipe()
		resp.Body = body
		resp.Header.Set("Content-Type", "text/event-stream")
		h.mu.Lock()
		h.streams = append(h.streams, stream)
		h.mu.Unlock()
		waiting.response <- resp
		return
	}
	status, rest, _ := strings.Cut(text, " ")
	resp.StatusCode = r.number(status)
	fields, body, _ := strings.Cut(rest, " | ")
	if start := strings.Index(rest, "{"); start >= 0 && body == "" {
		fields, body = rest[:start], rest[start:]
		resp.Header.Set("Content-Type", "application/json")
		h.server.seen.add(r.revision, fromServer, body)
	}
	for field := range strings.SplitSeq(fields, ";") {
		if name, value, ok := strings.Cut(strings.TrimSpace(field), ": "); ok {
			resp.Header.Set(name, value)
		}
	}
	resp.ContentLength = int64(len(body))
	resp.Body = io.NopCloser(strings.NewReader(body))
	waiting.response <- resp
}

// end closes the newest event stream, or the connection of the oldest request.
func (h *httpScript) end() {
	h.mu.Lock()
	if n := len(h.streams); n > 0 {
		_ = h.streams[n-1].Close()
		h.streams = h.streams[:n-1]
		h.mu.Unlock()
		return
	}
	h.mu.Unlock()
	if waiting := h.next(); waiting != nil {
		waiting.response <- nil
	}
}

// finish closes everything.
func (h *httpScript) finish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, stream := range h.streams {
		_ = stream.Close()
	}
	for _, waiting := range h.waiting {
		waiting.response <- nil
	}
}
