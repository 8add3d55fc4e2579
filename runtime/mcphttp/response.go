package mcphttp

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// response writes a stream to the client: as JSON if the reply is the only message, as an event
// stream otherwise. It is used by the request goroutine only.
type response struct {
	h            *core
	w            http.ResponseWriter
	r            *http.Request
	control      http.ResponseController // for w
	s            *stream
	statusByCode bool            // the status of a JSON reply depends on its code
	newSession   *session        // session that this request opened
	sessionEnded <-chan struct{} // closed when the session is closed
	stopping     <-chan struct{} // closed when long-lived streams must end
	endpoint     string          // for the first event: the URL for POST
	expires      time.Time       // expiry of the principal, which ends the stream; zero for never
	resumed      bool            // the client has read the beginning of the stream
	commit       func() error    // stores the changes of the request, before the reply is written; may be nil

	expired <-chan time.Time // receives at expires; nil for never
	started bool
	failed  bool              // commit has failed
	plain   pending           // the reply, if it is the only message
	account membudget.Account // for the buffer that is being sent; messages are charged elsewhere
}

// defaultRetry is the time after which clients resume a broken stream (HTML standard, server-sent
// events).
const defaultRetry = time.Second

// bufferPool contains buffers of up to maxPooled bytes. The storage of larger ones comes from the
// buffer pool.
var bufferPool = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the largest capacity of a buffer in the pool.
const maxPooled = 64 << 10

// getBuffer returns an empty buffer for about size bytes.
func getBuffer(size int) *[]byte {
	b := bufferPool.Get().(*[]byte)
	*b = (*b)[:0]
	if size > maxPooled {
		*b = bufpool.Grow(*b, size)
	}
	return b
}

// putBuffer returns a buffer for reuse. A buffer whose write has failed must not be returned:
// HTTP/2 may still read it.
func putBuffer(b *[]byte) {
	if cap(*b) > maxPooled {
		bufpool.Put(*b)
		*b = nil
	}
	bufferPool.Put(b)
}

// write writes the stream until it ends or another response replaces this one. It returns false if
// the connection breaks before that.
//
// A reply that is the only message is written here, and not by follow: its frame would be below the
// frames of net/http that write the header, and the stack would grow from 8 KB to 16 KB in every
// call after a garbage collection, which shrinks it.
func (p *response) write(reader *attachment) bool {
	p.account.Of(p.h.memory)
	p.control = *http.NewResponseController(p.w)
	defer p.s.detach(reader)
	if !p.expires.IsZero() {
		timer := time.NewTimer(time.Until(p.expires))
		defer timer.Stop()
		p.expired = timer.C
	}
	connected := p.follow(reader)
	if p.plain.done {
		return p.writePlain(&p.plain)
	}
	return connected
}

// follow writes the events of the stream, or sets p.plain if the reply is the only message. It
// returns false if the connection breaks before the end.
func (p *response) follow(reader *attachment) bool {
	var timer *time.Timer
	events, last, turn := false, false, 0
	for {
		t := p.s.next(reader, events, turn > 1)
		switch {
		case t.ended:
			select {
			case <-p.h.closed:
				p.closeBeforeReply()
			default:
			}
			return true
		case last && !t.done && !p.started:
			if !p.resumed { // otherwise the client resumes again
				// A client sends a request again after status 404, and this one may have run.
				writeError(p.w, http.StatusInternalServerError, noID, errEnded)
			}
			return true
		case p.resumed && !p.started && t.done && len(t.messages) == 0:
			// No message will follow. After an empty event stream an EventSource would connect
			// again; status 204 makes it stop (HTML, server-sent events).
			writeStatus(p.w, http.StatusNoContent)
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
			p.plain = t
			return true
		}
		switch turn++; turn {
		case 1:
			// Most calls are faster than the preparation for waiting below.
			runtime.Gosched()
			continue
		case 2:
			// The timeouts of the http.Server do not apply to the duration of a call. The read
			// deadline does not apply while the server only watches for the connection to close.
			_ = p.control.SetReadDeadline(time.Time{})
			_ = p.control.SetWriteDeadline(time.Time{})
			timer = time.NewTimer(quietTime) // for an event stream, the next turn resets it
			defer timer.Stop()
			continue
		}
		if !p.wait(reader, timer, &events, &last) {
			return false
		}
	}
}

