package hardening_test

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// setup configures a site. The zero value is a server with its defaults.
type setup struct {
	limits         mcp.Limits
	server         []mcp.Option
	http           mcphttp.Limits
	register       func(s *site) // further features
	hosts, origins []string
	local          net.Addr                   // local address that the listener reports; nil: the real one
	authentic      bool                       // clients must send their identity
	guard          func(*site) *mcpauth.Guard // authenticates requests; clients are named by their tokens
	connections    int                        // limit of connections of WebSocket and TCP
	stated         bool                       // a header field contains the address of HTTP clients
	plan           func(n int) faultconn.Plan // faults of the n-th connection
	real           bool                       // real sockets, without a bubble
	level          slog.Level                 // of the log; 0: everything
	expected       string                     // log lines that are expected, and left out
}

// site is a server with one transport, and its clients.
type site struct {
	*fixture
	t       *testing.T
	tap     *spec.Conversation // of all clients
	target  target
	setup   setup
	server  *mcp.Server
	log     *testbed.Log // of the server and the transport
	notes   testbed.Log  // log of the net/http server
	net     testbed.Network
	addr    string
	pipes   atomic.Int64 // opened on stdio
	handler closer       // of HTTP and WebSocket
	http    *http.Server // HTTP server in front of it
	ctx     context.Context
	stop    context.CancelCauseFunc
	served  sync.WaitGroup
	clients []*client
	from    atomic.Pointer[net.TCPAddr] // address of later connections; nil: the real one
	stated  string                      // address in the header field of HTTP clients
}

// closer is the common part of the handlers.
type closer interface {
	http.Handler
	Close() error
	Shutdown(context.Context) error
}

var errTestOver = errors.New("the test is over")

func newSite(t *testing.T, v target, c setup) *site {
	t.Helper()
	s := &site{t: t, tap: spec.NewTap(t).Conversation(), target: v, setup: c, log: &testbed.Log{Ignore: c.expected}}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	level := c.level
	if level == 0 {
		level = slog.LevelDebug
	}
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: level}))
	many := mcp.Limits{ProgressRate: math.MaxInt32, LogRate: math.MaxInt32} // so that tests can send many messages
	s.server = mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1"},
		append([]mcp.Option{mcp.WithLogger(logger), mcp.WithLimits(many), mcp.WithLimits(c.limits)}, c.server...)...)
	s.fixture = newFixture(t, s.server)
	if c.register != nil {
		c.register(s)
	}
	switch v.name {
	case stdio, memory:
		return s
	}
	s.listen()
	var guard *mcpauth.Guard
	switch {
	case c.guard != nil:
		guard = c.guard(s)
	case v.guarded:
		guard = nameGuard(s)
	}
	switch v.name {
	case tcp:
		options := []mcpnet.Option{mcpnet.WithLimits(mcpnet.Limits{Connections: c.connections})}
		if c.authentic {
			options = append(options, mcpnet.WithPrincipal(greet))
		}
		s.served.Go(func() {
			if err := mcpnet.Serve(s.ctx, s.server, s.net, options...); err != nil {
				t.Errorf("mcpnet.Serve: %v", err)
			}
		})
		return s
	case webSocket:
		options := []mcpws.Option{mcpws.WithAllowedHosts(c.hosts...), mcpws.WithAllowedOrigins(c.origins...), mcpws.WithLimits(mcpws.Limits{Connections: c.connections})}
		if c.authentic {
			options = append(options, mcpws.WithPrincipal(principalOf))
		}
		if guard != nil {
			options = append(options, mcpws.WithPrincipal(guard.Principal))
		}
		if c.stated {
			options = append(options, mcpws.WithClientAddress(statedAddress))
		}
		s.handler = mcpws.NewHandler(s.server, options...)
	default:
		options := []mcphttp.Option{
			mcphttp.WithAllowedHosts(c.hosts...), mcphttp.WithAllowedOrigins(c.origins...), mcphttp.WithLimits(c.http),
		}
		if c.authentic {
			options = append(options, mcphttp.WithPrincipal(principalOf))
		}
		if guard != nil {
			options = append(options, guard.HTTP()...)
		}
		if c.stated {
			options = append(options, mcphttp.WithClientAddress(statedAddress))
		}
		if v.name == httpSSE {
			s.handler = mcphttp.NewSSEHandler(s.server, options...)
		} else {
			s.handler = mcphttp.NewHandler(s.server, options...)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.handler)
	var root http.Handler = mux
	if guard != nil {
		root = guard.Wrap(mux)
	}
	s.http = &http.Server{Handler: root, ErrorLog: log.New(&s.notes, "", 0)}
	s.served.Go(func() { _ = s.http.Serve(s.net) })
	return s
}

