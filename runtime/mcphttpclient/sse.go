package mcphttpclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// sseConn is a connection over HTTP+SSE (2024-11-05): a [dial.Stream]. The server sends messages as
// events of one GET; each message of the client is a POST to the URL in the first event.
type sseConn struct {
	conn   *conn
	stream *exchange
	resp   *http.Response
	events *eventReader
	to     *url.URL
	ended  bool
}

// OpenSSE opens a connection of its own, which outlives c.
func (c *conn) OpenSSE(ctx context.Context) (dial.Stream, error) {
	if c.endpoint.SSE == SSENever {
		return nil, nil
	}
	own := newConn(c.endpoint, c.url, c.o)
	s, err := own.openSSE(ctx)
	if err != nil {
		_ = own.Close()
		return nil, err
	}
	return s, nil
}

func (c *conn) openSSE(ctx context.Context) (*sseConn, error) {
	e, err := c.begin(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { e.cancel(context.Cause(ctx)) })
	s, err := c.readEndpoint(e)
	if !stop() && err == nil {
		s.release()
		err = &dial.Error{Again: true, Err: context.Cause(ctx)}
	}
	if err != nil {
		e.end()
		return nil, err
	}
	return s, nil
}

// readEndpoint opens the stream, and reads its first event.
func (c *conn) readEndpoint(e *exchange) (*sseConn, error) {
	resp, err := c.get(e, c.url, "")
	if err != nil {
		return nil, err
	}
	s := &sseConn{conn: c, stream: e, resp: resp, events: newEventReader(resp.Body, c.o.Limits.MessageBytes)}
	event, err := s.events.next()
	switch {
	case err != nil && (e.ctx.Err() != nil || !errors.Is(err, io.EOF)):
		err = e.failure(err, false)
	case err != nil:
		err = &dial.Violation{Text: "an event stream of HTTP+SSE that ends before the event endpoint"}
	case event.name != "endpoint":
		err = &dial.Violation{Text: "an event stream of HTTP+SSE that does not begin with the event endpoint", Bytes: beginning(event.data)}
	default:
		s.to, err = endpointOf(resp.Request.URL, event.data)
	}
	if err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// endpointOf returns the URL for messages, which must have the origin of the stream.
func endpointOf(stream *url.URL, data []byte) (*url.URL, error) {
	to, err := stream.Parse(string(bytes.TrimSpace(data[:min(len(data), maxEndpoint)])))
	switch {
	case err != nil || len(data) > maxEndpoint:
		return nil, &dial.Violation{Text: "an event endpoint that has no URL", Bytes: beginning(data)}
	case !sameOrigin(stream, to) || to.User != nil:
		return nil, &dial.Violation{Text: "an event endpoint of another origin; nothing was sent there", Bytes: beginning(data)}
	}
	to.Fragment, to.RawFragment = "", ""
	return to, nil
}

// maxEndpoint limits the URL of the event endpoint.
const maxEndpoint = 8 << 10

func (s *sseConn) release() {
	_ = s.resp.Body.Close()
	s.events.release()
}

// Legacy returns true: only revisions with sessions are spoken.
func (s *sseConn) Legacy() bool { return true }

// Read returns the message of the next event.
func (s *sseConn) Read() ([]byte, error) {
	for {
		if s.ended {
			return nil, net.ErrClosed
		}
		event, err := s.events.next()
		if _, tooLarge := errors.AsType[*dial.TooLarge](err); tooLarge {
			return nil, &jsonrpc.FrameError{Limit: s.conn.o.Limits.MessageBytes, Kind: jsonrpc.Invalid}
		}
		if err == nil && event.name == "endpoint" {
			err = &dial.Violation{Text: "a second event endpoint", Bytes: beginning(event.data)}
		} else if err != nil && !errors.Is(err, io.EOF) {
			err = s.stream.failure(err, true)
		}
		if err != nil {
			s.ended = true
			s.release()
			s.stream.end()
			return nil, err
		}
		if event.name == "" || event.name == "message" {
			return event.data, nil
		}
	}
}

// Write posts the messages, one after the other. An error applies to the whole batch: it is Sent if
// a message before the failed one was sent.
func (s *sseConn) Write(batch []byte) error {
	posted := false
	for len(batch) > 0 {
		message, rest, _ := bytes.Cut(batch, []byte{'\n'})
		batch = rest
		if len(message) == 0 {
			continue
		}
		err := s.post(message)
		if failed, ok := err.(*dial.Error); ok && posted {
			failed.Sent = true
		}
		if err != nil {
			return err
		}
		posted = true
	}
	return nil
}

func (s *sseConn) post(message []byte) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), s.conn.o.Limits.WriteTime, errWriteTime)
	defer cancel()
	e, err := s.conn.begin(ctx)
	if err != nil {
		return err
	}
	defer e.end()
	// A copy, since the batch belongs to the caller again when Write returns, and the transport may
	// still read the message then.
	message = bytes.Clone(message)
	resp, err := e.do(&request{method: http.MethodPost, url: s.to, header: s.conn.header(nil), data: message})
	if err != nil {
		return err
	}
	if resp.StatusCode/100 == 2 {
		discard(resp)
		return nil
	}
	refused := e.status(resp)
	// A server that refuses a message has not handled it. A server behind a proxy that refuses it
	// may have.
	return &dial.Error{Sent: refused.Status/100 != 4, Again: true, Err: refused}
}

var errWriteTime = errors.New("the server has not accepted a message for Limits.WriteTime")

// Close closes the stream and cancels the POST in progress.
func (s *sseConn) Close() error { return s.conn.Close() }
