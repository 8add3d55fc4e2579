package hardening_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// soakTimes are the times of a soak of clients: short over real sockets, and the usual ones for
// programs in a bubble.
type soakTimes struct {
	pause  time.Duration // limit of the time between two operations
	uptime time.Duration // of a server, on average
	most   time.Duration // of one call
	exact  bool          // no call may return late, because time is the time of a bubble
	limits mcpclient.Limits
}

var (
	realSoakTimes = soakTimes{
		pause: 50 * time.Millisecond, uptime: time.Second, most: 2 * time.Second,
		limits: mcpclient.Limits{
			ConnectTime: 2 * time.Second, RequestTime: 500 * time.Millisecond, QuestionTime: time.Second,
			WriteTime: 500 * time.Millisecond, CloseTime: 500 * time.Millisecond,
		},
	}
	bubbleSoakTimes = soakTimes{pause: 2 * time.Second, uptime: 2 * time.Minute, most: 10 * time.Minute, exact: true, limits: mcpclient.Limits{
		ConnectTime: 30 * time.Second, RequestTime: time.Minute, QuestionTime: 30 * time.Minute,
		WriteTime: 30 * time.Second, CloseTime: 2 * time.Second,
	}}
)

// errOutage is the error of a handler whose call was cancelled.
var errOutage = errors.New("the call has ended")

// unreliable is a server that restarts, and whose connections stall and break. It is unreachable
// while it restarts, and has lost its sessions afterwards.
type unreliable struct {
	t         *testing.T
	transport string
	era       era
	times     *soakTimes
	endpoint  mcpclient.Target
	network   testbed.Network // nil for processes and memory
	accepting sync.WaitGroup

	mu      sync.Mutex
	current *generation // nil while it is unreachable

	ledgerMu sync.Mutex
	runs     map[string]int
	calls    map[string]soakCall
	file     string // ledger file of processes
}

// generation is the server between two restarts.
type generation struct {
	server *mcp.Server
	feed   *feed
	stop   func()
	served sync.WaitGroup
}

// known is the caller's knowledge about a call that has returned.
type known uint8

const (
	mayHaveRun known = iota
	hasRun
	hasNotRun
)

type soakCall struct {
	twice bool // it may run twice
	known known
	err   error
}

// ledgerVariable names the ledger file of a program.
const ledgerVariable = "HARDENING_LEDGER"

func newUnreliable(t *testing.T, transport string, e era, real bool) *unreliable {
	t.Helper()
	s := &unreliable{t: t, transport: transport, era: e, times: &bubbleSoakTimes, runs: map[string]int{}, calls: map[string]soakCall{}}
	if real {
		s.times = &realSoakTimes
	}
	switch transport {
	case stdio:
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		s.file = filepath.Join(t.TempDir(), "ledger")
		s.endpoint = mcpclient.Command{Path: exe, Env: []string{programVariable + "=unreliable", ledgerVariable + "=" + s.file}}
		return s
	case memory:
		s.endpoint = mcpclient.Dialer("memory "+string(e), s.dialMemory)
		s.start()
		return s
	}
	if real {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s.network = &sockets{Listener: l, plan: soakPlan(10 * time.Second)}
	} else {
		s.network = faultconn.NewListener(soakPlan(10 * time.Minute))
	}
	address := s.network.Addr().String()
	switch {
	case transport == webSocket:
		s.endpoint = mcpws.Endpoint{URL: "ws://" + address + "/mcp"}
	case transport == tcp && real:
		s.endpoint = mcpnet.Endpoint{Network: "tcp", Address: address}
	case transport == tcp:
		s.endpoint = mcpclient.Dialer("tcp", func(ctx context.Context) (jsonrpc.Conn, error) {
			c, err := s.network.Dial(ctx)
			if err != nil {
				return nil, err
			}
			return mcpnet.NewConn(c, 0), nil
		})
	default:
		e := mcphttpclient.Endpoint{URL: "http://" + address + "/mcp"}
		if transport == httpSSE {
			e.SSE = mcphttpclient.SSEOnly
		}
		if !real {
			transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.network.Dial(ctx) }}
			t.Cleanup(transport.CloseIdleConnections)
			e.Client = &http.Client{Transport: transport}
		}
		s.endpoint = e
	}
	s.start()
	s.accepting.Go(s.accept)
	return s
}

