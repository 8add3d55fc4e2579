// Package unread ends HTTP requests that are answered before their body has been read.
//
// Left to itself, net/http reads the rest of the body before it sends the answer, and
// without a deadline: a request that is refused for its header alone would keep its
// connection for as long as the client likes, unanswered. Here the answer goes out
// first. Then the rest of the body is read, within bounds of bytes and time, so that a
// connection whose body has arrived can carry the next request. Any other connection
// is closed.
package unread

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// Bytes is how much of a body is read after the answer.
	Bytes = 64 << 10
	// Time is how long that may take.
	Time = time.Second
	// Most is how many requests may be at it at the same time, by default.
	Most = 1000
	// writeTime is how long the client may take to read an answer.
	writeTime = 10 * time.Second
)

// past is a deadline that is over.
var past = time.Unix(1, 0)

// Bodies are those of the requests to one handler. The zero Bodies is for handlers that
// read nothing after the answer. Its methods may be called by many goroutines.
type Bodies struct {
	// Most is how many may be read after the answer at the same time. It must not be
	// changed any more once there are requests.
	Most int

	mu     sync.Mutex
	read   map[*Body]struct{} // those that are being read after the answer
	closed bool
}

// Begin begins with a request. [Body.End] must follow, at the end of ServeHTTP. If
// within is more than 0, the body has to arrive in that time.
//
// The result is nil where no body is to come, and with HTTP/2, where each request is a
// stream of its own, which ends with the handler.
func (b *Bodies) Begin(w http.ResponseWriter, r *http.Request, within time.Duration) *Body {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	x := &Body{bodies: b, w: w, r: r, control: *http.NewResponseController(w), body: r.Body}
	if within > 0 {
		_ = x.control.SetReadDeadline(time.Now().Add(within)) // HTTP/2 has deadlines too
	}
	if r.ProtoMajor != 1 {
		return nil
	}
	if x.control.EnableFullDuplex() != nil {
		// Middleware hides what this needs. Where the connection is going to be closed,
		// net/http sends the answer first as well.
		x.hidden = true
		w.Header().Set("Connection", "close")
	}
	r.Body = x
	return x
}

// Close ends the reading of all bodies whose requests are answered. From then on,
// their connections are closed.
func (b *Bodies) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for x := range b.read {
		_ = x.control.SetReadDeadline(past)
	}
}

// enter takes a place for a body, if there is one left, and sets its deadline.
func (b *Bodies) enter(x *Body) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(b.read) >= b.Most || x.control.SetReadDeadline(time.Now().Add(Time)) != nil {
		return false
	}
	if b.read == nil {
		b.read = map[*Body]struct{}{}
	}
	b.read[x] = struct{}{}
	return true
}

// leave gives the place back. It reports false if Close may have set the deadline.
func (b *Bodies) leave(x *Body) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.read, x)
	return !b.closed
}

// Body is the body of one request. It takes the place of the request's own as long as
// the handler runs.
type Body struct {
	bodies  *Bodies
	w       http.ResponseWriter
	r       *http.Request
	control http.ResponseController
	body    io.ReadCloser
	ended   bool // it has been read to its end
	done    bool // a handler within has done what End does
	hidden  bool // neither deadlines nor full duplex can be had
}

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

// Close closes the body, as [http.Request] asks no handler to do.
func (x *Body) Close() error { return x.body.Close() }

// End ends the request: it sends the answer, and reads what is left of the body or has
// the connection closed. It is told whether the handler has returned in an orderly way;
// otherwise nothing is sent.
func (x *Body) End(returned bool) {
	if x == nil {
		return
	}
	x.r.Body = x.body
	switch {
	case x.ended, x.hidden, x.done:
		return
	case !returned:
		_ = x.control.SetReadDeadline(past)
		return
	}
	if outer, ok := x.body.(*Body); ok {
		outer.done = true // of a handler around this one
	}
	if _, err := x.w.Write(nil); errors.Is(err, http.ErrHijacked) {
		return // the connection is somebody else's
	}
	reads := x.r.ContentLength <= Bytes && !x.closes() && x.bodies.enter(x)
	if !reads {
		x.close()
	}
	_ = x.control.SetWriteDeadline(time.Now().Add(writeTime))
	sent := x.control.Flush() == nil
	if reads && x.rest(sent) {
		return
	}
	x.close()
	_ = x.control.SetReadDeadline(past)
}

// closes reports whether the connection ends with the answer in any case: because that
// says so, or because a client that waits to be told to send the body is not told any
// more (RFC 9110, section 10.1.1).
func (x *Body) closes() bool {
	return x.w.Header().Get("Connection") == "close" || x.r.Close || x.r.Header.Get("Expect") != ""
}

// rest reads what is left of the body, if the answer was sent. It reports whether that
// was all, so that the connection can be used again.
func (x *Body) rest(sent bool) bool {
	var err error
	if sent {
		_, err = io.CopyN(io.Discard, x.body, Bytes+1)
	}
	return x.bodies.leave(x) && err == io.EOF
}

// close has the connection closed once the answer is sent. The answer says so if its
// header has not gone out. [http.MaxBytesReader] is the way to this that net/http has,
// where it is given its own http.ResponseWriter; then the client has time to read the
// answer, although the server reads no more.
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

// Error answers like [http.Error], and says how long the answer is, so that the client
// has all of it before its own body has been read.
func Error(w http.ResponseWriter, message string, status int) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Length", strconv.Itoa(len(message)+1))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, message+"\n") // the client may be gone
}
