package mcpclient_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// httpScript is the server of a conversation over HTTP. A request is written as its method and
// path, the header fields that the protocol defines, and its message. The lines of the server are
//
//	< 404                            the response to the oldest request without one: status,
//	< 200 {"jsonrpc":...}            header fields, a message
//	< 401 WWW-Authenticate: Bearer   fields are separated by ";"
//	< 200 Content-Type: text/html | <p>
//	                                 and any other body, after "|"
//	< events                         the response is an event stream
//	< {"jsonrpc":...}                an event of the newest stream
//	< event endpoint /messages       the same, of another kind
//	< field id: 17                   a field of the next event
//
// end closes the newest event stream or, without a stream, the connection of the oldest request.
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
	e := mcphttpclient.Endpoint{URL: "http://localhost/mcp", Client: &http.Client{Transport: spec.NewTap(h.server.r.t).OfClients().Transport(h)}}
	if slices.Contains(strings.Fields(words), "auth") {
		e.Auth = &scriptAuth{r: h.server.r}
	}
	return knownTarget{e, e.Auth}
}

// scriptAuth is an Authorizer that returns a new token after each challenge.
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

// shown returns the header fields of a request that a conversation shows, sorted.
func shown(header http.Header) (fields string) {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if strings.HasPrefix(name, "Mcp-") || name == "Authorization" || name == "Last-Event-Id" {
			fields += "; " + name + ": " + strings.Join(header[name], ", ")
		}
	}
	return fields
}

// RoundTrip waits for the response of the script.
func (h *httpScript) RoundTrip(req *http.Request) (*http.Response, error) {
	h.server.r.add(sentLine, req.Method+" "+req.URL.RequestURI()+shown(req.Header))
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
		h.givenUp(req)
		return nil, req.Context().Err()
	}
}

// givenUp writes that the client has closed a request or its response.
func (h *httpScript) givenUp(req *http.Request) {
	h.server.r.addf(closedLine, "(%s %s is given up)", req.Method, req.URL.RequestURI())
}

// eventBody is the body of an event stream. It fails when the request ends, like the body of
// http.Transport.
type eventBody struct {
	*io.PipeReader
	stop func() bool
}

func (b eventBody) Close() error {
	b.stop()
	return b.PipeReader.Close()
}

// newEventBody returns the response body of a request, and its writer.
func (h *httpScript) newEventBody(req *http.Request) (io.ReadCloser, *io.PipeWriter) {
	body, stream := io.Pipe()
	ctx := req.Context()
	stop := context.AfterFunc(ctx, func() {
		h.givenUp(req)
		_ = body.CloseWithError(ctx.Err())
	})
	return eventBody{body, stop}, stream
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
	switch word, rest, _ := strings.Cut(text, " "); {
	case word == "event":
		kind, data, _ := strings.Cut(rest, " ")
		h.write("event: " + kind + "\ndata: " + data + "\n\n")
		return
	case word == "field":
		h.write(rest + "\n")
		return
	case text[0] == '{':
		h.server.seen.add(r.revision, fromServer, text)
		h.write("data: " + text + "\n\n")
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
		body, stream := h.newEventBody(waiting.Request)
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

// write writes to the newest event stream.
func (h *httpScript) write(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.streams) == 0 {
		h.server.r.t.Fatalf("there is no event stream for %s", text)
	}
	if _, err := io.WriteString(h.streams[len(h.streams)-1], text); err != nil {
		h.server.r.t.Errorf("send %s: %v", text, err)
	}
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
