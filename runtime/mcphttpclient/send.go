package mcphttpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
)

// Send sends a message by POST, and passes the messages of the response to receive.
func (c *conn) Send(ctx context.Context, m *dial.Message, receive func(data []byte) (done bool)) error {
	e, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer e.end()
	h := c.header(m.Revision)
	if r := m.Revision; r != nil && r.PerRequest {
		mirror(h, m)
	} else if r != nil {
		c.revision.Store(r)
	}
	resp, err := e.do(&request{method: http.MethodPost, url: c.url, header: h, data: m.Data, wait: m.Wait})
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return &dial.Violation{Text: "a response with Content-Encoding " + httpfield.Quote(encoding) + ", which was not asked for"}
	}
	sessionless := m.Revision != nil && m.Revision.PerRequest
	if !sessionless {
		if err := c.checkSession(m, resp); err != nil {
			return err
		}
	}
	if resp.StatusCode/100 != 2 {
		return c.refused(e, resp, !sessionless)
	}
	if !m.Request {
		discard(resp)
		return nil
	}
	switch contentType := resp.Header.Get("Content-Type"); {
	case resp.StatusCode != http.StatusOK:
	case isEventStream(contentType):
		return e.follow(resp, !sessionless, receive)
	case httpfield.IsJSON(contentType):
		return e.single(resp, receive)
	}
	return e.status(resp)
}

// isEventStream reports whether a Content-Type is an event stream. It is always UTF-8.
func isEventStream(contentType string) bool {
	if contentType == httpfield.EventStream {
		return true
	}
	name, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(httpfield.Trim(name), httpfield.EventStream)
}

// single reads a response that is one message.
func (e *exchange) single(resp *http.Response, receive func([]byte) bool) error {
	data, err := e.readAll(resp)
	defer bufpool.Put(data)
	switch {
	case err != nil:
		return err
	case receive(data):
		return nil
	}
	return &dial.Violation{Text: "a response without the reply to the request", Bytes: beginning(data)}
}

var errStreamEnded = errors.New("the event stream of the response has ended before the reply")

// follow reads a response that is an event stream, and the streams that resume it, until the reply.
func (e *exchange) follow(resp *http.Response, resumable bool, receive func([]byte) bool) error {
	c := e.conn
	r := newEventReader(resp.Body, c.o.Limits.MessageBytes)
	defer r.release()
	defer func() {
		if resp != nil { // the latest response
			_ = resp.Body.Close()
		}
	}()
	var seen seenIDs
	var ended endings
	for {
		opened := time.Now()
		received, done, err := e.events(r, &seen, receive)
		if done {
			e.linger(resp, r)
			return nil
		}
		_ = resp.Body.Close()
		if _, tooLarge := errors.AsType[*dial.TooLarge](err); tooLarge {
			return err
		}
		if e.ctx.Err() != nil {
			return e.failure(err, true)
		}
		if !resumable || r.lastID == "" {
			return &dial.Error{Sent: true, Again: true, Err: fmt.Errorf("%w: %w", errStreamEnded, err)}
		}
		ended.add(c, opened, received, r.retry)
		if resp, err = e.resume(r, ended.failures()); err != nil {
			return err
		}
		r.reset(resp.Body)
		seen.resumed = true
	}
}

// events passes the messages of a stream to receive, and reports whether there were any. The error
// is the reason why the stream ended.
func (e *exchange) events(r *eventReader, seen *seenIDs, receive func([]byte) bool) (received, done bool, err error) {
	for {
		event, err := r.next()
		if err != nil {
			return received, false, err
		}
		if event.hasID && event.id != "" && !seen.add(event.id) && seen.resumed {
			continue
		}
		if event.name == "" || event.name == "message" {
			received = true
			if receive(event.data) {
				return true, true, nil
			}
		}
	}
}

// resume opens the stream again after the last event, after the server's reconnection time, or
// later if streams have ended at once.
func (e *exchange) resume(r *eventReader, ended int) (*http.Response, error) {
	c := e.conn
	for failures := 0; ; failures++ {
		if !sleep(e.ctx, c.reopenAfter(r.retry, ended+failures)) {
			return nil, e.failure(e.ctx.Err(), true)
		}
		resp, err := c.get(e, c.url, r.lastID)
		if err == nil {
			return resp, nil
		}
		if e.ctx.Err() != nil {
			return nil, e.failure(err, true)
		}
		if !mayReopen(err) || failures+1 >= c.o.Limits.Attempts {
			return nil, &dial.Error{Sent: true, Again: true, Err: fmt.Errorf("%w, and could not be resumed: %w", errStreamEnded, err)}
		}
	}
}

// lingerTime limits the time for which a stream is read after the reply. Servers end the stream
// there; a connection whose response was read to its end can be used again.
const lingerTime = 50 * time.Millisecond

// linger reads a stream to its end, if the end follows at once.
func (e *exchange) linger(resp *http.Response, r *eventReader) {
	c := e.conn
	if resp.ProtoMajor != 1 || c.keepOpen.Load() {
		return
	}
	timer := time.AfterFunc(lingerTime, func() {
		c.keepOpen.Store(true)
		e.cancel(errStreamEnded)
	})
	defer timer.Stop()
	b := r.buf[:cap(r.buf)]
	for range 4 {
		if _, err := resp.Body.Read(b); err != nil {
			return
		}
	}
}

// refused returns the error for a status that is not a success, and closes the response.
func (c *conn) refused(e *exchange, resp *http.Response, sessions bool) error {
	s := e.status(resp)
	if e.ctx.Err() != nil {
		return e.failure(e.ctx.Err(), true)
	}
	if sessions && c.session.Load() != nil && isSessionLost(s) {
		return &dial.SessionLost{Status: s.Status}
	}
	return s
}