// listen opens the network.
func (s *site) listen() {
	s.t.Helper()
	if s.setup.real {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.t.Fatal(err)
		}
		s.net = &sockets{Listener: l, plan: s.setup.plan}
	} else {
		s.net = faultconn.NewListener(s.setup.plan)
	}
	s.addr = s.net.Addr().String()
	if s.setup.local != nil {
		s.net = testbed.Relocate(s.net, s.setup.local)
	}
	if !s.setup.real {
		s.net = &strangers{s.net, &s.from}
	}
}

// close closes everything, and checks the log of the HTTP server.
func (s *site) close() {
	s.t.Helper()
	for _, c := range s.clients {
		c.vanish()
		c.in.resume()
	}
	s.letGo()
	s.stop(errTestOver)
	if s.handler != nil {
		if err := s.handler.Close(); err != nil {
			s.t.Errorf("close handler: %v", err)
		}
		_ = s.http.Close()
	}
	s.served.Wait()
	for _, c := range s.clients {
		c.in.running.Wait()
	}
	if !s.setup.real {
		time.Sleep(time.Second) // net/http lingers after a request that it has not read to the end
	}
	s.gaveBack()
	if said := s.notes.String(); said != "" {
		s.t.Errorf("the HTTP server complains: %s", said)
	}
}

// settle waits until the site is idle.
func (s *site) settle() {
	if s.setup.real {
		time.Sleep(50 * time.Millisecond)
		return
	}
	synctest.Wait()
}

// logs checks that the log of a transport with its own connections contains the reason why one was
// closed.
func (s *site) logs(reason string) {
	s.t.Helper()
	s.settle()
	if log := s.log.String(); s.target.is(tcp, webSocket) && !strings.Contains(log, reason) {
		s.t.Errorf("the log does not say %q: %s", reason, log)
	}
}

// patience limits the wait of a test in a bubble for a message that must arrive. In real time it is
// longer than a test may take.
const patience = time.Hour

// await receives from c, or fails the test.
func await[T any](s *site, c <-chan T, what string) T {
	s.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case v := <-c:
		return v
	case <-timer.C:
		s.t.Fatalf("there is no %s", what)
		panic("unreachable")
	}
}

// principalOf is an authentication that trusts the field Authorization.
func principalOf(r *http.Request) (mcp.Principal, error) {
	name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer token-of-")
	if !ok {
		return mcp.Principal{}, errors.New("no token")
	}
	return mcp.Principal{ID: name}, nil
}

// credential returns the header field Authorization of a client.
func (s *site) credential(who string) string {
	if s.setup.guard != nil {
		return "Bearer " + who
	}
	return "Bearer token-of-" + who
}

// marked returns the header field X-Test of a client. It is not the token: handlers get the field.
func (s *site) marked(who string) string {
	if s.setup.guard != nil {
		return "guarded"
	}
	return who
}

// statedAddress returns the address that a proxy wrote into a header field.
func statedAddress(r *http.Request) netip.Addr {
	a, _ := netip.ParseAddr(r.Header.Get("X-Client"))
	return a
}

// greet is an authentication for streams: the first line names the principal.
func greet(c net.Conn) (mcp.Principal, error) {
	var name []byte
	for b := make([]byte, 1); ; {
		switch _, err := c.Read(b); {
		case err != nil:
			return mcp.Principal{}, err
		case b[0] == '\n':
			return mcp.Principal{ID: string(name)}, nil
		}
		name = append(name, b[0])
	}
}

// sockets are a real network.
type sockets struct {
	net.Listener
	plan func(n int) faultconn.Plan

	mu sync.Mutex
	n  int
}

func (n *sockets) Dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", n.Addr().String())
}

func (n *sockets) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	if err != nil || n.plan == nil {
		return c, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.n++
	return faultconn.Conn(c, n.plan(n.n-1)), nil
}

// strangers is a listener whose clients have addresses that the test chooses.
type strangers struct {
	testbed.Network
	from *atomic.Pointer[net.TCPAddr]
}

func (s *strangers) Accept() (net.Conn, error) {
	c, err := s.Network.Accept()
	if from := s.from.Load(); err == nil && from != nil {
		return &stranger{c, from}, nil
	}
	return c, err
}

type stranger struct {
	net.Conn
	addr *net.TCPAddr
}

func (s *stranger) RemoteAddr() net.Addr { return s.addr }

// comesFrom sets the address of later connections.
func (s *site) comesFrom(address string) {
	s.from.Store(net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 4711)))
}
