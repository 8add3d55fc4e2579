package mcphttpclient_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// TestClientStatus sends responses without a reply.
func TestClientStatus(t *testing.T) {
	testbed.Bound(t)
	for _, test := range []struct {
		name, contentType, body string
		status                  int
		message                 bool
	}{
		{"HTML", "text/html", "<html>", 200, false},
		{"accepted", "", "", 202, false},
		{"no content", "", "", 204, false},
		{"result with 500", "application/json", replyTo1, 500, true},
		{"error with 400", "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"m"}}`, 400, true},
		{"broken error", "application/json", `{"jsonrpc"`, 400, false},
		{"forbidden", "text/plain", "no", 403, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				w.Header().Set("Retry-After", "1000000000")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest})
			s, ok := err.(*dial.Status)
			if !ok || s.Status != test.status || string(s.Body) != test.body || (s.Message != nil) != test.message || s.RetryAfter != 1e9*time.Second {
				t.Errorf("%#v", err)
			}
		})
	}
}

// TestClientLimits sends messages above the limits.
func TestClientLimits(t *testing.T) {
	testbed.Bound(t)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 4<<20))
	_ = z.Close()
	for name, h := range map[string]http.HandlerFunc{
		"length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "4000000000")
		},
		"chunks": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 64 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		},
		"gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		},
		"event": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: "+strings.Repeat("x", 2<<20)+"\n\n")
		},
		"header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 64<<10))
			writeReply(w)
		},
	} {
		for _, client := range []*http.Client{nil, {Transport: &http.Transport{}, Timeout: time.Minute}} {
			c := requester(t, mcphttpclient.Endpoint{Client: client}, h)
			_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest})
			tooLarge, ok := err.(*dial.TooLarge)
			if !ok || tooLarge.Header != (name == "header") {
				t.Errorf("%s: %v", name, err)
			}
			if client != nil {
				client.CloseIdleConnections()
			}
		}
	}
}

// TestClientRedirects checks that nothing is sent to another origin, and that the client leaves
// circles.
func TestClientRedirects(t *testing.T) {
	testbed.Bound(t)
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		c := requester(t, mcphttpclient.Endpoint{Auth: mcphttpclient.Bearer("secret")}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", other.URL+"/x")
			w.WriteHeader(status)
		})
		_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest})
		if s, ok := err.(*dial.Status); !ok || s.Status != status || s.Location != other.URL+"/x" {
			t.Errorf("%d: %v", status, err)
		}
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("%d requests to another origin", n)
	}
	var paths []string
	c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		paths = append(paths, r.URL.Path)
		if r.URL.Path == "/new" && len(body) > 0 {
			writeReply(w)
			return
		}
		w.Header().Set("Location", "/new")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	if _, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest}); err != nil || len(paths) != 2 {
		t.Errorf("%q: %v", paths, err)
	}
	requests := 0
	c = requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Location", "/mcp")
		w.WriteHeader(http.StatusPermanentRedirect)
	})
	if _, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest}); err == nil || requests != 2 {
		t.Errorf("circle: %d requests, %v", requests, err)
	}
}

// countingAuth answers every challenge.
type countingAuth struct{ challenges, attempts int }

func (a *countingAuth) Authorize(_ context.Context, r *http.Request) error {
	a.attempts++
	r.Header.Set("Authorization", "test")
	return nil
}

func (a *countingAuth) HandleChallenge(context.Context, *http.Request, *http.Response) error {
	a.challenges++
	return nil
}
func (a *countingAuth) CacheKey() string { return "" }

// TestClientChallenges counts the attempts of a request that is always refused.
func TestClientChallenges(t *testing.T) {
	testbed.Bound(t)
	for _, status := range []int{401, 403} {
		auth := new(countingAuth)
		c := requester(t, mcphttpclient.Endpoint{Auth: auth}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		waits := 0
		_, err := sendRequest(t.Context(), c, &dial.Message{
			Method: "tools/list", Revision: perRequest, Wait: func() func() { waits++; return func() { waits += 10 } },
		})
		if s, ok := err.(*dial.Status); !ok || s.Status != status || auth.attempts != 5 || auth.challenges != 4 || waits != 44 {
			t.Errorf("%d: %v, %+v, %d", status, err, auth, waits)
		}
	}
}

// TestClientResumes breaks the stream of a reply. Each notification is received once, after the
// server's reconnection time.
func TestClientResumes(t *testing.T) { synctest.Test(t, testClientResumes) }

func testClientResumes(t *testing.T) {
	var cut, resumed time.Time
	s := &fakeServer{t: t, respond: func(r *http.Request, _ fakeMessage) *http.Response {
		if r.Method == http.MethodPost {
			cut = time.Now()
			return fakeResponse(200, "text/event-stream", "retry: 300\nid: 1\ndata: {\"method\":\"a\"}\n\n")
		}
		resumed = time.Now()
		if id := r.Header.Get("Last-Event-Id"); id != "1" {
			t.Errorf("resumed after %q", id)
		}
		return fakeResponse(200, "text/event-stream", "id: 1\ndata: {\"method\":\"a\"}\n\nid: 2\ndata: "+replyTo1+"\n\n")
	}}
	c := requester(t, s.endpoint(), nil)
	got, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: inSession})
	if err != nil || len(got) != 2 || got[1] != replyTo1 {
		t.Fatalf("%q: %v", got, err)
	}
	if wait := resumed.Sub(cut); wait != 300*time.Millisecond {
		t.Errorf("resumed after %v", wait)
	}
	// Revisions without sessions do not resume.
	_, err = sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest})
	if failed, ok := errors.AsType[*dial.Error](err); !ok || !failed.Sent {
		t.Errorf("%v", err)
	}
}

