package mcphttp_test

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

// endpoint is the URL of the tested handler, on the network in memory.
const endpoint = "http://127.0.0.1:8080/mcp"

// setup configures a testServer. The zero value is a handler with its defaults.
type setup struct {
	server  []mcp.Option
	handler []mcphttp.Option
	sse     bool                            // HTTP+SSE of 2024-11-05 instead of streamable HTTP
	wrap    func(http.Handler) http.Handler // middleware
	local   string                          // address of the listener; default 127.0.0.1:8080
	config  func(*http.Server)
	http2   bool
	noisy   bool                                                     // the HTTP server may log errors
	shared  bool                                                     // two handlers share the sessions, and get the requests in turn
	stores  func(i int, s mcphttp.SessionStore) mcphttp.SessionStore // wraps the store of each handler
}

// closer is common to both handlers.
type closer interface {
	http.Handler
	Close() error
	Shutdown(context.Context) error
}

// allShared makes all tests share sessions.
var allShared = os.Getenv("MCPHTTP_SHARED") != ""

// twoHandlers are two handlers, like replicas behind a load balancer that sends them requests in
// turn.
type twoHandlers struct {
	handlers [2]*mcphttp.Handler
	next     atomic.Uint32
	only     atomic.Int32 // the handler that serves all requests, plus 1; 0 for both in turn
}

func newTwoHandlers(s *mcp.Server, c setup, options []mcphttp.Option) *twoHandlers {
	h := new(twoHandlers)
	store := mcphttp.SessionStore(replicatest.NewSessionStore())
	for i := range h.handlers {
		own := store
		if c.stores != nil {
			own = c.stores(i, store)
		}
		h.handlers[i] = mcphttp.NewHandler(s, append(slices.Clone(options), mcphttp.WithSessionStore(own))...)
	}
	return h
}

// use makes one handler serve the next requests.
func (h *twoHandlers) use(i int) { h.only.Store(int32(i + 1)) }

func (h *twoHandlers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i := h.only.Load() - 1
	if i < 0 {
		i = int32(h.next.Add(1) % 2)
	}
	h.handlers[i].ServeHTTP(w, r)
}

func (h *twoHandlers) Close() error { return errors.Join(h.handlers[0].Close(), h.handlers[1].Close()) }

func (h *twoHandlers) Shutdown(ctx context.Context) error {
	return errors.Join(h.handlers[0].Shutdown(ctx), h.handlers[1].Shutdown(ctx))
}

// testServer is a handler behind a server of net/http, and a client of it, on a network in memory.
// All of it runs in a bubble of synctest: time passes only while all goroutines wait, and all of
// them must have returned at the end.
type testServer struct {
	*fixture
	t          *testing.T
	handler    closer
	replicas   *twoHandlers // the handler, if sessions are shared
	client     *http.Client
	network    *testbed.Pipes
	log        testbed.Log // of the server and the handler
	httpLog    testbed.Log // of the HTTP server
	httpServer *http.Server
	responses  []*response
	secrets    []string // texts that the log must not contain
}

// serve runs f in a bubble with a site.
func serve(t *testing.T, c setup, f func(t *testing.T, s *testServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, c)
		defer s.close(c.noisy)
		f(t, s)
	})
}

// serveBoth runs f over HTTP/1.1 and over HTTP/2.
func serveBoth(t *testing.T, c setup, f func(t *testing.T, s *testServer)) {
	t.Helper()
	for _, http2 := range []bool{false, true} {
		name := "HTTP1"
		if http2 {
			name = "HTTP2"
		}
		t.Run(name, func(t *testing.T) {
			c := c
			c.http2 = http2
			serve(t, c, f)
		})
	}
}