// soakPlan returns the faults of each connection: half of them have none.
func soakPlan(stall time.Duration) func(n int) faultconn.Plan {
	return func(n int) faultconn.Plan {
		p := [...]faultconn.Plan{
			{}, {}, {Piece: 300},
			{Piece: 5000, Stall: 0.01, StallTime: stall / 100},
			{Piece: 5000, Reset: 0.004},
			{Piece: 5000, Stall: 0.002, StallTime: stall}, // it vanishes
		}[n%6]
		p.Seed = uint64(n)
		return p
	}
}

// accept passes connections to the server, while it runs.
func (s *unreliable) accept() {
	for {
		c, err := s.network.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		g := s.current
		s.mu.Unlock()
		if g == nil || !g.feed.add(c) {
			_ = c.Close()
		}
	}
}

// dialMemory connects within the process.
func (s *unreliable) dialMemory(ctx context.Context) (jsonrpc.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil, errors.New("not reachable")
	}
	client, server := net.Pipe()
	if !s.current.feed.add(server) {
		return nil, errors.New("not reachable")
	}
	return jsonrpc.NewLineConn(client, client, 0), nil
}

// soakKey is the key of all servers for request states. A restarted server accepts the states of
// the one before: if a client has not sent a state when a connection is lost, it sends the state to
// the next server.
var soakKey = bytes.Repeat([]byte{1}, 32)

// start starts the server anew.
func (s *unreliable) start() {
	g := &generation{server: mcp.NewServer(mcp.ServerInfo{Name: "unreliable", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)), mcp.WithStateKeys(soakKey))}
	g.feed = &feed{conns: make(chan net.Conn, 64), open: map[net.Conn]bool{}, ended: make(chan struct{})}
	run := func(token string) {
		s.ledgerMu.Lock()
		defer s.ledgerMu.Unlock()
		s.runs[token]++
	}
	registerSoak(g.server, run, g.feed.cut, s.times)
	ctx, cancel := context.WithCancelCause(context.Background())
	g.stop = func() { cancel(errTestOver) }
	var handler closer
	switch s.transport {
	case memory, tcp:
		g.served.Go(func() {
			if err := mcpnet.Serve(ctx, g.server, g.feed); err != nil {
				s.t.Errorf("mcpnet.Serve: %v", err)
			}
		})
	case webSocket:
		handler = mcpws.NewHandler(g.server)
	case httpSSE:
		handler = mcphttp.NewSSEHandler(g.server)
	default:
		handler = mcphttp.NewHandler(g.server)
	}
	if handler != nil {
		front := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
		g.served.Go(func() { _ = front.Serve(g.feed) }) // returns after Close
		g.stop = func() {
			cancel(errTestOver)
			_ = handler.Close()
			_ = front.Close()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = g
}

// down stops the server, and breaks all connections.
func (s *unreliable) down() {
	s.mu.Lock()
	g := s.current
	s.current = nil
	s.mu.Unlock()
	if g == nil {
		return
	}
	g.stop()
	g.feed.end()
	g.served.Wait()
}

// restartNowAndThen restarts the server, and breaks connections, until stop is closed.
func (s *unreliable) restartNowAndThen(stop <-chan struct{}, rnd *rand.Rand) {
	if s.transport == stdio {
		return // its programs exit by themselves
	}
	wait := func(d time.Duration) bool {
		select {
		case <-time.After(d):
			return true
		case <-stop:
			return false
		}
	}
	for wait(time.Duration(rnd.Int64N(2 * int64(s.times.uptime)))) {
		if rnd.IntN(2) == 0 {
			s.mu.Lock()
			g := s.current
			s.mu.Unlock()
			g.server.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "a:b", Name: "new"}, "text"))
			g.server.Unregister(mcp.KindResource, "a:b")
			g.feed.cut()
			continue
		}
		s.down()
		goOn := wait(time.Duration(rnd.Int64N(int64(s.times.uptime) / 5)))
		s.start()
		if !goOn {
			return
		}
	}
}

