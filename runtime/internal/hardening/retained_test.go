package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// retained is a kind of data that a client can make a server store.
type retained struct {
	kind   string
	each   int    // limit of the bytes of one
	client string // limit for one client
	all    string // limit for all clients
	number int    // number that the test makes
	fill   func(k *keeper, i int) error
}

const endedTask = "task that has ended, with a result of 50 KB"

// kept is the table of docs/decide/security.md.
var kept = []retained{
	{"connection, with `clientInfo` and `capabilities`", 48 << 10,
		"`ClientShare`", "`Connections`, `Memory`", 60, keepConnection},
	{"session of streamable HTTP, with the same", 32 << 10,
		"`ClientShare`", "`Sessions`, `Memory`", 60, keepSession},
	{"subscriptions of a connection or session to resources, by short URIs", 192 << 10,
		"`Subscriptions`", "`Memory`", 6, keepShortSubscriptions},
	{"the same, by long URIs", 384 << 10,
		"`Subscriptions`", "`Memory`", 6, keepLongSubscriptions},
	{"`subscriptions/listen` over HTTP, without resources", 160 << 10,
		"`ClientShare`", "`Listens`, `Streams`, `Memory`", 60, keepListen},
	{"`subscriptions/listen` over a connection, without resources", 96 << 10,
		"`ClientShare`, `InFlight`", "`Listens`, `Memory`", 60, keepListenOfConnection},
	{"call that runs, of a client that has gone, with a message of 50 KB", 192 << 10,
		"`ClientShare`, `InFlight`", "`Calls`, `Memory`", 60, keepCall},
	{"call that waits for the answer to a question, with the same message", 64 << 10,
		"`ClientShare`, `InFlight`", "`Calls`, `Memory`", 40, keepQuestion},
	{"batch of 500 calls that run, with ids of 1 KiB", 5 << 20,
		"`ClientShare`, `InFlight`", "`Calls`, `Memory`", 3, keepBatch},
	{"session of streamable HTTP whose stored events are as many as may be", 1536 << 10,
		"`ClientShare`, `EventBytes`", "`Sessions`, `Memory`", 6, keepEvents},
	{"connection or session, with roots of its client", 64 << 10,
		"`ClientShare`", "`Connections`, `Sessions`, `Memory`", 40, keepRoots},
	{"request state that has been used", 1 << 10,
		"a quarter of all", "131072", 2000, keepUsedState},
	{endedTask, 96 << 10,
		"`mcptask.WithRoom`", "`mcptask.WithRoom`, `Memory`", 20, keepEndedTask},
	{"task that waits for its turn, with arguments of 50 KB", 192 << 10,
		"`Active`, `mcptask.WithRoom`", "`Total`, `mcptask.WithRoom`, `Memory`", 20, keepWaitingTask},
	{"bucket of `mcprate`", 1 << 10,
		"one for each tool and one for all", "10000", 2000, keepBucket},
}

// keeper is a server, and clients that store almost nothing themselves.
type keeper struct {
	server  *mcp.Server
	http    *mcphttp.Handler
	ctx     context.Context
	running sync.WaitGroup
	called  chan struct{}
	leave   chan struct{}
	shared  jsonrpc.Conn // the only connection of its kind
}

func newKeeper(t *testing.T, memory int) *keeper {
	k := &keeper{called: make(chan struct{}, 1000), leave: make(chan struct{})}
	var cancel func()
	k.ctx, cancel = context.WithCancel(context.Background())
	k.server = mcp.NewServer(mcp.ServerInfo{Name: "keeper", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)),
		mcp.WithInterceptors(), mcp.WithLimits(mcp.Limits{
			Memory: memory, DrainTime: time.Millisecond, GraceTime: time.Millisecond, ProgressRate: 10_000, InFlight: 10_000,
		}))
	tool := func(name string, run func(ctx context.Context) error) {
		k.server.Register(mcp.NewTool(mcp.ToolInfo{Name: name}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("done"), run(ctx)
		}))
	}
	tool("stay", func(context.Context) error {
		select {
		case k.called <- struct{}{}:
			<-k.leave
		case <-k.leave:
		}
		return nil
	})
	tool("ask", func(ctx context.Context) error {
		_, err := mcp.ElicitFields(ctx, "Sure?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField}}})
		return err
	})
	tool("done", func(context.Context) error { return nil })
	tool("report", func(ctx context.Context) error {
		for n := range 200 {
			mcp.Progress(ctx, float64(n+1), 0, strings.Repeat("p", 8<<10))
		}
		return nil
	})
	tool("roots", func(ctx context.Context) error {
		_, err := mcp.Roots(ctx)
		return err
	})
	k.server.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "task"}, func(ctx context.Context, a json.RawMessage) (*mcp.ToolResult, error) {
		if len(a) < 100 {
			return mcp.TextResult(strings.Repeat("r", 50_000)), nil
		}
		select {
		case <-k.leave:
		case <-ctx.Done():
		}
		return mcp.TextResult("done"), nil
	}), mcptask.Support{}))
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