func newTestServer(t *testing.T, c setup) *testServer {
	var local net.Addr
	if c.local != "" {
		local = testbed.Address(c.local)
	}
	s := &testServer{t: t, network: testbed.NewPipes(local)}
	logger := s.log.Logger()
	c.shared = (c.shared || allShared) && !c.sse
	if c.shared {
		pubsub := replicatest.NewPubSub()
		t.Cleanup(pubsub.Close)
		c.server = append([]mcp.Option{mcp.WithStateKeys([]byte("a key of at least thirty-two bytes")), mcp.WithPubSub(pubsub)}, c.server...)
	}
	s.fixture = newFixture(t, append([]mcp.Option{mcp.WithLogger(logger)}, c.server...)...)
	options := c.handler
	if c.sse {
		s.handler = mcphttp.NewSSEHandler(s.Server, options...)
	} else if c.shared {
		s.replicas = newTwoHandlers(s.Server, c, options)
		s.handler = s.replicas
	} else {
		s.handler = mcphttp.NewHandler(s.Server, options...)
	}
	h := spec.NewTap(t).Handler(s.handler)
	if c.wrap != nil {
		h = c.wrap(h)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.Handle("/mcp/", h)
	var protocols http.Protocols
	if c.http2 {
		protocols.SetUnencryptedHTTP2(true)
	} else {
		protocols.SetHTTP1(true)
	}
	s.httpServer = &http.Server{Handler: mux, Protocols: &protocols, ErrorLog: log.New(&s.httpLog, "", 0)}
	if c.config != nil {
		c.config(s.httpServer)
	}
	go func() { _ = s.httpServer.Serve(s.network) }()
	s.client = &http.Client{
		Transport: &http.Transport{
			Protocols: &protocols, DisableCompression: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.network.Dial(ctx) },
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// close closes everything, and checks the logs and the memory budget.
func (s *testServer) close(noisy bool) {
	for _, a := range s.responses {
		a.disconnect()
	}
	s.checkEventIDs()
	s.End()
	if err := s.handler.Close(); err != nil {
		s.t.Errorf("close handler: %v", err)
	}
	s.client.CloseIdleConnections()
	_ = s.httpServer.Close()
	time.Sleep(2 * time.Second) // net/http keeps connections open for a while before it closes them
	for _, secret := range s.secrets {
		if strings.Contains(s.log.String(), secret) {
			s.t.Errorf("the log has the secret %s: %s", secret, &s.log)
		}
	}
	if used := s.memory().Used(); used != 0 {
		s.t.Errorf("%d bytes are charged at the end", used)
	}
	if text := s.httpLog.String(); text != "" && !noisy {
		s.t.Errorf("the HTTP server logs errors: %s", text)
	}
}

// memory returns the memory budget of the server.
func (s *testServer) memory() *membudget.Budget { return s.Server.Transport().Memory() }

// request is an HTTP request. Fields are "Name: value"; "-Name" removes a default field, and
// repeated names are sent repeatedly.
type request struct {
	method string // default POST
	url    string // default endpoint
	body   string
	fields []string
}

func (r request) with(fields ...string) request {
	r.fields = append(slices.Clone(r.fields), fields...)
	return r
}

// invalid marks a message that does not match the schema of its revision.
func (r request) invalid() request { return r.with(spec.InvalidField) }

func (r request) build(ctx context.Context, t *testing.T) *http.Request {
	t.Helper()
	if r.method == "" {
		r.method = http.MethodPost
	}
	if r.url == "" {
		r.url = endpoint
	}
	h := http.Header{}
	switch r.method {
	case http.MethodPost:
		h.Set("Content-Type", "application/json")
		h.Set("Accept", "application/json, text/event-stream")
	case http.MethodGet:
		h.Set("Accept", "text/event-stream")
	}
	host := ""
	given := map[string]bool{}
	for _, f := range r.fields {
		name, value, ok := strings.Cut(f, ":")
		value = strings.TrimPrefix(value, " ")
		name = http.CanonicalHeaderKey(name)
		switch {
		case strings.HasPrefix(f, "-"):
			h.Del(f[1:])
		case !ok:
			t.Fatalf("field %q has no colon", f)
		case name == "Host":
			host = value
		case given[name]:
			h.Add(name, value)
		default:
			h.Set(name, value)
		}
		given[name] = ok
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if r.body == "" {
		req.Body = http.NoBody
	}
	req.Header = h
	if host != "" {
		req.Host = host
	}
	return req
}

// start sends a request and reads the response concurrently.
func (s *testServer) start(r request) *response {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req := r.build(ctx, s.t)
	a := &response{t: s.t, request: r, cancel: cancel, done: make(chan struct{})}
	s.responses = append(s.responses, a)
	go a.read(s.client, req)
	return a
}

// do sends a request and waits for the end of the response.
func (s *testServer) do(r request) *response {
	s.t.Helper()
	a := s.start(r)
	a.wait()
	return a
}
