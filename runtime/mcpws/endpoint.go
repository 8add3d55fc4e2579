package mcpws

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/netdial"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// Endpoint is a server behind a WebSocket, for mcpclient.Connect. A server that does not select the
// subprotocol "mcp" is refused.
type Endpoint struct {
	URL    string      // ws or wss, without credentials
	Header http.Header // of the request that opens a connection; names that the protocol sets are an error
	// Auth adds credentials to that request, and handles a response of status 401 or 403. Nil adds
	// none.
	Auth mcphttpclient.Authorizer
	// TLS is the TLS configuration for wss; nil means the default of crypto/tls.
	TLS *tls.Config
	// Insecure allows credentials over ws, which is not encrypted, to another machine.
	Insecure bool
}

// Name returns the URL without query.
func (e Endpoint) Name() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return "WebSocket with an invalid URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Key returns a digest of URL, Header and TLS.
func (e Endpoint) Key() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", e.URL, netdial.TLSKey(e.TLS))
	_ = e.Header.Write(h) // sorted by name
	return "websocket " + hex.EncodeToString(h.Sum(nil))
}

// AuthorizationContext returns the same as an mcphttpclient.Endpoint with the same Auth. The
// context is unknown if TLS chooses a certificate by a function, resumes sessions, or has a
// certificate without its private key. Other certificates are part of Key.
func (e Endpoint) AuthorizationContext() (context string, ok bool) {
	if !netdial.KnowsClient(e.TLS) {
		return "", true
	}
	return mcphttpclient.Endpoint{URL: "http" + strings.TrimPrefix(e.URL, "ws"), Auth: e.Auth}.AuthorizationContext()
}

// Dial opens a connection. The end of ctx aborts that. A response that opens no connection is a
// [*dial.Status].
func (e Endpoint) Dial(ctx context.Context, o dial.Options) (dial.Conn, error) {
	u, err := e.check()
	if err != nil {
		return nil, &dial.Error{Err: err}
	}
	ctx, _ = dial.WithAuthorization(ctx)
	for attempt := 1; ; attempt++ {
		r, err := e.request(ctx, u)
		if err != nil {
			return nil, err
		}
		conn, resp, err := e.open(ctx, u, r.Header, o)
		if resp == nil {
			return conn, err
		}
		body, _ := io.ReadAll(resp.Body) // the beginning of the body, which the library has read
		if e.Auth == nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden || attempt >= o.Limits.Attempts {
			return nil, statusOf(resp, body)
		}
		resp.Body = io.NopCloser(bytes.NewReader(body))
		err = e.challenge(ctx, r, resp, o)
		switch {
		case ctx.Err() != nil:
			return nil, &dial.Error{Again: true, Err: context.Cause(ctx)}
		case err != nil:
			status := statusOf(resp, body)
			status.Err = err
			return nil, status
		}
	}
}

// challenge lets the Authorizer handle a response. A person may be involved, so the time does not
// count for the opening.
func (e Endpoint) challenge(ctx context.Context, r *http.Request, resp *http.Response, o dial.Options) error {
	if o.Wait != nil {
		defer o.Wait()()
	}
	return usercode.Within(ctx, "HandleChallenge of Endpoint.Auth", func() error { return e.Auth.HandleChallenge(ctx, r, resp) })
}

// request returns the request that opens a connection, with credentials. [websocket.Dial] creates
// its own request with the same header.
func (e Endpoint) request(ctx context.Context, u *url.URL) (*http.Request, error) {
	to := *u
	to.Scheme = "http" + strings.TrimPrefix(u.Scheme, "ws")
	r := (&http.Request{Method: http.MethodGet, URL: &to, Host: u.Host, Header: http.Header{}}).WithContext(ctx)
	for name, values := range e.Header {
		for _, value := range values {
			r.Header.Add(name, value)
		}
	}
	if e.Auth == nil {
		return r, nil
	}
	err := usercode.Within(ctx, "Authorize of Endpoint.Auth", func() error { return e.Auth.Authorize(ctx, r) })
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return nil, &dial.Error{Again: true, Err: context.Cause(ctx)}
	}
	return nil, &dial.Error{Err: fmt.Errorf("get credentials: %w", err)}
}

