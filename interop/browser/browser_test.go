package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

//go:embed page.html
var pageHTML string

//go:embed page.js
var pageJS string

// site serves the pages, and receives their findings.
type site struct {
	found chan map[string]string
	csp   string
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/page":
		w.Header().Set("Content-Type", "text/html")
		if s.csp != "" {
			w.Header().Set("Content-Security-Policy", s.csp)
		}
		io.WriteString(w, pageHTML)
	case "/page.js":
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, pageJS)
	case "/found":
		found := map[string]string{}
		if err := json.NewDecoder(r.Body).Decode(&found); err != nil {
			found["error"] = err.Error()
		}
		select {
		case s.found <- found:
		default:
		}
	default:
		http.NotFound(w, r)
	}
}

// server is a local server with all transports, and its own page.
type server struct {
	*httptest.Server
	*site

	mu      sync.Mutex
	touched map[string]int // calls of its tool, by transport
	asked   int            // number of requests to the transports
}

func newServer(t *testing.T, origins ...string) *server {
	s := &server{site: &site{found: make(chan map[string]string, 1)}, touched: map[string]int{}}
	quiet := slog.New(slog.DiscardHandler)
	m := mcp.NewServer(mcp.ServerInfo{Name: "local", Version: "1.0.0"}, mcp.WithLogger(quiet))
	m.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "touch", Description: "Counts who was here.",
		InputSchema: `{"type":"object","properties":{"by":{"type":"string","x-mcp-header":"By"}},"required":["by"]}`,
	}, func(_ context.Context, raw json.RawMessage) (*mcp.ToolResult, error) {
		var arguments struct{ By string }
		if err := json.Unmarshal(raw, &arguments); err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.touched[arguments.By]++
		return mcp.TextResult("touched by " + arguments.By), nil
	}))
	streamable := mcphttp.NewHandler(m, mcphttp.WithAllowedOrigins(origins...))
	sse := mcphttp.NewSSEHandler(m, mcphttp.WithAllowedOrigins(origins...))
	ws := mcpws.NewHandler(m, mcpws.WithAllowedOrigins(origins...))
	mux := http.NewServeMux()
	tap := spec.NewTap(t).OfServers()
	mux.Handle("/mcp", s.counted(tap.Handler(streamable)))
	mux.Handle("/sse", s.counted(tap.Handler(sse)))
	mux.Handle("/ws", s.counted(tap.WebSocketHandler(ws)))
	mux.Handle("/", s.site)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		for _, h := range []io.Closer{streamable, sse, ws} {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *server) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked++
		s.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

// The expected findings of allowed pages, and of others: those cannot open anything, and the
// requests that they can send without a preflight have no effect.
var (
	welcome = map[string]string{
		"modern": "touched by modern", "legacy": "touched by legacy", "simple": "sent", "sse": "touched by sse", "websocket": "touched by websocket",
	}
	barred = map[string]string{
		"modern": "blocked: TypeError", "legacy": "blocked: TypeError", "simple": "sent", "sse": "no stream", "websocket": "no socket",
	}
	// A rebound page may read responses, since the browser considers it same-origin. All responses
	// are refusals.
	refused = map[string]string{
		"modern": "status 403", "legacy": "status 403", "simple": "sent", "sse": "no stream", "websocket": "no socket",
	}
)

func TestPagesCallLocalServer(t *testing.T) {
	find(t)
	for _, test := range []struct {
		name string
		page string // the page's host; with the server's own port if own is set
		own  bool
		csp  string
		want map[string]string
	}{
		{name: "allowed origin", page: "app.test", want: welcome},
		{name: "own origin", page: "127.0.0.1", own: true, want: welcome},
		{name: "another origin", page: "evil.test", want: barred},
		{name: "another port of the allowed name", page: "app.test", own: true, want: barred},
		{name: "another loopback origin", page: "127.0.0.1", want: barred},
		{name: "sandboxed page of the allowed origin", page: "app.test", csp: "sandbox allow-scripts", want: barred},
		{name: "rebound name", page: "rebound.test", own: true, want: refused},
	} {
		t.Run(test.name, func(t *testing.T) {
			pages := &site{found: make(chan map[string]string, 1), csp: test.csp}
			elsewhere := httptest.NewServer(pages)
			defer elsewhere.Close()
			s := newServer(t, "http://app.test:"+portOf(t, elsewhere.URL))

			from, port := pages, portOf(t, elsewhere.URL)
			if test.own {
				from, port = s.site, portOf(t, s.URL)
			}
			page := "http://" + net.JoinHostPort(test.page, port)
			target := s.URL
			if test.name == "rebound name" {
				target = page // for the browser it is the page's own server
			}
			got := visit(t, page+"/page?server="+url.QueryEscape(target), from.found)
			if !maps.Equal(got, test.want) {
				t.Errorf("the page found %v\nwant %v", got, test.want)
			}
			s.check(t, test.want)
		})
	}
}

// check compares the requests that the server has received with the expected findings of the page.
func (s *server) check(t *testing.T, found map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := map[string]int{}
	for way, text := range found {
		if text == "touched by "+way {
			want[way] = 1
		}
	}
	if !maps.Equal(s.touched, want) {
		t.Errorf("the tool was called by %v, want %v", s.touched, want)
	}
	if s.asked < len(found) {
		t.Errorf("%d requests have reached the server: the page did not try", s.asked)
	}
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// visit opens a page and returns its findings.
func visit(t *testing.T, page string, tells <-chan map[string]string) map[string]string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	b := open(ctx, t, page)
	defer b.close()
	defer cancel()
	patience := time.NewTimer(time.Minute)
	defer patience.Stop()
	select {
	case found := <-tells:
		return found
	case <-patience.C:
	case <-b.ended:
	}
	cancel()
	<-b.ended
	t.Fatalf("the page tells nothing; Chromium says:\n%s", tail(b.said.String()))
	return nil
}

func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if n := len(lines); n > 20 {
		lines = append([]string{fmt.Sprintf("(%d lines)", n-20)}, lines[n-20:]...)
	}
	return strings.Join(lines, "\n")
}