// bare is the part of an HTTP server that a handler sees.
type bare struct {
	mu     sync.Mutex
	header http.Header
	status int
	begun  chan struct{} // closed when data is sent
	once   sync.Once
	body   *strings.Builder // nil if it is not needed
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
	if w.body != nil {
		w.body.Write(b)
	}
	return len(b), nil
}

func (w *bare) FlushError() error                { return nil }
func (w *bare) EnableFullDuplex() error          { return nil }
func (w *bare) SetReadDeadline(time.Time) error  { return nil }
func (w *bare) SetWriteDeadline(time.Time) error { return nil }

// body is the body of a request, which is released once it is read.
type body struct{ strings.Reader }

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.Len() == 0 {
		b.Reset("")
	}
	return n, err
}

// post has the handler answer a message of a client, with another address for each number.
func (k *keeper) post(ctx context.Context, w http.ResponseWriter, i int, text string, fields ...string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", &body{*strings.NewReader(text)})
	if err != nil {
		panic(err)
	}
	r.RemoteAddr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1).String()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	setFields(r.Header, fields)
	k.http.ServeHTTP(w, r)
}

// largeClient returns clientInfo and capabilities of the maximal length.
func largeClient(i int) (info, capabilities string) {
	const most = 16<<10 - 20
	capabilities = `{"elicitation":{}}`
	info = fmt.Sprintf(`{"name":"%05d`, i)
	return info + strings.Repeat("n", most-len(info)-len(capabilities)-2) + `"}`, capabilities
}

func opening(i int) string {
	info, capabilities := largeClient(i)
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":` + info + `}}`
}

// largeMeta returns a _meta of the maximal length.
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

// errOverloaded is the refusal of a request that would exceed Limits.Memory.
var errOverloaded = errors.New("overloaded")

// wants returns an error unless a reply contains a text.
func wants(got, want string) error {
	switch {
	case strings.Contains(got, `"reason":"overloaded"`), got == io.EOF.Error(): // the budget does not allow a connection
		return errOverloaded
	case !strings.Contains(got, want):
		return fmt.Errorf("got %.300s, want %s", got, want)
	}
	return nil
}

// wantsStatus returns an error unless the status is the expected one.
func (w *bare) wantsStatus(want int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.status == http.StatusServiceUnavailable:
		return errOverloaded
	case w.status != want:
		return fmt.Errorf("status %d, want %d", w.status, want)
	}
	return nil
}

func keepConnection(k *keeper, i int) error {
	_, err := k.open(i, opening(i))
	return err
}

// open opens a connection, with the given first message.
func (k *keeper) open(i int, opening string) (ask func(text string) string, err error) {
	ask = k.dial(i)
	if err := wants(ask(opening), `"serverInfo"`); err != nil {
		return nil, err
	}
	return ask, k.shared.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
}

func keepSession(k *keeper, i int) error {
	_, err := k.session(i)
	return err
}

