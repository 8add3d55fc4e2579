package mcphttpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/netdial"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// request contains the data that an exchange sends.
type request struct {
	method string
	url    *url.URL
	header http.Header // a copy, which the exchange may change
	data   []byte      // body of a POST
	wait   func() (done func())
}

// proxied reports whether requests to a URL may go through a proxy.
func (c *conn) proxied(to *url.URL) bool {
	t, ok := c.http.(*http.Transport)
	if !ok {
		return true
	}
	if t.Proxy == nil {
		return false
	}
	proxy, err := t.Proxy(&http.Request{Method: http.MethodPost, URL: to, Host: to.Host})
	return err != nil || proxy != nil
}

// maxChallenge limits the part of a response that an Authorizer may read, in bytes.
const maxChallenge = 64 << 10

// do sends a request until there is a response that is neither a challenge that the Authorizer can
// meet nor a redirect within the origin. The caller closes its body.
func (e *exchange) do(q *request) (*http.Response, error) {
	c := e.conn
	to, redirected := q.url, false
	ctx := e.ctx
	if c.endpoint.Auth != nil {
		var a *dial.Authorization
		e.authCtx, a = dial.WithAuthorization(e.ctx)
		e.message.authorization = nil
		if !c.proxied(to) {
			e.message.authorization = a
		}
	}
	if q.data != nil {
		e.message.prepare(q.data)
		ctx = httptrace.WithClientTrace(ctx, &e.message.trace)
	}
	for challenges := 1; ; {
		r, err := e.request(ctx, q, to)
		if err != nil {
			return nil, err
		}
		resp, err := c.http.RoundTrip(r)
		if err != nil {
			return nil, e.failure(err, e.message.sent())
		}
		if resp == nil || resp.Body == nil {
			return nil, &dial.Error{Sent: true, Err: errors.New("the Transport of Endpoint.Client has returned no response")}
		}
		resp.Request = r // other transports may leave it out
		if err := c.received(to, resp); err != nil {
			_ = resp.Body.Close()
			return nil, err
		}
		switch resp.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			if c.endpoint.Auth == nil || challenges >= c.o.Limits.Attempts {
				return resp, nil
			}
			challenges++
			if err := e.challenge(q, r, resp); err != nil {
				return nil, err
			}
			continue
		case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			if next := location(to, resp); !redirected && next != nil && sameOrigin(to, next) && next.User == nil {
				redirected = true
				to = next
				discard(resp)
				continue
			}
		}
		return resp, nil
	}
}

