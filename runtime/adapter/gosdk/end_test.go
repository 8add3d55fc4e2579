package gosdk

import (
	"bufio"
	"context"
	encoding "encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Ended sessions leave no goroutine and no memory, with each kind of session, with and without a
// running call.
func TestSessionsEnd(t *testing.T) {
	ended := make(chan struct{}, 1)
	hook := mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() { return func() { ended <- struct{}{} } })
	started, stopped := make(chan struct{}), make(chan struct{})
	wait := tool("wait", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
		started <- struct{}{}
		<-ctx.Done()
		stopped <- struct{}{}
		return "", ctx.Err()
	})
	s := mounted(t, []mcp.Option{hook}, echo("echo"), wait)
	h := hostOf(s)
	round := func(revision string) {
		near, far := sdk.NewInMemoryTransports()
		serving, err := s.Connect(context.Background(), far, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "2"}, nil).Connect(context.Background(), near, &sdk.ClientSessionOptions{ProtocolVersion: revision})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "echo", call(t, c, "echo", map[string]any{"a": 1}), `{"a":1}`)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		_ = serving.Wait()
		if revision != modern {
			<-ended
		}
	}
	lost := func(revision string) { // while a call runs
		r := newRaw(t, s)
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		if revision != modern {
			r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
			r.receive()
			r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			meta = `"_meta":{}`
		}
		r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait",` + meta + `}}`)
		<-started
		r.close()
		<-stopped
		if revision != modern {
			<-ended
		}
	}
	allEnded := func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.sessions) == 0
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, revision := range []string{"2025-11-25", modern} {
		for range 10 {
			round(revision)
			lost(revision)
		}
	}
	waitFor(allEnded)
	goroutines, bytes := testbed.Goroutines(), heap()
	const rounds = 100
	for range rounds {
		for _, revision := range []string{"2025-11-25", modern} {
			round(revision)
			lost(revision)
		}
	}
	waitFor(allEnded)
	waitFor(func() bool { return testbed.Goroutines() <= goroutines }) // goroutines inside the SDK end slightly later
	// One session needs about 10 KB.
	if grown := heap() - bytes; grown > rounds*2000 {
		t.Errorf("%d bytes more after %d sessions", grown, 4*rounds)
	}
}

// Removing the features ends running calls.
func TestUnmountDuringCalls(t *testing.T) {
	for _, revision := range []string{"2025-11-25", modern} {
		started := make(chan struct{})
		wait := tool("wait", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
			close(started)
			<-ctx.Done()
			return "", ctx.Err()
		})
		s := newServer()
		unmount, err := Mount(s, registering(wait))
		if err != nil {
			t.Fatal(err)
		}
		c := connect(t, s, revision, nil)
		failed := make(chan error, 1)
		go func() {
			_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "wait"})
			failed <- err
		}()
		<-started
		unmount()
		if err := <-failed; err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: %v", revision, err)
		}
		same(t, "own", call(t, c, "own", map[string]any{}), "mine")
	}
}

// A call that is still running after the end of its mount leaves no part of the mount in the
// session.
func TestNoPartOfAnEndedMount(t *testing.T) {
	s := newServer()
	unmount, err := Mount(s, registering(echo("a")))
	if err != nil {
		t.Fatal(err)
	}
	h := hostOf(s)
	m := h.mounted()[0]
	c := connect(t, s, "2025-11-25", nil)
	same(t, "a", call(t, c, "a", map[string]any{}), "{}")
	unmount()
	for ss := range s.Sessions() {
		if _, err := h.session(ss).in(t.Context(), m, &origin{session: ss}); err == nil {
			t.Error("a session is opened")
		}
		same(t, "parts", len(h.session(ss).parts), 0)
	}
}

// A tool that replaces a mounted one remains when the features are removed.
func TestUnmountLeavesOthers(t *testing.T) {
	s := newServer()
	unmount, err := Mount(s, registering(echo("a"), echo("b")))
	if err != nil {
		t.Fatal(err)
	}
	s.AddTool(&sdk.Tool{Name: "a", InputSchema: encoding.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "replaced"}}}, nil
	})
	unmount()
	c := connect(t, s, modern, nil)
	sameList(t, "tools", toolNames(t, c), "a", "own")
	same(t, "a", call(t, c, "a", map[string]any{}), "replaced")
}