// TestClientSessionID sends ids that are not valid, and another one later.
func TestClientSessionID(t *testing.T) {
	testbed.Bound(t)
	for _, id := range []string{"a b", "caf\xe9", strings.Repeat("x", 10<<10)} {
		c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Mcp-Session-Id", id)
			writeReply(w)
		})
		if _, err := sendRequest(t.Context(), c, &dial.Message{Method: "initialize"}); err == nil {
			t.Errorf("%.20q is accepted", id)
		} else if _, ok := err.(*dial.Violation); !ok {
			t.Errorf("%.20q: %v", id, err)
		}
	}
	n := byte('a')
	c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Mcp-Session-Id", string(n))
		n++
		writeReply(w)
	})
	if _, err := sendRequest(t.Context(), c, &dial.Message{Method: "initialize"}); err != nil {
		t.Fatal(err)
	}
	if _, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: inSession}); err == nil {
		t.Error("another id is accepted")
	}
}

// TestClientEndpointEvent opens streams of HTTP+SSE whose endpoint is not valid.
func TestClientEndpointEvent(t *testing.T) {
	testbed.Bound(t)
	for _, stream := range []string{
		"event: endpoint\ndata: http://127.0.0.1:1/x\n\n", "event: endpoint\ndata: https://other.example/\n\n", "data: {}\n\n", "",
	} {
		c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, stream)
		})
		if _, err := c.OpenSSE(t.Context()); err == nil {
			t.Errorf("%q is accepted", stream)
		} else if _, ok := err.(*dial.Violation); !ok {
			t.Errorf("%q: %v", stream, err)
		}
	}
	c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: endpoint\ndata: /a\n\nevent: endpoint\ndata: /b\n\n")
	})
	s, err := c.OpenSSE(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Read(); err == nil {
		t.Error("a second endpoint is accepted")
	}
}

// TestClientFields checks which endpoints are refused, by their messages.
func TestClientFields(t *testing.T) {
	for _, test := range []struct {
		e    mcphttpclient.Endpoint
		want string
	}{
		{mcphttpclient.Endpoint{URL: "ftp://host/"}, "must be http or https"},
		{mcphttpclient.Endpoint{URL: "ws://host/"}, "mcpws.Endpoint"},
		{mcphttpclient.Endpoint{URL: "http:///x"}, "no host"},
		{mcphttpclient.Endpoint{URL: "https://user:pw@host/"}, "mcphttpclient.Basic"},
		{mcphttpclient.Endpoint{URL: "https://host/", Header: http.Header{"mcp-session-id": {"x"}}}, "Mcp-Session-Id"},
		{mcphttpclient.Endpoint{URL: "https://host/", Header: http.Header{"Accept": {"x"}}}, "Accept"},
		{mcphttpclient.Endpoint{URL: "https://host/", Header: http.Header{"A b": {"x"}}}, "not a valid name"},
		{mcphttpclient.Endpoint{URL: "https://host/", Header: http.Header{"X": {"a\r\nb"}}}, "control character"},
		{mcphttpclient.Endpoint{URL: "https://host/", Auth: mcphttpclient.Bearer("t"), Header: http.Header{"Authorization": {"x"}}}, "only one"},
		{mcphttpclient.Endpoint{URL: "http://host.example/", Auth: mcphttpclient.Bearer("t")}, "plain http"},
		{mcphttpclient.Endpoint{URL: "http://127.0.0.1.evil.example/", Header: http.Header{"X-Api-Key": {"x"}}}, "plain http"},
	} {
		_, err := test.e.Dial(t.Context(), clientOptions(t))
		if failed, ok := errors.AsType[*dial.Error](err); !ok || failed.Sent || failed.Again || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.e.URL, err, test.want)
		}
	}
	e := mcphttpclient.Endpoint{URL: "https://user:pw@host/p?key=secret#f"}
	if e.Name() != "https://host/p" || strings.Contains(e.Key(), "secret") {
		t.Errorf("%s, %s", e.Name(), e.Key())
	}
	for _, a := range []mcphttpclient.Authorizer{mcphttpclient.Bearer("s3cret"), mcphttpclient.Basic("u", "s3cret"), mcphttpclient.Header("X-Key", "s3cret")} {
		if strings.Contains(a.CacheKey(), "s3cret") || a.CacheKey() == "" {
			t.Errorf("cache key %q", a.CacheKey())
		}
	}
}

// TestClientNotSent connects to a port where no server listens.
func TestClientNotSent(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	c := requester(t, mcphttpclient.Endpoint{URL: s.URL}, nil)
	_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest})
	if failed, ok := err.(*dial.Error); !ok || failed.Sent || !failed.Again {
		t.Errorf("%v", err)
	}
}

// TestClientRedirectsToPlain: a server behind TLS sends clients to plain http, also on its own
// host. Nothing is sent there.
func TestClientRedirectsToPlain(t *testing.T) {
	testbed.Bound(t)
	var requests atomic.Int32
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer plain.Close()
	to := plain.URL
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusPermanentRedirect)
	}))
	defer secure.Close()
	for _, target := range []string{plain.URL + "/mcp", "http" + strings.TrimPrefix(secure.URL, "https") + "/mcp"} {
		to = target
		c := requester(t, mcphttpclient.Endpoint{URL: secure.URL, Client: secure.Client(), Auth: mcphttpclient.Bearer("secret")}, nil)
		_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest})
		if s, ok := err.(*dial.Status); !ok || s.Location != target {
			t.Errorf("%s: %v", target, err)
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests were sent without TLS", n)
	}
}
