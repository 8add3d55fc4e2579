// Package fetch requests documents from URLs that a peer named, such as the metadata of an
// authorization server that an MCP server names. A peer must not make this machine send requests to
// addresses that the peer itself cannot reach (server-side request forgery), so each address is
// checked when it is dialled, after names are resolved.
package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/netdial"
)

// Limits of one request.
const (
	maxBytes     = 1 << 20
	maxTime      = 10 * time.Second
	maxRedirects = 3
	maxHeader    = 64 << 10
	maxURL       = 8 << 10
)

// Client sends requests to URLs that a peer named. Its methods may be called by several goroutines.
type Client struct {
	transport    http.RoundTripper // given by the user; nil for one that checks addresses
	own          *http.Transport
	allowPrivate bool
}

// New returns a Client. If user is not nil, its Transport is used, and an address is checked only
// if the URL contains it: this package does not see how names are resolved. The Jar, CheckRedirect
// and Timeout of user are not used. With allowPrivate, addresses are not checked at all.
func New(user *http.Client, allowPrivate bool) *Client {
	c := &Client{allowPrivate: allowPrivate}
	if user != nil && user.Transport != nil {
		c.transport = user.Transport
		return c
	}
	c.own = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialChecked,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           4,
		IdleConnTimeout:        10 * time.Second,
		TLSHandshakeTimeout:    maxTime,
		MaxResponseHeaderBytes: maxHeader,
	}
	return c
}

// Peer is the party that has named a URL.
type Peer struct {
	URL    *url.URL   // nil if it is unknown
	Remote netip.Addr // address of the connection to it; the zero Addr if it is unknown
}

// place returns the network of the peer. A name proves nothing, unless it is a name of this
// machine.
func (p Peer) place() place {
	if p.Remote.IsValid() {
		return placeOf(p.Remote)
	}
	if p.URL == nil {
		return public
	}
	if netdial.IsThisMachine(p.URL.Hostname()) {
		return loopback
	}
	if a, err := netip.ParseAddr(p.URL.Hostname()); err == nil {
		return placeOf(a)
	}
	return public
}

// CheckURL returns an error for a URL that no request may be sent to: it must be https, or http if
// both the peer and the URL are on this machine (loopback).
func (p Peer) CheckURL(text string) (*url.URL, error) {
	if len(text) > maxURL {
		return nil, fmt.Errorf("the URL has more than %d bytes", maxURL)
	}
	for _, r := range text {
		if r <= ' ' || r == 0x7f || r == '\\' || r == '"' || r == '<' || r == '>' {
			return nil, fmt.Errorf("the URL %s has a character that URLs cannot have", quote(text))
		}
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the URL %s is malformed", quote(text))
	}
	switch {
	case u.User != nil:
		return nil, fmt.Errorf("the URL %s must be without a user name", quote(u.Scheme+"://...@"+u.Host))
	case u.Host == "" || u.Opaque != "" || u.Hostname() == "":
		return nil, fmt.Errorf("the URL %s must be absolute", quote(text))
	case u.Fragment != "" || strings.Contains(text, "#"):
		return nil, fmt.Errorf("the URL %s has a fragment", quote(text))
	case u.Scheme == "https":
	case u.Scheme == "http" && p.place() == loopback && netdial.IsThisMachine(u.Hostname()):
	case u.Scheme == "http":
		return nil, fmt.Errorf("the URL %s must begin with https: http is for servers on this machine that name addresses of this machine", quote(text))
	default:
		return nil, fmt.Errorf("the URL %s must begin with https", quote(text))
	}
	return u, nil
}

// Status is the error for a response with a status other than 2xx, or of another content type. Body
// contains at most 64 KiB of its body.
type Status struct {
	URL    string
	Code   int
	Header http.Header
	Body   []byte
	Text   string
}

func (e *Status) Error() string { return e.URL + ": " + e.Text }

// Get requests a JSON document. It follows up to three redirects within the origin of the URL.
func (c *Client) Get(ctx context.Context, from Peer, text string) ([]byte, error) {
	u, err := from.CheckURL(text)
	if err != nil {
		return nil, err
	}
	for redirects := 0; ; redirects++ {
		resp, body, err := c.send(ctx, from, u, func() *http.Request {
			return &http.Request{Method: http.MethodGet, Header: http.Header{"Accept": {"application/json"}}}
		})
		if err != nil {
			return nil, err
		}
		if resp.StatusCode/100 != 3 {
			return body, check(u, resp, body)
		}
		next, err := u.Parse(resp.Header.Get("Location"))
		switch {
		case err != nil || resp.Header.Get("Location") == "":
			return nil, fmt.Errorf("%s: redirect without a valid Location", show(u))
		case next.Scheme != u.Scheme || next.Host != u.Host:
			return nil, fmt.Errorf("%s: redirect to another origin, %s, is not followed", show(u), quote(next.Scheme+"://"+next.Host))
		case redirects == maxRedirects:
			return nil, fmt.Errorf("%s: more than %d redirects", show(u), maxRedirects)
		}
		if u, err = from.CheckURL(next.String()); err != nil {
			return nil, err
		}
	}
}

