package hardening_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
)

// retained is something that a client can make a server keep.
type retained struct {
	kind   string
	each   int    // bytes of one, at the most
	client string // what bounds those of one client
	all    string // what bounds those of all
	number int    // that the test makes
	fill   func(t *testing.T, k *keeper, i int)
}

// kept is the table of docs/security.md.
var kept = []retained{
	{"connection, with `clientInfo` and `capabilities`", 48 << 10,
		"`WithConnectionsPerClient`", "`WithConnections`, `Memory`", 200, keepConnection},
	{"session of streamable HTTP, with the same", 32 << 10,
		"`SessionsPerClient`", "`Sessions`, `Memory`", 200, keepSession},
	{"subscriptions of a connection or session to resources, by short URIs", 192 << 10,
		"`Subscriptions`, `SubscriptionBytes`", "`Memory`", 20, keepShortSubscriptions},
	{"the same, by long URIs", 384 << 10,
		"`Subscriptions`, `SubscriptionBytes`", "`Memory`", 20, keepLongSubscriptions},
	{"`subscriptions/listen` over HTTP, without resources", 160 << 10,
		"`ListensPerClient`, `StreamsPerClient`", "`Listens`, `Streams`, `Memory`", 200, keepListen},
	{"`subscriptions/listen` over a connection, without resources", 96 << 10,
		"`ListensPerClient`, `InFlight`", "`Listens`, `Memory`", 200, keepListenOfConnection},
	{"call that runs, of a client that has gone, with a message of 50 KB", 192 << 10,
		"`CallsPerClient`, `InFlight`", "`Calls`, `Memory`", 200, keepCall},
	{"bucket of `mcprate`", 1 << 10,
		"one for each tool and one for all", "`mcprate.Keep`", 5000, keepBucket},
}

// keeper is a server, and clients that hold next to nothing themselves.
type keeper struct {
	server  *mcp.Server
	http    *mcphttp.Handler
	ctx     context.Context
	running sync.WaitGroup
	called  chan struct{}
	leave   chan struct{}
	shared  jsonrpc.Conn // a connection of which there is one
}

func newKeeper(t *testing.T) *keeper {
	k := &keeper{called: make(chan struct{}, 1000), leave: make(chan struct{})}
	var cancel func()
	k.ctx, cancel = context.WithCancel(context.Background())
	k.server = mcp.NewServer(mcp.Info{Name: "keeper", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)),
		mcp.WithInterceptors(), mcp.WithLimits(mcp.Limits{DrainTime: time.Millisecond, GraceTime: time.Millisecond}))
	k.server.Register(mcp.NewTool(mcp.ToolInfo{Name: "stay"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		k.called <- struct{}{}
		<-k.leave
		return mcp.TextResult("gone"), nil
	}))
	k.server.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "item://{key}", Name: "item"}, nil))
	k.http = mcphttp.NewHandler(k.server)
	t.Cleanup(func() {
		close(k.leave)
		cancel()
		_ = k.http.Close()
		k.running.Wait()
	})
	return k
}

// bare is what an HTTP server gives to a handler, with nothing behind it.
type bare struct {
	mu     sync.Mutex
	header http.Header
	status int
	begun  chan struct{} // closed when something is sent
	once   sync.Once
}

func newBare() *bare { return &bare{header: http.Header{}, begun: make(chan struct{})} }

func (w *bare) Header() http.Header { return w.header }

func (w *bare) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = status
}

func (w *bare) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.begun) })
	return len(b), nil
}

func (w *bare) FlushError() error                { return nil }
func (w *bare) EnableFullDuplex() error          { return nil }
func (w *bare) SetReadDeadline(time.Time) error  { return nil }
func (w *bare) SetWriteDeadline(time.Time) error { return nil }

// post has the handler answer a message of a client at another address for each number.
func (k *keeper) post(ctx context.Context, w http.ResponseWriter, i int, text string, fields ...string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	r.RemoteAddr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1).String()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	setFields(r.Header, fields)
	k.http.ServeHTTP(w, r)
}

// largeClient is clientInfo and capabilities as long as they may be.
func largeClient(i int) (info, capabilities string) {
	const most = 16 << 10
	capabilities = `{"elicitation":{}}`
	info = fmt.Sprintf(`{"name":"%05d`, i)
	return info + strings.Repeat("n", most-len(info)-len(capabilities)-2) + `"}`, capabilities
}

func opening(i int) string {
	info, capabilities := largeClient(i)
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":` + info + `}}`
}

// largeMeta is a _meta as long as it may be.
func largeMeta(i int) string {
	info, capabilities := largeClient(i)
	meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` + info +
		`,"io.modelcontextprotocol/clientCapabilities":` + capabilities + `,"com.example/x":"`
	return meta + strings.Repeat("m", 32<<10-len(meta)-2) + `"}`
}

func largeID(i int) string { return fmt.Sprintf(`"%05d%s"`, i, strings.Repeat("i", jsonrpc.MaxID-5)) }

// dial opens a connection in memory whose client reads one message for each that it sends.
func (k *keeper) dial(i int) func(text string) string {
	ctx := mcp.AddressContext(k.ctx, netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}))
	conn, wait := k.server.Connect(ctx)
	k.running.Go(func() { _ = wait() })
	k.shared = conn
	return func(text string) string { return ask(conn, text) }
}