// request returns the HTTP request of one attempt.
func (e *exchange) request(ctx context.Context, q *request, to *url.URL) (*http.Request, error) {
	c := e.conn
	r := (&http.Request{Method: q.method, URL: to, Host: to.Host, Header: q.header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	if c.endpoint.Auth != nil {
		u := *to
		r.URL, r.Header = &u, maps.Clone(q.header)
		if err := e.authorizer("Authorize", func(ctx context.Context) error { return c.endpoint.Auth.Authorize(ctx, r) }); err != nil {
			return nil, &dial.Error{Err: fmt.Errorf("get credentials: %w", err)}
		}
		if !sameOrigin(to, r.URL) {
			return nil, &dial.Error{Err: fmt.Errorf("the Authorizer has changed the host of the request to %s", r.URL.Host)}
		}
	}
	if c.endpoint.Client != nil && c.endpoint.Client.Jar != nil {
		r.Header = maps.Clone(r.Header)
		for _, cookie := range c.endpoint.Client.Jar.Cookies(to) {
			r.AddCookie(cookie)
		}
	}
	if q.data != nil {
		e.message.attach(r)
	}
	return r, nil
}

// received handles the header of a response.
func (c *conn) received(from *url.URL, resp *http.Response) error {
	if c.own {
		return nil // its transport limits the header, and there is no Jar
	}
	size := 0
	for name, values := range resp.Header {
		for _, value := range values {
			size += len(name) + len(value) + len(": \r\n")
		}
	}
	if limit := c.o.Limits.HeaderBytes; size > limit {
		return tooLargeHeader(limit)
	}
	if jar := c.endpoint.Client.Jar; jar != nil {
		if cookies := resp.Cookies(); len(cookies) > 0 {
			jar.SetCookies(from, cookies)
		}
	}
	return nil
}

func tooLargeHeader(limit int) error {
	return &dial.TooLarge{What: "header of a response", Header: true, Limit: limit}
}

// challenge lets the Authorizer handle a response. After an error, the request ends with the status
// of the response.
func (e *exchange) challenge(q *request, r *http.Request, resp *http.Response) error {
	prefix, _ := io.ReadAll(io.LimitReader(resp.Body, maxStatusBody))
	body := resp.Body
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(io.MultiReader(strings.NewReader(string(prefix)), body), maxChallenge), body}
	for _, wait := range []func() func(){q.wait, e.conn.o.Wait} {
		if wait != nil {
			defer wait()()
		}
	}
	err := e.authorizer("HandleChallenge", func(ctx context.Context) error {
		defer discard(resp) // here, since the method may still read it when the request is done
		return e.conn.endpoint.Auth.HandleChallenge(ctx, r, resp)
	})
	switch {
	case err == nil:
		return nil
	case e.ctx.Err() != nil:
		return e.failure(err, false)
	case errors.Is(err, errNoOther):
		err = nil
	}
	return &dial.Status{
		Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"), Body: prefix, RetryAfter: retryAfter(resp.Header), Err: err,
	}
}

// authorizer calls a method of the Authorizer. It waits no longer than the request may take, even
// if the method ignores its context. A panic becomes an error.
func (e *exchange) authorizer(method string, call func(context.Context) error) error {
	ctx := e.authCtx
	if _, own := e.conn.endpoint.Auth.(*fixed); own {
		return call(ctx)
	}
	return usercode.Within(ctx, method+" of Endpoint.Auth", func() error { return call(ctx) })
}

// failure returns the error for an attempt without a response, or for a response that has stopped.
func (e *exchange) failure(err error, sent bool) error {
	if e.ctx.Err() != nil {
		return &dial.Error{Sent: sent, Again: true, Err: context.Cause(e.ctx)}
	}
	text := err.Error()
	switch {
	case isEndOfAnother(err):
		return &dial.Error{Sent: sent, Again: true, Err: errors.New("the connection was closed for another request: " + text)}
	case strings.Contains(text, "response headers exceeded"), strings.Contains(text, "response header list larger"):
		return tooLargeHeader(e.conn.o.Limits.HeaderBytes)
	case errors.Is(err, http.ErrSchemeMismatch):
		return &dial.Error{Err: fmt.Errorf("the server does not speak TLS: its URL may begin with http: %w", err)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &dial.Error{Sent: sent, Again: true, Err: fmt.Errorf("the server has closed the connection: %w", err)}
	}
	failed := netdial.Error(context.Background(), err)
	failed.Sent = sent
	return failed
}

// isEndOfAnother reports whether an error belongs to another request that was cancelled. net/http
// gives a connection to the next request before the request with an empty response has returned,
// and closes it if the context of the latter is cancelled at this moment (Go 1.26).
func isEndOfAnother(err error) bool {
	for _, end := range []error{dial.ErrClosed, dial.ErrTimeout, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// location returns the target of a redirect, or nil.
func location(from *url.URL, resp *http.Response) *url.URL {
	text := resp.Header.Get("Location")
	if text == "" {
		return nil
	}
	u, err := from.Parse(text)
	if err != nil {
		return nil
	}
	return u
}

// discard closes a response whose rest is not needed. If the rest is short, discard reads it, so
// that the connection can be used again.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxStatusBody)
	_ = resp.Body.Close()
}