// check returns the URL, or an error for invalid fields.
func (e Endpoint) check() (*url.URL, error) {
	u, err := url.Parse(e.URL)
	switch {
	case err != nil:
		return nil, errors.New("Endpoint.URL is not a URL") // the error of url.Parse contains the text, which may contain credentials
	case u.Scheme == "http" || u.Scheme == "https":
		return nil, fmt.Errorf("the scheme of Endpoint.URL is %s: mcphttpclient.Endpoint connects to such a server", u.Scheme)
	case u.Scheme != "ws" && u.Scheme != "wss":
		return nil, fmt.Errorf("the scheme of Endpoint.URL is %q: it must be ws or wss", u.Scheme)
	case u.Host == "":
		return nil, errors.New("Endpoint.URL has no host")
	case u.User != nil:
		return nil, errors.New("Endpoint.URL has credentials: set Endpoint.Auth")
	case u.Fragment != "":
		return nil, errors.New("Endpoint.URL has a fragment, which WebSockets do not have")
	}
	secret := e.Auth != nil
	for name := range e.Header {
		name = http.CanonicalHeaderKey(name)
		switch {
		case slices.Contains(owned, name), strings.HasPrefix(name, "Sec-Websocket-"):
			return nil, fmt.Errorf("Endpoint.Header has the field %s, which the client sets itself", name)
		case name == "Authorization" && e.Auth != nil:
			return nil, errors.New("Endpoint.Header has the field Authorization, and Endpoint.Auth is set: only one of them can be")
		}
		secret = secret || netdial.HasCredentials(name)
	}
	if secret && u.Scheme == "ws" && !e.Insecure && !netdial.IsThisMachine(u.Hostname()) {
		return nil, fmt.Errorf("credentials would be sent to %s over ws, which is not encrypted: use wss (in a Go program, Endpoint.Insecure allows it)", u.Host)
	}
	return u, nil
}

// owned are the names of header fields that the protocol sets.
var owned = []string{
	"Connection", "Content-Length", "Host", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// open opens a connection, or returns the response that opens none.
func (e Endpoint) open(ctx context.Context, u *url.URL, header http.Header, o dial.Options) (dial.Conn, *http.Response, error) {
	c := &clientConn{newConn(clientSide(o.Limits.CloseTime), o.Limits.MessageBytes, nil, func(error) {}), o.Limits.WriteTime}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	socket, dialer := newSocket(), &dialer{opening: ctx}
	// net/http continues with a connection that its request no longer waits for.
	stop := context.AfterFunc(ctx, dialer.close)
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.dial, TLSClientConfig: e.TLS, Protocols: &protocols,
		MaxResponseHeaderBytes: int64(o.Limits.HeaderBytes), DisableKeepAlives: true,
	}
	client := &http.Client{
		Transport:     &upgrading{transport, dialer, socket},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	ws, resp, err := dialWebSocket(ctx, u.String(), client, header, c.onPing)
	if err == nil && stop() {
		c.open(ws, socket, defaultPing, 0)
		return c, nil, nil
	}
	dialer.close()
	switch {
	case err != nil && resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
		return nil, resp, nil
	case err != nil:
		return nil, nil, openError(ctx, err, o)
	}
	_ = ws.CloseNow()
	return nil, nil, &dial.Error{Again: true, Err: context.Cause(ctx)}
}

// openError returns the error for a connection that was not opened, without the URL.
func openError(ctx context.Context, err error, o dial.Options) error {
	if named, ok := errors.AsType[*url.Error](err); ok {
		err = named.Err
	}
	if strings.Contains(err.Error(), "server response headers exceeded") { // net/http has no type for it
		return &dial.TooLarge{What: "header of the response", Header: true, Limit: o.Limits.HeaderBytes}
	}
	failed := netdial.Error(ctx, err)
	if _, ok := errors.AsType[*subprotocolError](err); ok ||
		strings.Contains(err.Error(), "WebSocket protocol violation") || strings.Contains(err.Error(), "malformed HTTP") {
		failed.Again = false
	}
	return failed
}

// statusOf describes a response that does not open a connection.
func statusOf(resp *http.Response, body []byte) *dial.Status {
	return &dial.Status{
		Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"), Body: body,
		RetryAfter: retryAfter(resp.Header.Get("Retry-After")), Location: location(resp),
	}
}

// retryAfter reads the field Retry-After: seconds, or a time.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), int64(time.Duration(1<<62)/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// location returns the target of a redirect, or "".
func location(resp *http.Response) string {
	if resp.StatusCode/100 != 3 {
		return ""
	}
	to, err := resp.Location()
	if err != nil {
		return ""
	}
	return to.Redacted()
}

// dialer dials one connection.
type dialer struct {
	opening context.Context // the context of Dial; the context of net/http does not end with it

	mu     sync.Mutex
	conn   net.Conn
	closed bool
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.opening, cancel)()
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	d.conn = conn
	return conn, nil
}

