package mcphttpclient_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// signing is a Transport that sends the identity of the user.
type signing string

func (s signing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-User", string(s))
	return defaultRoundTrip(r)
}

var defaultRoundTrip = http.DefaultTransport.RoundTrip

// privateServer serves a private resource with the name of the user, who proves the identity in one
// of several ways, and counts the reads.
func privateServer(t *testing.T) (address string, reads *atomic.Int64) {
	server := mcp.NewServer(mcp.ServerInfo{Name: "private", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	reads = new(atomic.Int64)
	server.Register(mcp.NewResource(mcp.ResourceInfo{URI: "data://own", Name: "own", ReadInfo: mcp.ReadInfo{TTL: time.Hour}},
		func(ctx context.Context, _ string) (*mcp.ResourceResult, error) {
			reads.Add(1)
			return mcp.TextContents("data of " + mcp.CallFrom(ctx).Principal().ID), nil
		}))
	s := httptest.NewServer(mcphttp.NewHandler(server, mcphttp.WithPrincipal(func(r *http.Request) (mcp.Principal, error) {
		user := r.Header.Get("X-User")
		if cookie, err := r.Cookie("user"); err == nil {
			user = cookie.Value
		}
		if name, password, ok := r.BasicAuth(); ok && password == "password of "+name {
			user = name
		}
		if token := r.Header.Get("Authorization"); len(token) > 7 && token[:7] == "Bearer " {
			user = token[7:]
		}
		if user == "" {
			return mcp.Principal{}, errors.New("no credentials")
		}
		return mcp.Principal{ID: user}, nil
	})))
	t.Cleanup(s.Close)
	return s.URL, reads
}

// A Cache that several clients share returns no data of one client to another, whatever way the
// credentials take; it stores private data only if each way is known.
func TestPrivateResults(t *testing.T) {
	before := http.DefaultTransport
	defer func() { http.DefaultTransport = before }()
	basic := func(user, password string) mcphttpclient.Endpoint {
		return mcphttpclient.Endpoint{Auth: mcphttpclient.Basic(user, password)}
	}
	header := func(user, password string) mcphttpclient.Endpoint {
		r := http.Request{Header: http.Header{}}
		r.SetBasicAuth(user, password)
		return mcphttpclient.Endpoint{Auth: mcphttpclient.Header("authorization", r.Header.Get("Authorization"))}
	}
	for name, test := range map[string]struct {
		as   func(user, proof string, to *url.URL) mcphttpclient.Endpoint
		kept bool
	}{
		"Basic":             {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint { return basic(user, proof) }, true},
		"Header with Basic": {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint { return header(user, proof) }, true},
		"Basic of another Client": {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint {
			e := basic(user, proof)
			e.Client = new(http.Client)
			return e
		}, true},
		"Bearer": {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint {
			return mcphttpclient.Endpoint{Auth: mcphttpclient.Bearer(valid(user, proof))}
		}, true},
		"Header": {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint {
			return mcphttpclient.Endpoint{Auth: mcphttpclient.Header("X-User", valid(user, proof))}
		}, true},
		"Endpoint.Header": {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint {
			return mcphttpclient.Endpoint{Header: http.Header{"X-User": {valid(user, proof)}}}
		}, true},
		"TokenFunc": {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint {
			return mcphttpclient.Endpoint{Auth: mcphttpclient.TokenFunc(func(context.Context) (string, error) { return valid(user, proof), nil })}
		}, false},
		"Transport": {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint {
			return mcphttpclient.Endpoint{Client: &http.Client{Transport: signing(valid(user, proof))}}
		}, false},
		"Transport beside Bearer": {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint {
			return mcphttpclient.Endpoint{Client: &http.Client{Transport: signing(valid(user, proof))}, Auth: mcphttpclient.Header("X-Tenant", "acme")}
		}, false},
		"Jar": {func(user, proof string, to *url.URL) mcphttpclient.Endpoint {
			jar, _ := cookiejar.New(nil)
			jar.SetCookies(to, []*http.Cookie{{Name: "user", Value: valid(user, proof)}})
			return mcphttpclient.Endpoint{Client: &http.Client{Jar: jar}}
		}, false},
		"http.DefaultTransport": {func(user, proof string, _ *url.URL) mcphttpclient.Endpoint {
			http.DefaultTransport = signing(valid(user, proof))
			return mcphttpclient.Endpoint{Client: &http.Client{Timeout: time.Minute}}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			http.DefaultTransport = before
			address, reads := privateServer(t)
			to, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			o := mcpclient.Options{Cache: mcpclient.NewCache(0, 0), Retry: mcpclient.Retry{Attempts: 1}}
			read := func(user, proof string) string {
				e := test.as(user, proof, to)
				e.URL = address
				c, err := mcpclient.Connect(t.Context(), e, o)
				if err != nil {
					return "refused"
				}
				defer c.Close()
				r, err := c.Read(t.Context(), "data://own")
				if err != nil {
					return "refused"
				}
				return r.Contents[0].Text
			}
			expect := func(what, got, want string, count int64) {
				t.Helper()
				if got != want || reads.Load() != count {
					t.Errorf("%s: %q after %d reads, want %q after %d", what, got, reads.Load(), want, count)
				}
			}
			again := int64(2)
			if test.kept {
				again = 1
			}
			expect("alice", read("alice", "password of alice"), "data of alice", 1)
			expect("bob", read("bob", "password of bob"), "data of bob", 2)
			expect("alice again", read("alice", "password of alice"), "data of alice", 1+again)
			for _, wrong := range []string{"WRONG", "", "password of bob", "password of alice "} {
				expect(fmt.Sprintf("alice with %q", wrong), read("alice", wrong), "refused", 1+again)
			}
		})
	}
}

// valid returns credentials of a user, which are useless with a wrong proof.
func valid(user, proof string) string {
	if proof != "password of "+user {
		return ""
	}
	return user
}

// A proxy is another way for credentials, too.
func TestContextOfProxy(t *testing.T) {
	transport := http.DefaultTransport.(*http.Transport)
	before := transport.Proxy
	defer func() { transport.Proxy = before }()
	contexts := map[string]string{}
	for by, user := range map[string]string{
		"": "", "http://proxy:3128": "", "http://ann:1@proxy:3128": "ann:1", "http://ann:2@proxy:3128": "ann:2", "http://bob@proxy:3128": "bob",
	} {
		transport.Proxy = func(r *http.Request) (*url.URL, error) {
			if by == "" || r.URL.Host != "server" {
				return nil, nil
			}
			return url.Parse(by)
		}
		for name, auth := range map[string]mcphttpclient.Authorizer{"none": nil, "token": mcphttpclient.Bearer("t"), "password": mcphttpclient.Basic("u", "p")} {
			e := mcphttpclient.Endpoint{URL: "https://server/mcp", Auth: auth, Client: new(http.Client)}
			context, ok := e.AuthorizationContext()
			if known := auth != nil || user != ""; ok != known || (context != "") != known {
				t.Errorf("%q, %s: %q, %v", by, name, context, ok)
			}
			key := user + " " + name
			if other, there := contexts[context]; there && other != key {
				t.Errorf("%s and %s have one context", key, other)
			}
			contexts[context] = key
			e.URL = "https://elsewhere/mcp"
			if direct, _ := e.AuthorizationContext(); user != "" && direct == context {
				t.Errorf("%s: the context does not depend on the proxy", key)
			}
		}
		e := mcphttpclient.Endpoint{URL: "https://server/mcp", Auth: mcphttpclient.TokenFunc(nil), Client: new(http.Client)}
		if context, ok := e.AuthorizationContext(); context != "" || !ok {
			t.Errorf("unknown credentials behind the proxy %q: %q, %v", by, context, ok)
		}
	}
	for name, change := range map[string]func(){
		"a header field for proxies": func() { transport.ProxyConnectHeader = http.Header{"Proxy-Authorization": {"x"}} },
		"a client certificate": func() {
			transport.TLSClientConfig = &tls.Config{GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return nil, nil }}
		},
	} {
		config := transport.TLSClientConfig
		change()
		context, ok := mcphttpclient.Endpoint{URL: "https://server/mcp", Auth: mcphttpclient.Bearer("t"), Client: new(http.Client)}.AuthorizationContext()
		transport.ProxyConnectHeader, transport.TLSClientConfig = nil, config
		if context != "" || !ok {
			t.Errorf("http.DefaultTransport with %s: %q, %v", name, context, ok)
		}
	}
}