// session opens a session of streamable HTTP and returns its id.
func (k *keeper) session(i int) (string, error) {
	w := newBare()
	k.post(k.ctx, w, i, opening(i))
	if err := w.wantsStatus(http.StatusOK); err != nil {
		return "", err
	}
	id := w.header.Get("Mcp-Session-Id")
	w = newBare()
	k.post(k.ctx, w, i, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id: "+id)
	return id, w.wantsStatus(http.StatusAccepted)
}

func subscribeAll(k *keeper, i int, uri func(n int) string) error {
	ask, err := k.open(i, opening(i))
	if err != nil {
		return err
	}
	for n := range 100_000 {
		reply := ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":%q}}`, uri(n)))
		if strings.Contains(reply, "too many subscriptions") {
			return nil
		}
		if err := wants(reply, `"result":{}`); err != nil {
			return err
		}
	}
	return errors.New("there is no end of subscriptions")
}

func keepShortSubscriptions(k *keeper, i int) error {
	return subscribeAll(k, i, func(n int) string { return fmt.Sprintf("item://%d", n) })
}

func keepLongSubscriptions(k *keeper, i int) error {
	return subscribeAll(k, i, func(n int) string { return fmt.Sprintf("item://%d%s", n, strings.Repeat("u", 8000)) })
}

func listenText(i int) string {
	return `{"jsonrpc":"2.0","id":` + largeID(i) + `,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":` + largeMeta(i) + `}}`
}

// begin posts a message in the background, and returns when its response has begun or the request
// is done.
func (k *keeper) begin(ctx context.Context, w *bare, i int, text string, fields ...string) (ended bool) {
	done := make(chan struct{})
	k.running.Go(func() {
		defer close(done)
		k.post(ctx, w, i, text, fields...)
	})
	select {
	case <-w.begun:
		return false
	case <-done:
		return true
	}
}

func keepListen(k *keeper, i int) error {
	w := newBare()
	k.begin(k.ctx, w, i, listenText(i), "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
	return w.wantsStatus(http.StatusOK)
}

func keepListenOfConnection(k *keeper, i int) error {
	if k.shared == nil {
		k.dial(0)
	}
	return wants(ask(k.shared, listenText(i)), "acknowledged")
}

func callText(i int, tool string) string {
	return `{"jsonrpc":"2.0","id":` + largeID(i) + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},"_meta":` + largeMeta(i) + `}}`
}

func keepCall(k *keeper, i int) error {
	ctx, cancel := context.WithCancel(k.ctx)
	defer cancel()
	w := newBare()
	done := make(chan struct{})
	k.running.Go(func() {
		defer close(done)
		k.post(ctx, w, i, callText(i, "stay"), "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: stay")
	})
	select {
	case <-k.called:
		cancel() // and the connection is closed
		<-done
		return nil
	case <-done:
		return w.wantsStatus(http.StatusOK)
	}
}

func keepQuestion(k *keeper, i int) error {
	ask, err := k.open(i, opening(i))
	if err != nil {
		return err
	}
	return wants(ask(callText(i, "ask")), `"method":"elicitation/create"`)
}

// keepBatch sends a batch on a connection, and waits until its calls run, or as many as the budget
// allows. The ping is answered once the batch is read.
func keepBatch(k *keeper, i int) error {
	ask, err := k.open(i, strings.Replace(opening(i), "2025-11-25", "2025-03-26", 1))
	if err != nil {
		return err
	}
	conn := k.shared
	var b strings.Builder
	for n := range 500 {
		b.WriteByte("[,"[min(n, 1)])
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"stay","arguments":{}}}`, largeID(n))
	}
	b.WriteString("]\n")
	if err := conn.Write([]byte(b.String())); err != nil {
		return err
	}
	return wants(ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), `{"jsonrpc":"2.0","id":1,"result":{}}`)
}

func keepEvents(k *keeper, i int) error {
	id, err := k.session(i)
	if err != nil {
		return err
	}
	w := newBare()
	k.post(k.ctx, w, i, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","arguments":{},"_meta":{"progressToken":1}}}`,
		"Mcp-Session-Id: "+id)
	return w.wantsStatus(http.StatusOK)
}

func keepRoots(k *keeper, i int) error {
	ask, err := k.open(i, strings.Replace(opening(i), `{"elicitation":{}}`, `{"roots":{"listChanged":true}}`, 1))
	if err != nil {
		return err
	}
	var question struct {
		ID     json.RawMessage
		Method string
	}
	text := ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots","arguments":{}}}`)
	if err := wants(text, `"roots/list"`); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), &question); err != nil {
		return err
	}
	var b strings.Builder
	for n := range 7 {
		b.WriteByte("[,"[min(n, 1)])
		fmt.Fprintf(&b, `{"uri":"file:///%05d-%d-%s"}`, i, n, strings.Repeat("r", 2000))
	}
	return wants(ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":%s]}}`, question.ID, b.String())), `"done"`)
}