// wait waits for messages, for the end of the stream, or until a keep-alive is due. It returns
// false if the connection breaks.
func (p *response) wait(reader *attachment, timer *time.Timer, events, last *bool) bool {
	select {
	case <-reader.wake:
	case <-timer.C:
		if *events && !p.writeComment() {
			return false
		}
		*events = true
		timer.Reset(p.h.limits.KeepAlive)
	case <-p.r.Context().Done():
		return false
	case <-p.sessionEnded:
		*last = true
	case <-p.stopping:
		*last = true
	case <-p.expired:
		*last = true
	case <-p.h.closed:
		p.closeBeforeReply()
		return false
	}
	return true
}

// closeBeforeReply writes the error for a handler that was closed while a call was in progress. An
// empty response would have status 200. The status is not 503, after which clients send a request
// again: the call may have run.
func (p *response) closeBeforeReply() {
	if !p.started {
		writeError(p.w, http.StatusInternalServerError, noID, errClosed)
	}
}

// writePlain writes the reply as JSON.
func (p *response) writePlain(t *pending) bool {
	if p.commit != nil && !p.commitPlain() {
		return true
	}
	body := t.messages[0].text
	header := p.w.Header()
	fields := [...]string{httpfield.JSON, ""}
	header["Content-Type"] = fields[:1:1]
	if p.newSession != nil && t.code == 0 {
		header.Set(httpfield.SessionID, p.newSession.id)
	}
	var zipped *[]byte
	if !p.h.uncompressed && len(body) >= minCompressed && len(p.r.Header["Accept-Encoding"]) > 0 {
		zipped = getBuffer(len(body) / 4)
		if b := compress(header, p.r.Header, *zipped, body); len(b) < len(body) {
			*zipped, body = b, b
			p.account.Set(cap(b))
			defer p.account.Set(0)
			p.s.recycle()
		}
	}
	fields[1] = strconv.Itoa(len(body))
	header["Content-Length"] = fields[1:]
	switch {
	case t.overloaded:
		header.Set("Retry-After", "1")
		p.w.WriteHeader(http.StatusServiceUnavailable)
	case t.denied != nil:
		p.challenge(t.denied)
		p.w.WriteHeader(http.StatusForbidden)
	case t.rejected:
		p.w.WriteHeader(http.StatusBadRequest)
	case p.statusByCode:
		p.w.WriteHeader(statusOf(t.code))
	default:
		p.w.WriteHeader(http.StatusOK)
	}
	// The deadline remains: the response is complete, and net/http sets a new deadline for the next
	// response on the connection.
	if !p.sendOnly(body) {
		return false
	}
	p.s.recycle()
	if zipped != nil {
		putBuffer(zipped)
	}
	return true
}

// commitPlain stores the changes of the request, before the reply is written. If it returns false,
// it has written the response.
func (p *response) commitPlain() bool {
	err := p.commit()
	if err != nil {
		p.failed = true
		p.h.refuseStore(p.w, p.r, noID, err)
	}
	return err == nil
}

// commitEvents is like commitPlain for a response that has begun as an event stream.
func (p *response) commitEvents() {
	if err := p.commit(); err != nil {
		p.failed = true
		p.h.replicas.Fails(p.r.Context(), "a change of a session cannot be stored", err)
	}
}

