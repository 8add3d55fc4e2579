package faultconn_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

var (
	seeds = flag.Int("seeds", 20, "how many seeds each transport is tried with, for each kind of faults")
	first = flag.Uint64("seed", 0, "the first seed")
)

// faultKind is a kind of fault. If it does not break connections, every request is answered.
type faultKind struct {
	name     string
	survives bool
	costs    int // relative to the others
	plan     func(r *rand.Rand) faultconn.Plan
	limits   mcp.Limits
}

var pieces = []int{0, 1, 7, 100, 4096}

// rarely returns a probability from 1 in 10 to 1 in 10,000.
func rarely(r *rand.Rand) float64 { return math.Pow(10, -1-3*r.Float64()) }

var faultKinds = []faultKind{
	{"rough", true, 10, func(r *rand.Rand) faultconn.Plan {
		return faultconn.Plan{Piece: pieces[r.IntN(len(pieces))], Stall: 0.02, StallTime: time.Second}
	}, mcp.Limits{WriteTime: 24 * time.Hour}},
	{"write errors", false, 1, func(r *rand.Rand) faultconn.Plan {
		return faultconn.Plan{Piece: pieces[r.IntN(len(pieces))], Stall: 0.01, StallTime: time.Second, WriteError: rarely(r)}
	}, mcp.Limits{}},
	{"resets", false, 1, func(r *rand.Rand) faultconn.Plan {
		return faultconn.Plan{Piece: pieces[r.IntN(len(pieces))], Stall: 0.01, StallTime: time.Second, Reset: rarely(r)}
	}, mcp.Limits{}},
	{"long stalls", false, 1, func(r *rand.Rand) faultconn.Plan {
		return faultconn.Plan{Piece: 4096, Stall: rarely(r), StallTime: 1000 * time.Hour}
	}, mcp.Limits{WriteTime: 5 * time.Second}},
}

// dialer connects to a server; stop stops the server and waits for its end.
type dialer func(t *testing.T, s *mcp.Server, l *faultconn.Listener, survives bool) (dial func() (jsonrpc.Conn, error), stop func())

var transports = map[string]dialer{
	"stdio": func(_ *testing.T, s *mcp.Server, l *faultconn.Listener, _ bool) (func() (jsonrpc.Conn, error), func()) {
		ctx, cancel := context.WithCancel(context.Background())
		var served sync.WaitGroup
		served.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				served.Go(func() { _ = s.Serve(ctx, jsonrpc.NewLineConn(c, c, messageBytes)) })
			}
		})
		return lines(l), func() {
			cancel()
			l.Close()
			served.Wait()
		}
	},
	"mcpnet": func(t *testing.T, s *mcp.Server, l *faultconn.Listener, _ bool) (func() (jsonrpc.Conn, error), func()) {
		ctx, cancel := context.WithCancel(context.Background())
		var served sync.WaitGroup
		served.Go(func() {
			if err := mcpnet.Serve(ctx, s, l); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
		return lines(l), func() {
			cancel()
			served.Wait()
		}
	},
	"mcpws": func(t *testing.T, s *mcp.Server, l *faultconn.Listener, survives bool) (func() (jsonrpc.Conn, error), func()) {
		var options []mcpws.Option
		if survives {
			// The client's library gives up if it cannot answer a ping within five seconds because
			// it is writing.
			options = append(options, mcpws.WithPing(0))
		}
		handler := mcpws.NewHandler(s, options...)
		web := &http.Server{Handler: handler, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
		var served sync.WaitGroup
		served.Go(func() { _ = web.Serve(l) })
		transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }}
		dial := func() (jsonrpc.Conn, error) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			defer cancel()
			c, _, err := websocket.Dial(ctx, "ws://127.0.0.1:8080", &websocket.DialOptions{
				Subprotocols: []string{"mcp"}, HTTPClient: &http.Client{Transport: transport},
			})
			if err != nil {
				return nil, err
			}
			c.SetReadLimit(-1)
			return &frames{c}, nil
		}
		return dial, func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := handler.Shutdown(ctx); err != nil {
				t.Errorf("Shutdown: %v", err)
			}
			web.Close()
			served.Wait()
			transport.CloseIdleConnections()
		}
	},
}

func lines(l *faultconn.Listener) func() (jsonrpc.Conn, error) {
	return func() (jsonrpc.Conn, error) {
		c, err := l.Dial(context.Background())
		if err != nil {
			return nil, err
		}
		return jsonrpc.NewLineConn(c, c, 1<<20), nil
	}
}

// frames is the client's side of a WebSocket.
type frames struct{ ws *websocket.Conn }

func (f *frames) Read() ([]byte, error) {
	_, data, err := f.ws.Read(context.Background())
	return data, err
}