func (s *unreliable) close() {
	s.down()
	if s.network != nil {
		_ = s.network.Close()
		s.accepting.Wait()
	}
}

// note records what the caller knows about a call that has returned, and its error.
func (s *unreliable) note(token string, twice bool, k known, err error) {
	s.ledgerMu.Lock()
	defer s.ledgerMu.Unlock()
	s.calls[token] = soakCall{twice, k, err}
}

// checkLedger compares the callers' knowledge with the calls that have run.
func (s *unreliable) checkLedger() {
	s.ledgerMu.Lock()
	defer s.ledgerMu.Unlock()
	if s.file != "" {
		s.readLedger()
	}
	for token, c := range s.calls {
		switch n := s.runs[token]; {
		case n > 1 && !c.twice:
			s.t.Errorf("%s %s: %s has run %d times; its error is %v", s.transport, s.era, token, n, c.err)
		case n == 0 && c.known == hasRun:
			s.t.Errorf("%s %s: %s has a result, and has not run", s.transport, s.era, token)
		case n > 0 && c.known == hasNotRun:
			s.t.Errorf("%s %s: the error of %s says that it has not run, and it has: %v", s.transport, s.era, token, c.err)
		}
	}
	if len(s.runs) == 0 {
		s.t.Errorf("%s %s: nothing has run", s.transport, s.era)
	}
}

// readLedger reads the calls that processes have run.
func (s *unreliable) readLedger() {
	f, err := os.Open(s.file)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		s.runs[lines.Text()]++
	}
}

// registerSoak adds the tools of the soak: both record the token of a call.
func registerSoak(server *mcp.Server, run func(token string), cut func(), times *soakTimes) {
	for _, name := range []string{"once", "twice"} {
		server.Register(mcp.NewTool(mcp.ToolInfo{Name: name}, soakTool(run, cut, times)))
	}
}

// feed is the listener of one generation.
type feed struct {
	conns chan net.Conn
	ended chan struct{}

	mu   sync.Mutex
	open map[net.Conn]bool
	over bool
}

// add passes a connection on. It returns false if the generation is over.
func (f *feed) add(c net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return false
	}
	select {
	case f.conns <- c:
	default:
		return false // like a listener whose queue is full
	}
	f.open[c] = true
	return true
}

func (f *feed) Accept() (net.Conn, error) {
	select {
	case c := <-f.conns:
		return &fedConn{c, f}, nil
	case <-f.ended:
		return nil, net.ErrClosed
	}
}

// cut breaks some connections.
func (f *feed) cut() {
	f.mu.Lock()
	var some []net.Conn
	for c := range f.open { // in random order
		if some = append(some, c); len(some) > len(f.open)/2 {
			break
		}
	}
	f.mu.Unlock()
	for _, c := range some {
		_ = c.Close()
	}
}

// end breaks all connections.
func (f *feed) end() {
	f.mu.Lock()
	var all []net.Conn
	for c := range f.open {
		all = append(all, c)
	}
	over := f.over
	f.over = true
	f.mu.Unlock()
	if !over {
		close(f.ended)
	}
	for _, c := range all {
		_ = c.Close()
	}
}

func (f *feed) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.over = true
		close(f.ended)
	}
	return nil
}

func (f *feed) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// fedConn is a connection that is registered at its listener while it is open.
type fedConn struct {
	net.Conn
	feed *feed
}

func (c *fedConn) Close() error {
	c.feed.mu.Lock()
	delete(c.feed.open, c.Conn)
	c.feed.mu.Unlock()
	return c.Conn.Close()
}