// raw is a client that writes and reads lines.
type raw struct {
	t     *testing.T
	w     io.Writer
	in    *bufio.Scanner
	got   []string
	last  int // of the last request
	close func()
}

func newRaw(t *testing.T, s *sdk.Server) *raw {
	t.Helper()
	in, w := io.Pipe()
	r, out := io.Pipe()
	session, err := s.Connect(context.Background(), &sdk.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		_ = w.Close()
		_ = r.Close()
		_ = session.Wait()
	})
	t.Cleanup(end)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	return &raw{t: t, w: w, in: lines, close: end}
}

func (r *raw) send(line string) {
	r.t.Helper()
	if _, err := fmt.Fprintln(r.w, line); err != nil {
		r.t.Fatal(err)
	}
}

func (r *raw) receive() string {
	r.t.Helper()
	if !r.in.Scan() {
		r.t.Fatal(r.in.Err())
	}
	r.got = append(r.got, r.in.Text())
	return r.in.Text()
}

// Clients other than the SDK's, whatever revision they request in initialize, get questions as
// requests, or an error, and never as a result.
func TestOldClientsGetNoInputRequests(t *testing.T) {
	ask := tool("ask", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
		a, err := mcp.ElicitFields(ctx, "one", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "z"}, {Name: "a"}}})
		return fmt.Sprint(a.Action), err
	})
	s := mounted(t, nil, ask)
	for _, test := range []struct{ version, capabilities, want string }{
		{"2024-11-05", `{"elicitation":{}}`, "isError"},
		{"2025-03-26", `{"elicitation":{}}`, "isError"},
		{"2025-06-18", `{"elicitation":{}}`, "decline"},
		{"2025-11-25", `{"elicitation":{}}`, "decline"},
		{"2025-11-25", `{}`, "isError"},
		{"2024-01-01", `{"elicitation":{}}`, "decline"}, // the server chooses 2025-11-25
		{"2026-07-28", `{"elicitation":{}}`, "isError"}, // the SDK assumes this revision for the client
		{"2029-01-01", `{"elicitation":{}}`, "isError"},
	} {
		r := newRaw(t, s)
		r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + test.version + `","capabilities":` + test.capabilities + `,"clientInfo":{"name":"raw","version":"1"}}}`)
		r.receive()
		r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{}}}`)
		line := r.receive()
		if strings.Contains(line, `"method":"elicitation/create"`) {
			if !strings.Contains(line, `"properties":{"z":{"type":"string"},"a":{"type":"string"}}`) {
				t.Errorf("the order of the fields is lost: %s", line)
			}
			var q struct{ ID encoding.RawMessage }
			if err := encoding.Unmarshal([]byte(line), &q); err != nil {
				t.Fatal(err)
			}
			r.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"decline"}}`)
			line = r.receive()
		}
		if !strings.Contains(line, `"id":2`) || !strings.Contains(line, test.want) {
			t.Errorf("%s %s: %s, want %s", test.version, test.capabilities, line, test.want)
		}
		for _, line := range r.got {
			if strings.Contains(line, `"inputRequests"`) || strings.Contains(line, "input_required") {
				t.Errorf("%s: %s", test.version, line)
			}
		}
	}
}

// Results contain the identity of the SDK's server, and no trace of the inner one.
func TestResultsOfTheSDK(t *testing.T) {
	s := mounted(t, nil, echo("echo"), mcp.NewResource(mcp.ResourceInfo{URI: "a://b", Name: "b", ReadInfo: mcp.ReadInfo{TTL: time.Minute}}, func(context.Context, string) (*mcp.ResourceResult, error) {
		return mcp.TextContents("x"), nil
	}))
	r := newRaw(t, s)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"b":1,"a":1.0},` + meta + `}}`)
	same(t, "call", r.receive(), `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","version":"3"}},"content":[{"type":"text","text":"{\"b\":1,\"a\":1.0}"}],"resultType":"complete"}}`)
	r.send(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"a://b",` + meta + `}}`)
	line := r.receive()
	for _, want := range []string{`"ttlMs":60000`, `"cacheScope":"private"`, `"name":"host"`} {
		if !strings.Contains(line, want) || strings.Contains(line, "mounted") {
			t.Errorf("%s lacks %s", line, want)
		}
	}
}
