// Package unreadbody ends HTTP requests whose response is written before their body has been read.
//
// By default, net/http reads the rest of the body before it sends the response, and without a
// deadline: a request that is refused by its header could hold its connection for as long as the
// client likes, without a response. This package sends the response first. Then it reads the rest
// of the body, within limits of bytes and time, so that the connection can carry the next request.
// If the body does not arrive within these limits, the connection is closed.
package unreadbody

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
)

const (
	// mostBytes limits the part of a body that is read after the response.
	mostBytes = 64 << 10
	// Time limits the time of reading it.
	Time = time.Second
	// Most is the default limit of requests whose bodies are read after the response at the same
	// time.
	Most = 1000
	// writeTime limits the time that a client may take to read a response.
	writeTime = 10 * time.Second
)

// past is a deadline in the past.
var past = time.Unix(1, 0)

// Bodies manages the bodies of the requests to one handler. The zero Bodies reads nothing after the
// response. Its methods may be called by several goroutines.
type Bodies struct {
	// Most limits the bodies that are read after the response at the same time; a quarter of them
	// may come from one address. It must not be changed after the first request.
	Most int

	mu     sync.Mutex
	read   map[*Body]clientlimit.Client // bodies that are being read after the response
	count  clientlimit.Table
	closed bool
}

// Begin begins a request. [Body.End] must be called at the end of ServeHTTP. If within is greater
// than 0, the body must arrive within that time.
//
// The result is nil if the request has no body, and with HTTP/2, where each request is a separate
// stream that ends with the handler.
func (b *Bodies) Begin(w http.ResponseWriter, r *http.Request, within time.Duration) *Body {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	x := &Body{bodies: b, w: w, r: r, body: r.Body}
	if within > 0 {
		_ = x.control().SetReadDeadline(time.Now().Add(within)) // HTTP/2 supports deadlines too
	}
	if r.ProtoMajor != 1 {
		return nil
	}
	if x.control().EnableFullDuplex() != nil {
		// Middleware hides the methods that Begin needs. If the connection will be closed, net/http
		// also sends the response first.
		x.hidden = true
		w.Header().Set("Connection", "close")
	}
	r.Body = x
	return x
}

// Close stops reading the bodies of answered requests. Afterwards, connections with unread bodies
// are closed.
func (b *Bodies) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for x := range b.read {
		_ = x.control().SetReadDeadline(past)
	}
}

// enter adds a body and sets its deadline. It returns false if the limit is reached.
func (b *Bodies) enter(x *Body) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	client := clientlimit.Of("", clientlimit.Address(x.r.RemoteAddr))
	if b.closed || len(b.read) >= b.Most || b.count[client] >= clientlimit.Quarter(b.Most) ||
		x.control().SetReadDeadline(time.Now().Add(Time)) != nil {
		return false
	}
	if b.read == nil {
		b.read, b.count = map[*Body]clientlimit.Client{}, clientlimit.Table{}
	}
	b.read[x] = client
	b.count.Add(client)
	return true
}

// leave removes a body. It returns false if Close may have set the deadline.
func (b *Bodies) leave(x *Body) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count.Remove(b.read[x])
	delete(b.read, x)
	return !b.closed
}

// Body is the body of one request. It replaces the request's Body while the handler runs.
type Body struct {
	bodies *Bodies
	w      http.ResponseWriter
	r      *http.Request
	body   io.ReadCloser
	ended  bool // read to its end
	done   bool // an inner handler has called End
	hidden bool // neither deadlines nor full duplex are available
}

func (x *Body) control() *http.ResponseController { return http.NewResponseController(x.w) }

// Read reads the body.
func (x *Body) Read(p []byte) (int, error) {
	n, err := x.body.Read(p)
	if err == io.EOF && !x.ended {
		x.ended = true
		if x.hidden {
			x.w.Header().Del("Connection")
		}
	}
	return n, err
}

// Close closes the body. Handlers need not call it; see [http.Request].
func (x *Body) Close() error { return x.body.Close() }

// End ends the request: it sends the response, and reads the rest of the body or causes the
// connection to be closed. returned reports whether the handler has returned normally; otherwise
// nothing is sent.
func (x *Body) End(returned bool) {
	if x == nil {
		return
	}
	x.r.Body = x.body
	switch {
	case x.ended, x.hidden, x.done:
		return
	case !returned:
		_ = x.control().SetReadDeadline(past)
		return
	}
	if outer, ok := x.body.(*Body); ok {
		outer.done = true // the body of an outer handler
	}
	if _, err := x.w.Write(nil); errors.Is(err, http.ErrHijacked) {
		return // the connection has been hijacked
	}
	reads := x.r.ContentLength <= mostBytes && !x.closes() && x.bodies.enter(x)
	if !reads {
		x.close()
	}
	_ = x.control().SetWriteDeadline(time.Now().Add(writeTime))
	sent := x.control().Flush() == nil
	if reads && x.rest(sent) {
		return
	}
	x.close()
	_ = x.control().SetReadDeadline(past)
}

// closes reports whether the connection closes after the response in any case: because of its
// header, or because the client waits for 100 Continue, which it will not get (RFC 9110, section
// 10.1.1).
func (x *Body) closes() bool {
	return x.w.Header().Get("Connection") == "close" || x.r.Close || x.r.Header.Get("Expect") != ""
}

// rest reads the rest of the body if the response was sent. It reports whether it reached the end,
// so that the connection can be used again.
func (x *Body) rest(sent bool) bool {
	var err error
	if sent {
		_, err = io.CopyN(io.Discard, x.body, mostBytes+1)
	}
	return x.bodies.leave(x) && err == io.EOF
}

// close makes net/http close the connection after the response. If the header has not been sent
// yet, it gets Connection: close. [http.MaxBytesReader] does this in net/http, if it gets
// net/http's own http.ResponseWriter; then the client has time to read the response, although the
// server reads no more.
func (x *Body) close() {
	w := x.w
	for {
		wraps, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		w = wraps.Unwrap()
	}
	_, _ = http.MaxBytesReader(w, io.NopCloser(strings.NewReader(" ")), 0).Read(make([]byte, 1))
}

// Error responds like [http.Error] with a Content-Length, so that the client can read the whole
// response before the server has read the body.
func Error(w http.ResponseWriter, message string, status int) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Length", strconv.Itoa(len(message)+1))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, message+"\n") // the client may be gone
}
