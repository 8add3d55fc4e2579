package mcphttp_test

import (
	"bytes"
	"context"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// endpoint is the URL of what is tested. Nothing listens there: the network is one
// in memory.
const endpoint = "http://127.0.0.1:8080/mcp"

// setup says how a site is made. The zero value is a handler with its defaults.
type setup struct {
	server  []mcp.Option
	handler []mcphttp.Option
	sse     bool                            // HTTP+SSE of 2024-11-05 in the place of streamable HTTP
	wrap    func(http.Handler) http.Handler // middleware
	local   string                          // address of the listener; default 127.0.0.1:8080
	config  func(*http.Server)
	http2   bool
	noisy   bool // the HTTP server may complain
}

// closer is what both handlers have.
type closer interface {
	http.Handler
	Close() error
	Shutdown(context.Context) error
}

// site is a handler behind a server of net/http, and a client of it, on a network
// in memory. All of it lives in a bubble of synctest: time passes only while
// everybody waits, and nobody can be forgotten.
type site struct {
	*fixture
	t       *testing.T
	handler closer
	client  *http.Client
	net     *network
	log     *journal // of the server and the handler
	http    *http.Server
	answers []*answer
	secrets []string // that must not be in the log
}

// visit runs f in a bubble with a site.
func visit(t *testing.T, c setup, f func(t *testing.T, s *site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, c)
		defer s.close(c.noisy)
		f(t, s)
	})
}

// overBoth runs f over HTTP/1.1 and over HTTP/2.
func overBoth(t *testing.T, c setup, f func(t *testing.T, s *site)) {
	t.Helper()
	for _, http2 := range []bool{false, true} {
		name := "HTTP1"
		if http2 {
			name = "HTTP2"
		}
		t.Run(name, func(t *testing.T) {
			c := c
			c.http2 = http2
			visit(t, c, f)
		})
	}
}

func newSite(t *testing.T, c setup) *site {
	s := &site{t: t, log: &journal{}, net: newNetwork(c.local)}
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.fixture = newFixture(t, append([]mcp.Option{mcp.WithLogger(logger)}, c.server...)...)
	options := append([]mcphttp.Option{mcphttp.WithLogger(logger)}, c.handler...)
	if c.sse {
		s.handler = mcphttp.NewSSEHandler(s.Server, options...)
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
	s.http = &http.Server{Handler: mux, Protocols: &protocols, ErrorLog: log.New(&s.net.complaints, "", 0)}
	if c.config != nil {
		c.config(s.http)
	}
	go func() { _ = s.http.Serve(s.net) }()
	s.client = &http.Client{
		Transport: &http.Transport{
			Protocols: &protocols, DisableCompression: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.net.dial(ctx) },
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// close ends everything, and looks at what the HTTP server had to complain of.
func (s *site) close(noisy bool) {
	for _, a := range s.answers {
		a.vanish()
	}
	s.distinctEvents()
	s.letGo()
	if err := s.handler.Close(); err != nil {
		s.t.Errorf("close handler: %v", err)
	}
	s.client.CloseIdleConnections()
	_ = s.http.Close()
	time.Sleep(2 * time.Second) // net/http lingers on connections that it closes
	for _, secret := range s.secrets {
		if strings.Contains(s.log.String(), secret) {
			s.t.Errorf("the log has the secret %s: %s", secret, s.log)
		}
	}
	if used := s.memory().Used(); used != 0 {
		s.t.Errorf("%d bytes are charged at the end", used)
	}
	if said := s.net.complaints.String(); said != "" && !noisy {
		s.t.Errorf("the HTTP server complains: %s", said)
	}
}

// memory is the budget of the server.
func (s *site) memory() *membudget.Budget { return s.Server.Transport().Memory() }

// network is a listener whose connections are pipes. They claim to be TCP
// connections, so that the handler sees where it listens.
type network struct {
	local      net.Addr
	incoming   chan net.Conn
	ended      chan struct{}
	end        sync.Once
	complaints journal // of the HTTP server

	mu    sync.Mutex
	conns []net.Conn // of the clients
}

func newNetwork(local string) *network {
	if local == "" {
		local = "127.0.0.1:8080"
	}
	n := &network{incoming: make(chan net.Conn), ended: make(chan struct{}), local: unixAddr(local)}
	if addr, err := net.ResolveTCPAddr("tcp", local); err == nil {
		n.local = addr
	}
	return n
}

type unixAddr string

func (unixAddr) Network() string  { return "unix" }
func (a unixAddr) String() string { return string(a) }

// end of a connection with addresses of a real one.
type addressed struct {
	net.Conn
	local, remote net.Addr
}

func (c *addressed) LocalAddr() net.Addr  { return c.local }
func (c *addressed) RemoteAddr() net.Addr { return c.remote }

func (n *network) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	peer := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 50000}
	select {
	case n.incoming <- &addressed{far, n.local, peer}:
		n.mu.Lock()
		n.conns = append(n.conns, near)
		n.mu.Unlock()
		return &addressed{near, peer, n.local}, nil
	case <-n.ended:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// cut breaks all connections.
func (n *network) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		_ = c.Close()
	}
	n.conns = nil
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.incoming:
		return c, nil
	case <-n.ended:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	n.end.Do(func() { close(n.ended) })
	return nil
}

func (n *network) Addr() net.Addr { return n.local }

// journal is a log that is written and read at the same time.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// request is an HTTP request. Fields are "Name: value"; "-Name" takes away what
// is sent by default, and a name that is given twice is sent twice.
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

// invalid marks a message that is against the schema of its revision.
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

// start sends a request and reads the answer as it comes.
func (s *site) start(r request) *answer {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req := r.build(ctx, s.t)
	a := &answer{t: s.t, request: r, cancel: cancel, done: make(chan struct{})}
	s.answers = append(s.answers, a)
	go a.read(s.client, req)
	return a
}

// do sends a request and waits for the end of the answer.
func (s *site) do(r request) *answer {
	s.t.Helper()
	a := s.start(r)
	a.wait()
	return a
}

// patience is how long a test waits, in the time of its bubble.
const patience = time.Hour

var errPatience = errors.New("nothing happened for an hour")

// await receives from c, or fails the test.
func await[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("wait for %s: %v", what, errPatience)
		panic("unreachable")
	}
}