func (f *frames) Write(batch []byte) error {
	return f.ws.Write(context.Background(), websocket.MessageText, batch[:len(batch)-1])
}

func (f *frames) Close() error { return f.ws.CloseNow() }

const messageBytes = 8 << 10

// server returns a server with tools that answer at once, later, with several messages, never, and
// with a panic.
func server(limits mcp.Limits) *mcp.Server {
	limits.MessageBytes = messageBytes
	limits.ProgressRate, limits.LogRate = 1<<20, 1<<20 // so that many messages are sent
	s := mcp.NewServer(mcp.ServerInfo{Name: "chaos", Version: "1"}, mcp.WithLimits(limits), mcp.WithLogger(slog.New(slog.DiscardHandler)))
	tool := func(name string, f func(ctx context.Context, args json.RawMessage) error) {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name}, func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			if err := f(ctx, args); err != nil {
				return nil, err
			}
			return &mcp.ToolResult{Structured: args}, nil
		}))
	}
	tool("echo", func(context.Context, json.RawMessage) error { return nil })
	tool("nap", func(ctx context.Context, _ json.RawMessage) error {
		select {
		case <-time.After(time.Duration(rand.IntN(3000)) * time.Millisecond):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	tool("report", func(ctx context.Context, _ json.RawMessage) error {
		for i := range 5 {
			mcp.Progress(ctx, float64(i+1), 5, "getting on")
		}
		return nil
	})
	tool("block", func(ctx context.Context, _ json.RawMessage) error {
		<-ctx.Done()
		return context.Cause(ctx)
	})
	tool("panic", func(context.Context, json.RawMessage) error { panic("chaos") })
	return s
}

// session contains the requests of one client, and their replies.
type session struct {
	t           *testing.T
	name        string
	conn        jsonrpc.Conn
	tap         *spec.Conversation
	random      *rand.Rand
	survives    bool
	marks       map[string]string // a text that the reply to a request must contain
	cancelled   map[string]bool
	malformed   int // messages whose replies have no id
	closesAfter int // the client closes after that many messages, if the connection does not survive

	mu       sync.Mutex
	answered map[string]int
	refused  int
	complete chan struct{} // closed when all replies have arrived
	err      error
}

const messages = 40

func newSession(t *testing.T, name string, conn jsonrpc.Conn, r *rand.Rand, survives bool) *session {
	c := &session{
		t: t, name: name, conn: conn, tap: spec.NewTap(t).Conversation(), random: r, survives: survives, closesAfter: messages,
		marks: map[string]string{}, cancelled: map[string]bool{}, answered: map[string]int{}, complete: make(chan struct{}),
	}
	if !survives && r.IntN(3) == 0 {
		c.closesAfter = r.IntN(messages)
	}
	return c
}

const meta = `"_meta":{"progressToken":%d,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// script returns the messages to send, in order.
func (c *session) script() []string {
	var script []string
	var open []int
	for id := 1; id <= messages; id++ {
		key := fmt.Sprint(id)
		mark := fmt.Sprintf("mark %s %d", c.name, id)
		call := func(tool string) {
			c.marks[key] = mark
			if tool == "panic" {
				c.marks[key] = "reference"
			}
			script = append(script, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"x":"%s%s"},`+meta+`}}`,
				id, tool, mark, strings.Repeat("y", c.random.IntN(1<<c.random.IntN(12))), id))
		}
		switch c.random.IntN(12) {
		case 0, 1, 2, 3:
			call("echo")
		case 4, 5:
			call("nap")
		case 6:
			call("report")
		case 7:
			call("panic")
		case 8:
			call("block")
			open = append(open, id)
		case 9:
			c.marks[key] = `"result":{}`
			script = append(script, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		case 10:
			c.malformed++
			script = append(script, spec.Invalid(`{"jsonrpc":"2.0",`))
		case 11:
			c.malformed++
			script = append(script, spec.Invalid(`"`+strings.Repeat("x", messageBytes)+`"`))
		}
		if c.random.IntN(8) == 0 && id > 1 {
			open = append(open, 1+c.random.IntN(id-1)) // of any kind
		}
		if len(open) > 0 && c.random.IntN(3) == 0 || id == messages {
			for _, id := range open {
				c.cancelled[fmt.Sprint(id)] = true
				script = append(script, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
			}
			open = nil
		}
	}
	return script
}