// keepUsedState answers a question of a tool that may run once for an answer.
func keepUsedState(k *keeper, i int) error {
	call := func(more string) (string, error) {
		w := newBare()
		w.body = new(strings.Builder)
		k.post(k.ctx, w, i, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{},"_meta":{`+modernMeta+`}`+more+`}}`,
			"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: ask")
		return w.body.String(), w.wantsStatus(http.StatusOK)
	}
	text, err := call("")
	if err != nil {
		return err
	}
	var asked struct {
		Result struct {
			RequestState  string
			InputRequests map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(text), &asked); err != nil {
		return fmt.Errorf("%w: %.300s", err, text)
	}
	for key := range asked.Result.InputRequests {
		text, err = call(fmt.Sprintf(`,"requestState":%q,"inputResponses":{%q:{"action":"accept","content":{"yes":true}}}`, asked.Result.RequestState, key))
		if err != nil {
			return err
		}
	}
	return wants(text, `"done"`)
}

// task calls the tool task and returns the id of the task.
func (k *keeper) task(i int, arguments string) (id string, err error) {
	reply, err := k.modern(i, "tools/call", "task", `"name":"task","arguments":`+arguments)
	if err != nil {
		return "", err
	}
	if strings.Contains(reply, `"too many tasks"`) {
		return "", errOverloaded
	}
	_, id, _ = strings.Cut(reply, `"taskId":"`)
	id, _, ok := strings.Cut(id, `"`)
	if !ok {
		return "", fmt.Errorf("no task: %.300s", reply)
	}
	return id, nil
}

// modern sends a request of revision 2026-07-28 of a client with tasks, and returns the reply.
func (k *keeper) modern(i int, method, name, members string) (string, error) {
	w := newBare()
	w.body = new(strings.Builder)
	k.post(k.ctx, w, i, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+members+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`,
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: "+method, "Mcp-Name: "+name)
	return w.body.String(), w.wantsStatus(http.StatusOK)
}

// keepEndedTask creates a task and lets it end.
func keepEndedTask(k *keeper, i int) error {
	id, err := k.task(i, `{}`)
	if err != nil {
		return err
	}
	for {
		reply, err := k.modern(i, "tasks/get", id, `"taskId":"`+id+`"`)
		if err != nil || strings.Contains(reply, `"completed"`) {
			return err
		}
		if !strings.Contains(reply, `"working"`) {
			return fmt.Errorf("the task: %.300s", reply)
		}
	}
}

// keepWaitingTask creates a task that waits for a place: earlier tasks have taken all.
func keepWaitingTask(k *keeper, i int) error {
	_, err := k.task(i, `{"a":"`+strings.Repeat("a", 50_000)+`"}`)
	return err
}

// keepBucket makes requests of clients with other addresses each time.
func keepBucket(k *keeper, i int) error {
	if i == 0 {
		limited := mcp.NewServer(mcp.ServerInfo{Name: "limited", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)),
			mcp.WithInterceptors(mcprate.New(mcprate.WithToolLimit("*", rate.Every(time.Hour), 3))))
		limited.Register(mcp.NewTool(mcp.ToolInfo{Name: "done"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("done"), nil
		}))
		_ = k.http.Close()
		k.http = mcphttp.NewHandler(limited)
	}
	w := newBare()
	k.post(k.ctx, w, i, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"done","arguments":{},"_meta":{`+modernMeta+`}}}`,
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: done")
	return w.wantsStatus(http.StatusOK)
}

var updateDocs = flag.Bool("update", false, "write the table of what is kept into docs/decide/security.md")

// TestRetainedTable compares the table in the documentation with this one.
func TestRetainedTable(t *testing.T) {
	const path, begin, end = "../../../docs/decide/security.md", "<!-- what is kept -->\n", "<!-- end of what is kept -->\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/decide/security.md has no place for what is kept")
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
		t.Error("docs/decide/security.md is not current: go test ./runtime/internal/hardening -run TestRetainedTable -update")
	}
}