// dialed returns the connection.
func (d *dialer) dialed() net.Conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.conn
}

// close closes the connection, even one that is still being dialed.
func (d *dialer) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.conn != nil {
		_ = d.conn.Close()
	}
}

// upgrading puts a socket between the connection and the WebSocket, like [upgrade] for a server.
type upgrading struct {
	*http.Transport
	dialer *dialer
	socket *socket
}

func (u *upgrading) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := u.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if body, ok := resp.Body.(io.ReadWriteCloser); ok && resp.StatusCode == http.StatusSwitchingProtocols {
		if selected := resp.Header.Get("Sec-WebSocket-Protocol"); !strings.EqualFold(selected, subprotocol) {
			_ = u.dialer.dialed().Close()
			return nil, &subprotocolError{selected}
		}
		u.socket.Conn = &upgraded{u.dialer.dialed(), body}
		resp.Body = u.socket
	}
	return resp, nil
}

// subprotocolError is returned if a server has selected another subprotocol, or none.
type subprotocolError struct{ selected string }

func (e *subprotocolError) Error() string {
	if e.selected == "" {
		return "the server has not selected the subprotocol " + strconv.Quote(subprotocol) + ": it does not expect MCP there"
	}
	return fmt.Sprintf("the server has selected the subprotocol %.100q, which was not offered", e.selected)
}

// upgraded is a connection after the upgrade. Reads and writes go through TLS, if it is used;
// deadlines and Close go to the connection below.
type upgraded struct {
	net.Conn
	body io.ReadWriteCloser
}

func (u *upgraded) Read(p []byte) (int, error)  { return u.body.Read(p) }
func (u *upgraded) Write(p []byte) (int, error) { return u.body.Write(p) }

// clientConn is a client's connection. It is a [dial.Stream].
type clientConn struct {
	*conn
	writeTime time.Duration
}

// Write sends messages, within WriteTime.
func (c *clientConn) Write(batch []byte) error {
	if ended := c.cause(); ended != nil {
		return &dial.Error{Again: true, Err: ended}
	}
	select {
	case <-c.closed:
		return &dial.Error{Again: true, Err: net.ErrClosed}
	default:
	}
	cut := time.AfterFunc(c.writeTime, func() {
		c.setCause(fmt.Errorf("the server has not read for %v", c.writeTime), websocket.StatusGoingAway, "")
		c.cut()
	})
	defer cut.Stop()
	if err := c.conn.Write(batch); err != nil {
		return &dial.Error{Sent: true, Again: true, Err: cmp.Or(c.cause(), err)}
	}
	return nil
}
