package fetch_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
)

var (
	here   = fetch.Peer{Remote: netip.MustParseAddr("127.0.0.1")}
	public = fetch.Peer{Remote: netip.MustParseAddr("8.8.8.8")}
)

// A name that resolves to an address of this machine is refused when it is dialled, for a peer on
// another machine: nothing is sent.
func TestResolvedAddress(t *testing.T) {
	var requests atomic.Int32
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer s.Close()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	names := []string{"127.0.0.1", "localhost"}
	for _, name := range append(names, localNames(t)...) {
		_, err := fetch.New(nil, false).Get(t.Context(), public, "https://"+name+":"+port+"/")
		if err == nil || !strings.Contains(err.Error(), "must not name") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// localNames returns names of this machine that do not mean loopback by rule.
func localNames(t *testing.T) (names []string) {
	for _, name := range []string{"ip6-localhost", "localhost.localdomain"} {
		all, err := net.DefaultResolver.LookupHost(t.Context(), name)
		if err == nil && len(all) > 0 && netip.MustParseAddr(all[0]).IsLoopback() {
			names = append(names, name)
		}
	}
	return names
}

// A connection that was opened for one peer does not serve another.
func TestConnectionsAreApart(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, "{}")
	}))
	defer s.Close()
	c := fetch.New(nil, false)
	if _, err := c.Get(t.Context(), here, s.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(t.Context(), public, strings.Replace(s.URL, "http:", "https:", 1)); err == nil || !strings.Contains(err.Error(), "must not name") {
		t.Errorf("%v", err)
	}
}

// Documents are JSON objects of limited size, received within the time of the context.
func TestGet(t *testing.T) {
	answer := func(rw http.ResponseWriter, kind, body string, status int) {
		rw.Header().Set("Content-Type", kind)
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, body)
	}
	mux := http.NewServeMux()
	for path, f := range map[string]http.HandlerFunc{
		"/good": func(rw http.ResponseWriter, _ *http.Request) {
			answer(rw, "application/json; charset=utf-8", " {}\n", 200)
		},
		"/suffix":  func(rw http.ResponseWriter, _ *http.Request) { answer(rw, "application/oauth+json", "{}", 201) },
		"/html":    func(rw http.ResponseWriter, _ *http.Request) { answer(rw, "text/html", "{}", 200) },
		"/array":   func(rw http.ResponseWriter, _ *http.Request) { answer(rw, "application/json", "[]", 200) },
		"/broken":  func(rw http.ResponseWriter, _ *http.Request) { answer(rw, "application/json", "{", 200) },
		"/missing": func(rw http.ResponseWriter, _ *http.Request) { answer(rw, "application/json", `{"error":"x"}`, 404) },
		"/large": func(rw http.ResponseWriter, _ *http.Request) {
			answer(rw, "application/json", `{"a":"`+strings.Repeat("a", 1<<20)+`"}`, 200)
		},
		"/header": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X", strings.Repeat("x", 1<<20))
			answer(rw, "application/json", "{}", 200)
		},
		"/moved":   func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, "/good", http.StatusFound) },
		"/nowhere": func(rw http.ResponseWriter, r *http.Request) { rw.WriteHeader(http.StatusFound) },
		"/circle":  func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, "/circle", http.StatusFound) },
		"/silent":  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		mux.HandleFunc(path, f)
	}
	s := httptest.NewServer(mux)
	defer s.Close()
	c := fetch.New(nil, false)
	for path, want := range map[string]string{
		"/good": "", "/suffix": "", "/moved": "", "/html": "content type", "/array": "not a JSON object", "/broken": "not a JSON object",
		"/missing": "status 404", "/large": "more than 1048576 bytes", "/header": "header", "/nowhere": "Location", "/circle": "more than 3 redirects",
	} {
		_, err := c.Get(t.Context(), here, s.URL+path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ctx, here, s.URL+"/silent"); err == nil {
		t.Error("a response after the end of the context")
	}
}
