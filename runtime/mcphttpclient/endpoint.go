package mcphttpclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/netdial"
)

// Endpoint is a server behind a URL, for mcpclient.Connect: streamable HTTP of every revision, or
// HTTP+SSE (2024-11-05) if the server supports nothing else.
type Endpoint struct {
	// URL has the scheme http or https, and must not contain user information: use Auth for it.
	URL string
	// Header contains fields of every request. Names that the protocol uses itself, or that belong
	// to the connection, are an error of Connect.
	Header http.Header
	// Auth adds credentials to requests. May be nil.
	Auth Authorizer
	// Client is used for its Transport and its Jar. Nil means a client that all endpoints share,
	// with the proxy of the environment. Its Timeout is not used, because it would end event
	// streams; this is logged once. Its CheckRedirect is not used either: redirects never lead to
	// another origin.
	Client *http.Client
	SSE    SSEMode
	// Insecure allows credentials over plain http to another machine.
	Insecure bool
}

// SSEMode tells when the transport HTTP+SSE of revision 2024-11-05 is used.
type SSEMode uint8

// The modes.
const (
	SSEAuto  SSEMode = iota // if the server does not serve streamable HTTP
	SSENever                // never
	SSEOnly                 // from the start: URL is the URL of the event stream
)

// Name returns the URL without user information, query and fragment.
func (e Endpoint) Name() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return "invalid URL"
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// Key returns a digest of the URL, the header and the mode. Credentials of Auth are not part of it.
func (e Endpoint) Key() string {
	texts := []string{e.URL, strconv.Itoa(int(e.SSE))}
	for _, name := range slices.Sorted(maps.Keys(e.Header)) {
		texts = append(append(texts, name, strconv.Itoa(len(e.Header[name]))), e.Header[name]...)
	}
	return "http " + digestKey(texts...)
}

// AuthorizationContext returns the CacheKey of Auth, with a digest of the user and the password of
// a proxy. The context is "" (unknown) if Client has a Jar or a Transport, or uses an
// http.DefaultTransport that was replaced: those may send any credentials. For an Endpoint without
// credentials except the ones in Key, ok is false.
func (e Endpoint) AuthorizationContext() (context string, ok bool) {
	proxy, known := e.proxy()
	if !known {
		return "", true
	}
	if e.Auth != nil {
		if context = e.Auth.CacheKey(); context == "" {
			return "", true
		}
		ok = true
	}
	if user := proxyUser(proxy, e.URL); user != "" {
		return context + " by proxy " + processDigest(user), true
	}
	return context, ok
}

// defaultTransport is the transport of net/http, which a program may replace.
var defaultTransport, _ = http.DefaultTransport.(*http.Transport)

// proxy returns the function that finds the proxy. It returns false if requests may contain
// credentials that this package does not know.
func (e Endpoint) proxy() (func(*http.Request) (*url.URL, error), bool) {
	if e.Client == nil {
		return http.ProxyFromEnvironment, true
	}
	t, ok := http.DefaultTransport.(*http.Transport)
	if e.Client.Jar != nil || e.Client.Transport != nil || !ok || t != defaultTransport || !netdial.KnowsClient(t.TLSClientConfig) {
		return nil, false
	}
	return t.Proxy, len(t.ProxyConnectHeader) == 0 && t.GetProxyConnectHeader == nil
}

// proxyUser returns user and password for the proxy of a URL, or "".
func proxyUser(proxy func(*http.Request) (*url.URL, error), to string) string {
	u, err := url.Parse(to)
	if err != nil || proxy == nil {
		return ""
	}
	by, err := proxy(&http.Request{URL: u, Header: http.Header{}})
	if err != nil || by == nil || by.User == nil {
		return ""
	}
	return by.User.String()
}

// Dial checks the fields. It connects only with SSEOnly; otherwise the first message does.
func (e Endpoint) Dial(ctx context.Context, o dial.Options) (dial.Conn, error) {
	u, err := e.parse()
	if err != nil {
		return nil, &dial.Error{Err: err}
	}
	c := newConn(e, u, o)
	if e.SSE != SSEOnly {
		return c, nil
	}
	defer func() { _ = c.Close() }()
	s, err := c.OpenSSE(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// parse returns the URL of an Endpoint whose fields are valid.
func (e Endpoint) parse() (*url.URL, error) {
	u, err := url.Parse(e.URL)
	if err != nil {
		// The error of url.Parse contains the URL, which may contain credentials.
		if parseErr, ok := errors.AsType[*url.Error](err); ok {
			err = parseErr.Err
		}
		return nil, fmt.Errorf("Endpoint.URL is not valid: %w", err)
	}
	switch {
	case u.Scheme == "ws", u.Scheme == "wss":
		return nil, fmt.Errorf("the scheme of Endpoint.URL is %s: mcpws.Endpoint connects to such a server", u.Scheme)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the scheme of Endpoint.URL is %q: it must be http or https", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("Endpoint.URL has no host")
	case u.User != nil:
		return nil, errors.New("Endpoint.URL has user information: set Endpoint.Auth to mcphttpclient.Basic(user, password)")
	case e.SSE > SSEOnly:
		return nil, fmt.Errorf("Endpoint.SSE is %d: it must be SSEAuto, SSENever or SSEOnly", e.SSE)
	}
	u.Fragment, u.RawFragment = "", ""
	secret := e.Auth != nil
	for _, name := range slices.Sorted(maps.Keys(e.Header)) {
		if err := e.checkField(name); err != nil {
			return nil, err
		}
		secret = secret || netdial.HasCredentials(name)
	}
	if secret && u.Scheme == "http" && !netdial.IsThisMachine(u.Hostname()) && !e.Insecure {
		return nil, fmt.Errorf("credentials would be sent to %s over plain http: use https (in a Go program, Endpoint.Insecure allows it)", u.Host)
	}
	return u, nil
}

// checkField checks a field of Endpoint.Header.
func (e Endpoint) checkField(name string) error {
	if !isToken(name) {
		return fmt.Errorf("Endpoint.Header has the field %q, which is not a valid name", name)
	}
	canonical := http.CanonicalHeaderKey(name)
	switch {
	case strings.HasPrefix(canonical, "Mcp-"), slices.Contains(ownedFields, canonical):
		return fmt.Errorf("Endpoint.Header has the field %s, which the client sets itself", canonical)
	case canonical == "Authorization" && e.Auth != nil:
		return errors.New("Endpoint.Header has the field Authorization, and Endpoint.Auth is set: only one of them can be")
	}
	for _, value := range e.Header[name] {
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf("Endpoint.Header: the value of the field %s has a control character", canonical)
		}
	}
	return nil
}

// ownedFields are set by this package or by net/http. With an Idempotency-Key net/http would repeat
// a message that may have run.
var ownedFields = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Idempotency-Key",
	"Keep-Alive", httpfield.LastEventID, "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "X-Idempotency-Key",
}

// isToken reports whether a text can be the name of a header field (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

// sameOrigin reports whether scheme, host and port of two URLs are equal.
func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	if strings.EqualFold(u.Scheme, "https") {
		return "443"
	}
	return "80"
}