// run sends all messages, receives all replies, and closes the connection.
func (c *session) run() {
	script := c.script()
	var listening sync.WaitGroup
	listening.Go(c.listen)
	var failed error
	for i, m := range script {
		if i == c.closesAfter && !c.survives {
			break
		}
		c.tap.Client(m)
		if failed = c.conn.Write([]byte(m + "\n")); failed != nil {
			break
		}
		if c.random.IntN(10) == 0 {
			time.Sleep(time.Duration(c.random.IntN(500)) * time.Millisecond)
		}
	}
	if c.survives {
		select {
		case <-c.complete:
		case <-time.After(12 * time.Hour):
		}
	} else if failed == nil && c.random.IntN(2) == 0 {
		time.Sleep(20 * time.Minute)
	}
	c.conn.Close()
	listening.Wait()
	c.t.Logf("%s: %d requests, %d replies, end %v", c.name, len(c.marks), len(c.answered), c.err)
	if c.survives {
		c.survived(failed)
	}
}

// listen counts replies until the connection is closed.
func (c *session) listen() {
	for {
		text, err := c.conn.Read()
		if err != nil {
			c.err = err
			return
		}
		m, failure := jsonrpc.Parse(text)
		if failure != nil {
			// The last line may be incomplete.
			if _, err := c.conn.Read(); err == nil || c.survives {
				c.t.Errorf("%s: got %.200q", c.name, text)
			}
			continue
		}
		c.tap.Server(string(text))
		c.receive(&m, text)
	}
}

func (c *session) receive(m *jsonrpc.Message, text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := m.ID.String()
	switch {
	case m.Kind == jsonrpc.Notification:
	case m.Kind != jsonrpc.Response:
		c.t.Errorf("%s: got %.200s", c.name, text)
	case m.ID.IsZero() || id == "null":
		c.refused++
	case c.answered[id] > 0:
		c.t.Errorf("%s: request %s is answered twice: %.200s", c.name, id, text)
	case c.marks[id] == "" || !strings.Contains(string(text), c.marks[id]) && !c.cancelled[id] && c.survives:
		c.t.Errorf("%s: request %s, which expects %s, has the reply %.200s", c.name, id, c.marks[id], text)
	}
	if m.Kind == jsonrpc.Response && !m.ID.IsZero() && id != "null" {
		c.answered[id]++
	}
	if c.done() {
		select {
		case <-c.complete:
		default:
			close(c.complete)
		}
	}
}

// done reports whether all required replies have arrived.
func (c *session) done() bool {
	if c.refused < c.malformed {
		return false
	}
	for id := range c.marks {
		if c.answered[id] == 0 && !c.cancelled[id] {
			return false
		}
	}
	return true
}

// survived checks the replies of a connection that did not break.
func (c *session) survived(failed error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if failed != nil {
		c.t.Errorf("%s: write: %v", c.name, failed)
	}
	if !errors.Is(c.err, net.ErrClosed) && !errors.Is(c.err, io.ErrClosedPipe) && !errors.Is(c.err, io.EOF) {
		c.t.Errorf("%s: read: %v", c.name, c.err)
	}
	if c.refused != c.malformed {
		c.t.Errorf("%s: %d malformed messages are answered %d times", c.name, c.malformed, c.refused)
	}
	for id := range c.marks {
		if c.answered[id] == 0 && !c.cancelled[id] {
			c.t.Errorf("%s: request %s is not answered", c.name, id)
		}
	}
}

// With all faults of connections, nothing hangs and no request is answered twice; without broken
// connections, every request is answered.
func TestChaos(t *testing.T) {
	for name, transport := range transports {
		for _, faults := range faultKinds {
			t.Run(name+"/"+faults.name, func(t *testing.T) {
				for seed := *first; seed < *first+uint64(max(1, *seeds/faults.costs)); seed++ {
					synctest.Test(t, func(t *testing.T) { chaos(t, transport, faults, seed) })
					if t.Failed() {
						t.Fatalf("seed %d", seed)
					}
				}
			})
		}
	}
}

func chaos(t *testing.T, transport dialer, faults faultKind, seed uint64) {
	const clients = 3
	l := faultconn.NewListener(func(n int) faultconn.Plan {
		p := faults.plan(rand.New(rand.NewPCG(seed, uint64(n))))
		p.Seed = seed*clients + uint64(n)
		return p
	})
	s := server(faults.limits)
	dial, stop := transport(t, s, l, faults.survives)
	var talks sync.WaitGroup
	for i := range clients {
		talks.Go(func() {
			conn, err := dial()
			if err != nil {
				if faults.survives {
					t.Errorf("dial: %v", err)
				}
				return
			}
			newSession(t, fmt.Sprint("c", i), conn, rand.New(rand.NewPCG(seed, uint64(100+i))), faults.survives).run()
		})
	}
	talks.Wait()
	started := time.Now()
	stop()
	if d := time.Since(started); d > 2*time.Minute {
		t.Errorf("the end of serving took %v", d)
	}
	time.Sleep(time.Minute) // for handlers that do not return at once
	if used := s.Transport().Memory().Used(); used != 0 {
		t.Errorf("%d bytes are charged at the end", used)
	}
}