// Post sends a body and returns the JSON document of the response, and its header. Redirects are
// not followed, because the body contains credentials.
func (c *Client) Post(ctx context.Context, from Peer, text string, header http.Header, body []byte) ([]byte, http.Header, error) {
	u, err := from.CheckURL(text)
	if err != nil {
		return nil, nil, err
	}
	resp, reply, err := c.send(ctx, from, u, func() *http.Request {
		h := header.Clone()
		h.Set("Accept", "application/json")
		return &http.Request{
			Method: http.MethodPost, Header: h, ContentLength: int64(len(body)),
			Body:    io.NopCloser(bytes.NewReader(body)),
			GetBody: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil },
		}
	})
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode/100 == 3 {
		return nil, resp.Header, &Status{URL: show(u), Code: resp.StatusCode, Header: resp.Header, Text: fmt.Sprintf("status %d: a redirect of a request with credentials is not followed", resp.StatusCode)}
	}
	return reply, resp.Header, check(u, resp, reply)
}

// send sends one request and reads the whole response.
func (c *Client) send(ctx context.Context, from Peer, u *url.URL, build func() *http.Request) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	r := build()
	r.URL, r.Host, r.Proto, r.ProtoMajor, r.ProtoMinor = u, u.Host, "HTTP/1.1", 1, 1
	transport := c.transport
	if c.own != nil {
		transport = c.own
		proxy, err := c.own.Proxy(r)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", show(u), err)
		}
		if proxy == nil && !c.allowPrivate {
			// The transport keeps connections by host. A connection that was allowed for one peer
			// must not serve another peer, so each request opens its own.
			r.Close = true
			ctx = context.WithValue(ctx, placeKey{}, from.place())
		}
	}
	if err := c.checkHost(from.place(), u.Hostname()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", show(u), err)
	}
	resp, err := transport.RoundTrip(r.WithContext(ctx))
	if err != nil {
		if blocked, ok := errors.AsType[*blockedError](err); ok {
			err = blocked
		}
		return nil, nil, fmt.Errorf("%s: %w", show(u), err)
	}
	defer func() { _ = resp.Body.Close() }() // only read, so an error of Close does not matter
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s: read the response: %w", show(u), err)
	case len(body) > maxBytes:
		return nil, nil, fmt.Errorf("%s: the response has more than %d bytes", show(u), maxBytes)
	}
	return resp, body, nil
}

// checkHost checks the host of a URL without resolving it. The address of a name is checked when it
// is dialled.
func (c *Client) checkHost(from place, host string) error {
	if c.allowPrivate {
		return nil
	}
	if netdial.IsThisMachine(host) {
		return checkAddress(from, netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return checkAddress(from, a)
	}
	return nil
}

// check returns an error for a response that is not a JSON object with status 2xx.
func check(u *url.URL, resp *http.Response, body []byte) error {
	e := &Status{URL: show(u), Code: resp.StatusCode, Header: resp.Header, Body: body[:min(len(body), maxHeader)]}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode/100 != 2:
		e.Text = fmt.Sprintf("status %d", resp.StatusCode)
	case kind != "application/json" && !strings.HasSuffix(kind, "+json"):
		e.Text = fmt.Sprintf("content type %s instead of application/json", quote(resp.Header.Get("Content-Type")))
	case !json.Valid(body) || !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")):
		e.Text = "the response is not a JSON object"
	default:
		return nil
	}
	return e
}

type placeKey struct{}

// dialChecked connects to addresses that the peer of the context may name.
func dialChecked(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: maxTime}
	if from, ok := ctx.Value(placeKey{}).(place); ok {
		d.Control = func(_, resolved string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(resolved)
			if err != nil {
				return &blockedError{"the address " + quote(resolved) + " is not known"}
			}
			return checkAddress(from, at.Addr())
		}
	}
	return d.DialContext(ctx, network, address)
}

// show returns a URL for messages, without its query.
func show(u *url.URL) string {
	return quoted(u.Scheme + "://" + u.Host + u.EscapedPath())
}

// SetRemote sets Remote from an address as text. "" leaves it unknown.
func (p *Peer) SetRemote(text string) {
	if a, err := netip.ParseAddr(text); err == nil {
		p.Remote = a
	}
}

// Challenge sends a request without credentials to a server that the user named, and returns the
// header of the response and the address of the server.
func (c *Client) Challenge(ctx context.Context, server string) (http.Header, netip.Addr, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, netip.Addr{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	var remote netip.Addr
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if at, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String()); err == nil {
			remote = at.Addr()
		}
	}})
	r := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: http.Header{"Accept": {"text/event-stream"}}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	transport, proxied := c.transport, true
	if c.own != nil {
		transport = c.own
		proxy, err := c.own.Proxy(r)
		proxied = proxy != nil || err != nil
	}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return nil, netip.Addr{}, fmt.Errorf("%s: %w", show(u), err)
	}
	_ = resp.Body.Close()
	if proxied {
		remote = netip.Addr{}
	}
	return resp.Header, remote, nil
}
