package mcphttpclient

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// maxSessionID limits the id of a session, which every request contains.
const maxSessionID = 4 << 10

// checkSession stores the id of the session that initialize has opened, and checks that later
// responses do not contain another one.
func (c *conn) checkSession(m *dial.Message, resp *http.Response) error {
	values := resp.Header[httpfield.SessionID]
	if len(values) == 0 {
		return nil
	}
	id := values[0]
	switch session := c.session.Load(); {
	case len(values) > 1:
		return &dial.Violation{Text: "a response with more than one " + httpfield.SessionID}
	case session != nil:
		if id != *session {
			return &dial.Violation{Text: "a response with the id of another session", Bytes: beginning([]byte(id))}
		}
		return nil
	case m.Method != protocol.Initialize.String() || resp.StatusCode/100 != 2:
		return nil
	case len(id) > maxSessionID:
		return &dial.Violation{Text: "a session id of more than 4096 bytes", Bytes: beginning([]byte(id))}
	case !isSessionID(id):
		return &dial.Violation{Text: "a session id with other characters than visible ASCII", Bytes: beginning([]byte(id))}
	}
	c.session.Store(&id)
	return nil
}

// isSessionID reports whether an id is visible ASCII (basic/transports, session management).
func isSessionID(id string) bool {
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return id != ""
}

// isSessionLost reports whether the server does not know the session: status 404, or the status 400
// of older servers, whose body tells the reason.
func isSessionLost(s *dial.Status) bool {
	if s.Status == http.StatusBadRequest {
		return namesSession(s.Body)
	}
	return s.Status == http.StatusNotFound
}

func namesSession(body []byte) bool {
	body = bytes.ToLower(body)
	return bytes.Contains(body, []byte("session")) || bytes.Contains(body, []byte("not initialized"))
}

// get opens an event stream, after the event with lastID if it is not "".
func (c *conn) get(e *exchange, from *url.URL, lastID string) (*http.Response, error) {
	resp, err := e.do(&request{method: http.MethodGet, url: from, header: c.eventHeader(lastID)})
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK && isEventStream(resp.Header.Get("Content-Type")) {
		return resp, nil
	}
	return nil, e.status(resp)
}

// mayReopen reports whether a stream that could not be opened may be opened later.
func mayReopen(err error) bool {
	switch e := err.(type) {
	case *dial.Status:
		return e.Status == http.StatusTooManyRequests || e.Status >= 500 && e.Status != http.StatusNotImplemented
	case *dial.Error:
		return e.Again
	}
	return false
}

// Listen receives from the GET stream of the session.
func (c *conn) Listen(ctx context.Context, opened func(resumed bool), receive func(data []byte)) error {
	e, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer e.end()
	var r *eventReader
	var seen seenIDs
	var ended endings
	defer func() {
		if r != nil {
			r.release()
		}
	}()
	lastID, failures := "", 0
	for {
		resp, err := c.get(e, c.url, lastID)
		if err == nil {
			c.opened.Store(true)
			opened(lastID != "")
			if r == nil {
				r = newEventReader(resp.Body, c.o.Limits.MessageBytes)
			} else {
				r.reset(resp.Body)
				seen.resumed = lastID != ""
			}
			begun := time.Now()
			received := c.listenTo(e, r, &seen, receive)
			_ = resp.Body.Close()
			lastID = r.lastID
			ended.add(c, begun, received, r.retry)
			failures = ended.failures()
		} else if e.ctx.Err() == nil {
			if s, ok := err.(*dial.Status); ok && lastID != "" && s.Status == http.StatusBadRequest && !namesSession(s.Body) {
				lastID = "" // the server no longer stores the events
				continue
			}
			if !mayReopen(err) {
				return c.notListening(err)
			}
			failures++
		}
		if !sleep(e.ctx, c.reopenAfter(askedTime(r, err), failures)) {
			return e.failure(e.ctx.Err(), true)
		}
	}
}

// askedTime returns the reconnection time that the server set, or 0.
func askedTime(r *eventReader, err error) time.Duration {
	if s, ok := err.(*dial.Status); ok && s.RetryAfter > 0 {
		return min(s.RetryAfter, maxRetry)
	}
	if r != nil {
		return r.retry
	}
	return 0
}

// listenTo receives the messages of one stream, and reports whether there were any. It reports
// messages that are too large to the user.
func (c *conn) listenTo(e *exchange, r *eventReader, seen *seenIDs, receive func([]byte)) (received bool) {
	for {
		some, _, err := e.events(r, seen, func(data []byte) bool {
			receive(data)
			return false
		})
		received = received || some
		if _, tooLarge := errors.AsType[*dial.TooLarge](err); !tooLarge {
			return received
		}
		if c.o.Report != nil {
			c.o.Report(err)
		}
	}
}

// notListening returns the error of a GET that is not sent again. Servers without the stream reply
// 405; some do not know the method at all, and their 404 does not mean that the session is lost.
func (c *conn) notListening(err error) error {
	s, ok := err.(*dial.Status)
	if !ok {
		return err
	}
	switch s.Status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return nil
	case http.StatusNotFound:
		if c.session.Load() != nil && (c.opened.Load() || namesSession(s.Body)) {
			return &dial.SessionLost{Status: s.Status}
		}
	case http.StatusBadRequest:
		if c.session.Load() != nil && namesSession(s.Body) {
			return &dial.SessionLost{Status: s.Status}
		}
	}
	return s
}

// EndSession deletes the session by DELETE. Servers that do not allow that reply 405.
func (c *conn) EndSession(ctx context.Context) error {
	if c.session.Load() == nil {
		return nil
	}
	e, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer e.end()
	h := c.eventHeader("")
	h["Accept"] = acceptBoth
	resp, err := e.do(&request{method: http.MethodDelete, url: c.url, header: h})
	if err != nil {
		return err
	}
	switch s := e.status(resp); {
	case s.Status/100 == 2, s.Status == http.StatusMethodNotAllowed, s.Status == http.StatusNotFound:
		c.session.Store(nil)
		return nil
	default:
		return s
	}
}
