package mounted

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/examples/bookstore"
	"github.com/mcpgen/mcpgen/runtime/adapter/gosdk"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// revisions are the revisions that the SDK's client can request.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern}

const modern = "2026-07-28"

// check contains the methods of *testing.T that a feature's test uses.
type check interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
	Context() context.Context
}

// shop is a bookstore with one client of the SDK.
type shop struct {
	store    *bookstore.Store
	revision string
	log      *lines
	// connect connects another client. If the transport supports it, the contexts of calls contain
	// the values of ctx.
	connect func(t check, ctx context.Context, o *sdk.ClientOptions) *sdk.ClientSession
}

// way is a connection of a client to the bookstore.
type way struct {
	name    string
	mounted bool
	http    bool
}

var ways = []way{
	{name: "alone", mounted: false},
	{name: "alone over HTTP", http: true},
	{name: "mounted", mounted: true},
	{name: "mounted over HTTP", mounted: true, http: true},
}

// open opens a shop. The contexts of its calls contain the values of ctx.
func (w way) open(t check, revision string) *shop {
	t.Helper()
	store, closeStore, err := bookstore.OpenMemory(t.Context())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(closeStore)
	s := &shop{store: store, revision: revision, log: new(lines)}
	log := mcp.WithLogger(slog.New(slog.NewTextHandler(s.log, nil)))
	var serve func(ctx context.Context) (sdk.Transport, func())
	if w.mounted {
		serve = s.mount(t, w.http, log)
	} else {
		serve = s.alone(t, w.http, log)
	}
	s.connect = func(t check, ctx context.Context, o *sdk.ClientOptions) *sdk.ClientSession {
		t.Helper()
		transport, end := serve(ctx)
		c := sdk.NewClient(&sdk.Implementation{Name: "mounted", Version: "1"}, o)
		session, err := c.Connect(context.WithoutCancel(ctx), transport, &sdk.ClientSessionOptions{ProtocolVersion: s.revision})
		if err != nil {
			t.Fatalf("connect: %v", err)
		}
		t.Cleanup(func() {
			_ = session.Close()
			end()
		})
		return session
	}
	return s
}

// alone serves the bookstore with mcpgen's server.
func (s *shop) alone(t check, overHTTP bool, options ...mcp.Option) func(context.Context) (sdk.Transport, func()) {
	server := bookstore.NewServer(s.store, options...)
	if overHTTP {
		return s.httpTransport(t, mcphttp.NewHandler(server))
	}
	return func(ctx context.Context) (sdk.Transport, func()) {
		in, w := io.Pipe()
		r, out := io.Pipe()
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Serve(context.WithoutCancel(ctx), jsonrpc.NewLineConn(in, out, 0))
			_ = out.Close()
		}()
		return &sdk.IOTransport{Reader: r, Writer: w}, func() { <-served }
	}
}

// mount serves the bookstore with an SDK server.
func (s *shop) mount(t check, overHTTP bool, options ...mcp.Option) func(context.Context) (sdk.Transport, func()) {
	server := sdk.NewServer(&sdk.Implementation{Name: "host", Version: "1"}, gosdk.Subscribable(nil))
	unmount, err := gosdk.Mount(server, func(r mcp.Registrar) {
		bookstore.RegisterMCP(r, s.store)
		s.store.Watch(func(id int64) {
			r.(*mcp.Server).ResourceUpdated(mcp.ExpandURI("books://{id}", "id", strconv.FormatInt(id, 10)))
		})
	}, options...)
	if err != nil {
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(unmount)
	if overHTTP {
		get := func(*http.Request) *sdk.Server { return server }
		sessions, stateless := sdk.NewStreamableHTTPHandler(get, nil), sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
		return s.httpTransport(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Protocol-Version") == modern {
				stateless.ServeHTTP(w, r)
			} else {
				sessions.ServeHTTP(w, r)
			}
		}))
	}
	return func(ctx context.Context) (sdk.Transport, func()) {
		near, far := sdk.NewInMemoryTransports()
		session, err := server.Connect(context.WithoutCancel(ctx), far, nil)
		if err != nil {
			t.Fatalf("serve: %v", err)
		}
		return near, func() { _ = session.Wait() }
	}
}

// httpTransport serves a handler. The caller of a request comes from the context in which its
// client has connected.
func (s *shop) httpTransport(t check, h http.Handler) func(context.Context) (sdk.Transport, func()) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := r.Header.Get("X-Caller"); name != "" {
			r = r.WithContext(bookstore.WithCaller(r.Context(), bookstore.Caller{Name: name}))
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return func(ctx context.Context) (sdk.Transport, func()) {
		caller, _ := bookstore.CallerFrom(ctx)
		return &sdk.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: named(caller.Name)}}, func() {}
	}
}

// named sends the name of a caller with each request.
type named string

func (n named) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Caller", string(n))
	return http.DefaultTransport.RoundTrip(r)
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text []byte
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b...)
	return len(b), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// recorder is a check that expects failures.
type recorder struct {
	t        *testing.T
	failures []string
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return r.t.Context() }
func (r *recorder) Cleanup(f func())         { r.t.Cleanup(f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failing runs a test that must fail, and returns the reasons.
func failing(t *testing.T, test func(check)) []string {
	r := &recorder{t: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		test(r)
	}()
	<-ended
	return r.failures
}