func ask(conn jsonrpc.Conn, text string) string {
	_ = conn.Write([]byte(text + "\n"))
	reply, err := conn.Read()
	if err != nil {
		return err.Error()
	}
	return string(reply)
}

func wants(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Fatalf("heard %.300s, want %s", got, want)
	}
}

func keepConnection(t *testing.T, k *keeper, i int) {
	wants(t, k.dial(i)(opening(i)), `"serverInfo"`)
}

func keepSession(t *testing.T, k *keeper, i int) {
	w := newBare()
	k.post(k.ctx, w, i, opening(i))
	if w.status != http.StatusOK {
		t.Fatalf("status %d", w.status)
	}
}

func subscribeAll(t *testing.T, k *keeper, i int, uri func(n int) string) {
	ask := k.dial(i)
	wants(t, ask(opening(i)), `"serverInfo"`)
	for n := range 100_000 {
		reply := ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":%q}}`, uri(n)))
		if strings.Contains(reply, "too many subscriptions") {
			return
		}
		wants(t, reply, `"result":{}`)
	}
	t.Fatal("there is no end of subscriptions")
}

func keepShortSubscriptions(t *testing.T, k *keeper, i int) {
	subscribeAll(t, k, i, func(n int) string { return fmt.Sprintf("item://%d", n) })
}

func keepLongSubscriptions(t *testing.T, k *keeper, i int) {
	subscribeAll(t, k, i, func(n int) string { return fmt.Sprintf("item://%d%s", n, strings.Repeat("u", 8000)) })
}

func listenText(i int) string {
	return `{"jsonrpc":"2.0","id":` + largeID(i) + `,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":` + largeMeta(i) + `}}`
}

func keepListen(t *testing.T, k *keeper, i int) {
	w := newBare()
	ended := make(chan struct{})
	k.running.Go(func() {
		defer close(ended)
		k.post(k.ctx, w, i, listenText(i), "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
	})
	select {
	case <-w.begun:
	case <-ended:
		t.Fatalf("status %d", w.status)
	}
}

func keepListenOfConnection(t *testing.T, k *keeper, i int) {
	if k.shared == nil {
		k.dial(0)
	}
	wants(t, ask(k.shared, listenText(i)), "acknowledged")
}

func keepCall(t *testing.T, k *keeper, i int) {
	ctx, cancel := context.WithCancel(k.ctx)
	defer cancel()
	text := `{"jsonrpc":"2.0","id":` + largeID(i) + `,"method":"tools/call","params":{"name":"stay","arguments":{},"_meta":` + largeMeta(i) + `}}`
	done := make(chan struct{})
	k.running.Go(func() {
		defer close(done)
		k.post(ctx, newBare(), i, text, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: stay")
	})
	<-k.called
	cancel() // and the connection has gone
	<-done
}

// keepBucket is asked with clients of other addresses each time.
func keepBucket(t *testing.T, k *keeper, i int) {
	if i == 0 {
		limited := mcp.NewServer(mcp.Info{Name: "limited", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)),
			mcp.WithInterceptors(mcprate.New(mcprate.Tool("*", rate.Every(time.Hour), 3))))
		limited.Register(mcp.NewTool(mcp.ToolInfo{Name: "done"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("done"), nil
		}))
		_ = k.http.Close()
		k.http = mcphttp.NewHandler(limited)
	}
	w := newBare()
	k.post(k.ctx, w, i, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"done","arguments":{},"_meta":{`+modernMeta+`}}}`,
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: done")
	if w.status != http.StatusOK {
		t.Fatalf("status %d", w.status)
	}
}

// keptHeap is what the heap holds that is not garbage, nor in pools.
func keptHeap() uint64 {
	for range 3 {
		runtime.GC()
	}
	return heap()
}

// TestRetained makes a server keep as many of each kind as clients can, with everything
// as long as it may be, and measures what each takes.
func TestRetained(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes memory")
	}
	for _, r := range kept {
		t.Run(r.kind, func(t *testing.T) {
			k := newKeeper(t)
			few := max(2, r.number/20)
			for i := range few { // pools and tables
				r.fill(t, k, i)
			}
			before := keptHeap()
			for i := range r.number {
				r.fill(t, k, few+i)
			}
			each := (int64(keptHeap()) - int64(before)) / int64(r.number)
			if each > int64(r.each) {
				t.Errorf("each takes %d bytes, and at most %d are documented", each, r.each)
			}
			if 8*each < int64(r.each) {
				t.Errorf("each takes %d bytes, far less than the %d that are documented", each, r.each)
			}
			t.Logf("%d bytes each", each)
		})
	}
}

var updateDocs = flag.Bool("update", false, "write the table of what is kept into docs/security.md")

// TestRetainedTable compares the table in the documentation with this one.
func TestRetainedTable(t *testing.T) {
	const path, begin, end = "../../../docs/security.md", "<!-- what is kept -->\n", "<!-- end of what is kept -->\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/security.md has no place for what is kept")
	}
	var b strings.Builder
	io.WriteString(&b, "| kept | bytes of one | of one client | of all |\n|---|---|---|---|\n")
	for _, r := range kept {
		fmt.Fprintf(&b, "| %s | %d KiB | %s | %s |\n", r.kind, r.each>>10, r.client, r.all)
	}
	want := before + begin + b.String() + end + after
	if *updateDocs {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Error("docs/security.md is not current: go test ./runtime/internal/hardening -run TestRetainedTable -update")
	}
}