// challenge adds the header fields of [WithChallenge]. A panic of the function is logged, and adds
// nothing.
func (p *response) challenge(refusal error) {
	e, ok := errors.AsType[*mcp.AccessError](refusal)
	if !ok || p.h.challenger == nil {
		return
	}
	var fields http.Header
	usercode.Call(func() { fields = p.h.challenger(p.r, e) }, func(f usercode.Failure) {
		p.h.log.Program(p.r.Context(), slog.LevelError, "panic in the function of WithChallenge", f.Attrs()...)
	})
	header := p.w.Header()
	for name, values := range fields {
		header[http.CanonicalHeaderKey(name)] = values
	}
}

// writeEvents writes messages as events and flushes them.
func (p *response) writeEvents(t *pending) bool {
	buf := getBuffer(0)
	b := *buf
	if size := eventsSize(t.messages); size > max(maxPooled, cap(b)) {
		b = make([]byte, 0, size) // not more than the messages are charged for
	}
	asked := t.released
	if t.done && p.commit != nil {
		p.commitEvents()
	}
	if !p.started {
		p.writeHead()
		if p.endpoint != "" {
			b = appendEvent(b, "endpoint", "", []byte(p.endpoint))
		}
		primed := (t.log != nil || p.s.notices != nil) && p.s.session.primes()
		if primed && !p.resumed && !(t.done && len(t.messages) == 0) {
			retry := defaultRetry
			if t.released && len(t.messages) == 0 {
				retry, asked = t.retry, false
			}
			b = appendPriming(appendRetry(b, retry), p.emptyID(t, 0))
		}
	}
	for i, m := range t.messages {
		b = appendEvent(b, "message", p.eventID(t, i), m.text)
	}
	if asked {
		b = appendPriming(appendRetry(b, t.retry), p.emptyID(t, len(t.messages)))
	}
	t.messages = nil // they may be evicted during the write
	p.account.Set(cap(b))
	defer p.account.Set(0)
	if !p.send(b) {
		return false
	}
	*buf = b
	putBuffer(buf)
	return true
}

// eventsSize estimates the bytes of messages as events.
func eventsSize(messages []queued) int {
	size := 512
	for _, m := range messages {
		size += len(m.text) + 64
	}
	return size
}

// writeHead writes the header of an event stream.
func (p *response) writeHead() {
	p.started = true
	header := p.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	if p.newSession != nil {
		header.Set(httpfield.SessionID, p.newSession.id)
	}
	p.w.WriteHeader(http.StatusOK)
}

// keepAlive is the comment that keeps a quiet stream alive.
var keepAlive = appendComment(nil)

func (p *response) writeComment() bool {
	return p.send(keepAlive)
}

// send writes a part of the response, after which it may be quiet for long.
func (p *response) send(b []byte) bool {
	if !p.sendOnly(b) {
		return false
	}
	_ = p.control.SetWriteDeadline(time.Time{})
	return true
}

// sendOnly is like send, but leaves the deadline set. If the ResponseWriter does not support
// deadlines, middleware must limit the time of the write. A response that cannot flush is sent at
// its end.
func (p *response) sendOnly(b []byte) bool {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.h.server.WriteTime))
	if len(b) > 0 {
		if _, err := p.w.Write(b); err != nil {
			return false
		}
	}
	return p.control.Flush() == nil || !canFlush(p.w)
}

// canFlush reports whether a ResponseWriter can flush.
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

// eventID returns the id of message i, or "" for a message that a client cannot resume from.
func (p *response) eventID(t *pending, i int) string {
	switch {
	case t.log != nil:
		return t.log.ID(t.seq + i)
	case p.s.notices != nil:
		return p.s.notices.ID(t.messages[i].notice)
	}
	return ""
}

// emptyID returns the id of an event without data before message i, from which the client can
// resume. It ends in a number of its own, since the ids of a session are unique.
func (p *response) emptyID(t *pending, i int) string {
	var id string
	if t.log != nil {
		id = t.log.ID(t.seq + i - 1)
	} else {
		id = p.s.notices.EmptyID()
	}
	return id + "-" + strconv.Itoa(p.s.nextEmpty())
}
