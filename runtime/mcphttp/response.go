package mcphttp

import (
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/lend"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// response writes a stream to the client: as plain JSON where the reply is all there
// is to say, and as an event stream otherwise. All of it happens on the goroutine
// of the HTTP request.
type response struct {
	h          *core
	w          http.ResponseWriter
	r          *http.Request
	control    *http.ResponseController
	s          *stream
	modern     bool            // plain replies have the status that belongs to their code
	opened     *session        // by the request that is answered
	events     bool            // an event stream from the start
	over       <-chan struct{} // closed when the session has ended
	ending     <-chan struct{} // closed when streams end that belong to no request
	endpoint   string          // for the first event: where messages are posted to
	resumed    bool            // the client has seen the beginning
	priming    bool            // event streams begin with an event without data
	identified bool            // events have ids

	started bool
	account membudget.Account // for what is being sent, besides the messages of the stream
}

// defaultRetry is after which time clients come back to a stream that has broken
// off (HTML standard, server-sent events).
const defaultRetry = time.Second

// bufferPool has the storage of answers, as long as they are not large: that of
// large ones is lent.
var bufferPool = sync.Pool{New: func() any { return new([]byte) }}

// keptBuffer is the size up to which a buffer stays in the pool.
const keptBuffer = 64 << 10

// borrow returns an empty buffer for about so many bytes.
func borrow(size int) *[]byte {
	b := bufferPool.Get().(*[]byte)
	*b = (*b)[:0]
	if size > keptBuffer {
		*b = lend.Grow(*b, size)
	}
	return b
}

// giveBack has a buffer used again. One whose writing has failed must not be: with
// HTTP/2, it may still be read.
func giveBack(b *[]byte) {
	if cap(*b) > keptBuffer {
		lend.Put(*b)
		*b = nil
	}
	bufferPool.Put(b)
}

// write writes the stream until it ends or somebody else takes over. It reports
// false if the client is gone before that.
func (p *response) write(reader *reader) bool {
	p.account.Of(p.h.memory)
	if p.control == nil {
		p.control = http.NewResponseController(p.w)
	}
	defer p.s.detach(reader)
	var timer *time.Timer
	events, last, turn := p.events, false, 0
	for {
		t := p.s.take(reader, events, turn > 1)
		switch {
		case t.over:
			return true
		case last && !t.done && !p.started:
			fail(p.w, http.StatusNotFound, noID, errNoSession)
			return true
		case p.resumed && !p.started && t.done && len(t.messages) == 0:
			// Nothing follows. An empty stream would look like one more that has
			// broken off; this ends an EventSource (HTML, server-sent events).
			empty(p.w, http.StatusNoContent)
			return true
		case t.events || p.started:
			events = true
			if !p.writeEvents(&t) {
				return false
			}
			if t.done || t.released || last {
				return true
			}
			if timer != nil {
				timer.Reset(p.h.limits.KeepAlive)
			}
		case t.done:
			return p.writePlain(&t)
		}
		switch turn++; turn {
		case 1:
			// Most calls take less than it takes to prepare for waiting.
			runtime.Gosched()
			continue
		case 2:
			// Timeouts of the http.Server are not for how long a call takes, nor is that
			// of the body, while the connection is watched for its end.
			_ = p.control.SetReadDeadline(time.Time{})
			_ = p.control.SetWriteDeadline(time.Time{})
			timer = time.NewTimer(p.patience(events))
			defer timer.Stop()
			continue
		}
		select {
		case <-reader.wake:
		case <-timer.C:
			if events && !p.comment() {
				return false
			}
			events = true
			timer.Reset(p.h.limits.KeepAlive)
		case <-p.r.Context().Done():
			return false
		case <-p.over:
			last = true
		case <-p.ending:
			last = true
		case <-p.h.closed:
			return false
		}
	}
}

// patience is how long a response may be quiet.
func (p *response) patience(events bool) time.Duration {
	if events {
		return p.h.limits.KeepAlive
	}
	return p.h.limits.QuietTime
}

// writePlain writes a reply as JSON.
func (p *response) writePlain(t *state) bool {
	body := t.messages[0]
	header := p.w.Header()
	fields := [...]string{jsonType, ""}
	header["Content-Type"] = fields[:1:1]
	if p.opened != nil && t.code == 0 {
		header.Set(sessionHeader, p.opened.id)
	}
	var zipped *[]byte
	if !p.h.plain && len(body) >= compressFrom && len(p.r.Header["Accept-Encoding"]) > 0 {
		zipped = borrow(len(body) / 4)
		if b := compress(header, p.r.Header, *zipped, body); len(b) < len(body) {
			*zipped, body = b, b
			p.account.Set(cap(b))
			defer p.account.Set(0)
			p.s.reuse()
		}
	}
	fields[1] = strconv.Itoa(len(body))
	header["Content-Length"] = fields[1:]
	switch {
	case t.noRoom:
		header.Set("Retry-After", "1")
		p.w.WriteHeader(http.StatusServiceUnavailable)
	case t.refused:
		p.w.WriteHeader(http.StatusBadRequest)
	case p.modern:
		p.w.WriteHeader(statusOf(t.code))
	default:
		p.w.WriteHeader(http.StatusOK)
	}
	if !p.send(body) {
		return false
	}
	p.s.reuse()
	if zipped != nil {
		giveBack(zipped)
	}
	return true
}

// writeEvents writes messages as events, and sends them.
func (p *response) writeEvents(t *state) bool {
	buf := borrow(0)
	b := *buf
	asked := t.released
	if !p.started {
		p.begin()
		if p.endpoint != "" {
			b = appendEvent(b, "endpoint", "", []byte(p.endpoint))
		}
		if p.priming && !p.resumed && !(t.done && len(t.messages) == 0) {
			retry := defaultRetry
			if t.released && len(t.messages) == 0 {
				retry, asked = t.retry, false
			}
			b = appendPriming(appendRetry(b, retry), p.emptyID(t.seq-1))
		}
	}
	for i, message := range t.messages {
		id := ""
		if p.identified {
			id = p.eventID(t.seq + i)
		}
		b = appendEvent(b, "message", id, message)
	}
	if asked {
		b = appendPriming(appendRetry(b, t.retry), p.emptyID(t.seq+len(t.messages)-1))
	}
	t.messages = nil // they may be given up while this is being sent
	p.account.Set(cap(b))
	defer p.account.Set(0)
	if !p.send(b) {
		return false
	}
	*buf = b
	giveBack(buf)
	return true
}

// begin writes the head of an event stream.
func (p *response) begin() {
	p.started = true
	header := p.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	if p.opened != nil {
		header.Set(sessionHeader, p.opened.id)
	}
	p.w.WriteHeader(http.StatusOK)
}

// keepAlive shows that a stream is there.
var keepAlive = appendComment(nil)

func (p *response) comment() bool {
	return p.send(keepAlive)
}

func (p *response) send(b []byte) bool {
	p.deadline()
	var err error
	if len(b) > 0 {
		_, err = p.w.Write(b)
	}
	if err == nil {
		err = p.flush()
	}
	if err != nil {
		return false
	}
	// The connection may carry other requests.
	_ = p.control.SetWriteDeadline(time.Time{})
	return true
}

// flush sends what is written. Where the response cannot do so, it goes out at the
// end.
func (p *response) flush() error {
	if err := p.control.Flush(); err != nil && canFlush(p.w) {
		return err
	}
	return nil
}

// canFlush reports whether a response can be sent piece by piece.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case interface{ FlushError() error }, http.Flusher:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// deadline bounds the next write. Responses that have no deadlines are bounded by
// what the middleware does.
func (p *response) deadline() {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.h.host.Limits().WriteTime))
}

// eventID names a message: its stream and its place there.
func (p *response) eventID(seq int) string {
	return strconv.Itoa(p.s.number) + "-" + strconv.Itoa(seq)
}

// emptyID names an event without data behind that message. No two events of a session
// have the same name, so it has a number of its own.
func (p *response) emptyID(seq int) string {
	return p.eventID(seq) + "-" + strconv.Itoa(p.s.nextEmpty())
}
