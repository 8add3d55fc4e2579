package mcprate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
)

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func request(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,%s}}`, method, meta, params)
}

func call(tool string) string { return request("tools/call", fmt.Sprintf(`"name":%q`, tool)) }

var ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// newServer has tools search, import_books (also known as load) and import_authors, and a resource.
func newServer(options ...mcprate.Option) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "t", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)), mcp.WithInterceptors(mcprate.New(options...)))
	tool := func(name string, aliases, groups []string) {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Aliases: aliases, Groups: groups},
			func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
	}
	tool("search", nil, []string{"public"})
	tool("import_books", []string{"load"}, []string{"slow", "admin"})
	tool("import_authors", nil, []string{"admin"})
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "x://y", Name: "y"}, "text"))
	return s
}

// dial returns a function that sends requests over its own connection.
func dial(t testing.TB, s *mcp.Server, principal string) func(text string) string {
	conn, wait := s.Connect(mcp.CallerContext(context.Background(), mcp.Principal{ID: principal}, nil))
	conn = spec.NewConn(t, conn)
	t.Cleanup(func() { conn.Close(); _ = wait() })
	return func(text string) string {
		t.Helper()
		if err := conn.Write([]byte(text + "\n")); err != nil {
			t.Fatal(err)
		}
		reply, err := conn.Read()
		if err != nil {
			t.Fatal(err)
		}
		return string(reply)
	}
}

// passes sends requests until one is refused, and returns the number of accepted ones, and the
// refusal.
func passes(ask func(string) string, text string) (n int, refusal string) {
	for ; n < 100; n++ {
		if got := ask(text); strings.Contains(got, "rate limit") {
			return n, got
		}
	}
	return n, ""
}

func TestLimits(t *testing.T) {
	spec.Holds(t, "S213", "S255", "S258")
	const (
		search  = `"content":[{"type":"text","text":"rate limit: too many calls of search; try again in 1s"}],"isError":true`
		books   = `"text":"rate limit: too many calls of import_books; try again in 1m"}],"isError":true`
		authors = `"text":"rate limit: too many calls of import_authors; try again in 1m"}],"isError":true`
		all     = `"error":{"code":-32603,"message":"rate limit: too many requests; try again in 1s","data":{"reason":"rate limit","retryAfterMs":500}}`
		allCall = `"text":"rate limit: too many requests; try again in 1s"}],"isError":true`
	)
	for _, test := range []struct {
		name    string
		options []mcprate.Option
		text    string
		n       int
		refusal string
	}{
		{"nothing is limited", nil, call("search"), 100, ""},
		{"by pattern", []mcprate.Option{mcprate.WithToolLimit("import_*", rate.Every(time.Minute), 2)}, call("import_books"), 2, books},
		{"by alias", []mcprate.Option{mcprate.WithToolLimit("import_books", rate.Every(time.Minute), 2)}, call("load"), 2, books},
		{"no pattern fits", []mcprate.Option{mcprate.WithToolLimit("import_*", rate.Every(time.Minute), 2)}, call("search"), 100, ""},
		{"by group", []mcprate.Option{mcprate.WithToolLimit("group:adm*", rate.Every(time.Minute), 3)}, call("import_authors"), 3, authors},
		{"the first that fits", []mcprate.Option{mcprate.WithToolLimit("group:slow", rate.Every(time.Minute), 4), mcprate.WithToolLimit("*", 1, 1)}, call("import_books"), 4, books},
		{"the second that fits", []mcprate.Option{mcprate.WithToolLimit("group:slow", rate.Every(time.Minute), 4), mcprate.WithToolLimit("*", 1, 1)}, call("search"), 1, search},
		{"all", []mcprate.Option{mcprate.WithRequestLimit(2, 5)}, request("resources/read", `"uri":"x://y"`), 5, all},
		{"all, of tools", []mcprate.Option{mcprate.WithRequestLimit(2, 5)}, call("search"), 5, allCall},
		{"all, of nothing", []mcprate.Option{mcprate.WithRequestLimit(2, 5)}, request("no/such", `"x":1`), 5, all},
		{"all, of no tool", []mcprate.Option{mcprate.WithRequestLimit(2, 5), mcprate.WithToolLimit("*", 1, 1)}, call("none"), 5, allCall},
		{"all but ping", []mcprate.Option{mcprate.WithRequestLimit(2, 5)}, ping, 100, ""},
		{"only tools", []mcprate.Option{mcprate.WithToolLimit("*", 1, 1)}, request("resources/read", `"uri":"x://y"`), 100, ""},
		{"all is narrower", []mcprate.Option{mcprate.WithRequestLimit(2, 2), mcprate.WithToolLimit("*", 1, 5)}, call("search"), 2, allCall},
		{"the tool is narrower", []mcprate.Option{mcprate.WithRequestLimit(2, 5), mcprate.WithToolLimit("*", 1, 2)}, call("search"), 2, search},
		{"no end", []mcprate.Option{mcprate.WithRequestLimit(rate.Inf, 1)}, call("search"), 100, ""},
		{"hardly ever", []mcprate.Option{mcprate.WithToolLimit("*", rate.Limit(math.SmallestNonzeroFloat64), 1)}, call("search"), 1, "try again in 876000h"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, refusal := passes(dial(t, newServer(test.options...), ""), test.text)
				if n != test.n || !strings.Contains(refusal, test.refusal) {
					t.Errorf("%d passed, want %d; then %s\nwant %s", n, test.n, refusal, test.refusal)
				}
			})
		})
	}
}

// The wait in the reply is sufficient, and not too long.
func TestTryAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := dial(t, newServer(mcprate.WithToolLimit("*", rate.Every(90*time.Second), 2), mcprate.WithRequestLimit(rate.Every(7*time.Second), 3)), "")
		if n, got := passes(ask, call("search")); n != 2 || !strings.Contains(got, "try again in 1m30s") {
			t.Fatalf("%d passed, then %s", n, got)
		}
		time.Sleep(89 * time.Second)
		if got := ask(call("search")); !strings.Contains(got, "try again in 1s") {
			t.Errorf("after 89s: %s", got)
		}
		time.Sleep(time.Second)
		if got := ask(call("search")); !strings.Contains(got, "done") {
			t.Errorf("after 90s: %s", got)
		}
		// A call that its own bucket refuses takes no token from the common one.
		for range 50 {
			ask(call("search"))
		}
		if n, got := passes(ask, request("tools/list", `"x":1`)); n != 2 || !strings.Contains(got, `"retryAfterMs":7000`) {
			t.Errorf("%d lists passed, then %s", n, got)
		}
	})
}

func TestCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(mcprate.WithToolLimit("*", 1, 3))
		first, second := dial(t, s, "ada"), dial(t, s, "ada")
		if n, _ := passes(first, call("search")); n != 3 {
			t.Errorf("%d calls passed", n)
		}
		if n, _ := passes(second, call("search")); n != 0 {
			t.Errorf("%d calls of the same principal passed over another connection", n)
		}
		for _, other := range []func(string) string{dial(t, s, "bob"), dial(t, s, ""), dial(t, s, "")} {
			if n, _ := passes(other, call("search")); n != 3 {
				t.Errorf("%d calls of another caller passed", n)
			}
		}
		if n, _ := passes(first, call("import_books")); n != 3 {
			t.Errorf("%d calls of another tool passed", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newServer(mcprate.WithToolLimit("*", 1, 3), mcprate.WithCaller(func(ctx context.Context, req *mcp.Request) string {
			return mcp.CallFrom(ctx).Principal().ID[:1] + req.Name
		}))
		if n, _ := passes(dial(t, s, "ada"), call("search")); n != 3 {
			t.Errorf("%d calls passed", n)
		}
		if n, _ := passes(dial(t, s, "alan"), call("search")); n != 0 {
			t.Errorf("%d calls passed of one who shares the bucket", n)
		}
	})
}

// Over HTTP the address counts, not the session.
func TestCallersOverHTTP(t *testing.T) {
	h := mcphttp.NewHandler(newServer(mcprate.WithToolLimit("*", rate.Every(time.Hour), 2)))
	defer h.Close()
	tapped := spec.NewTap(t).Handler(h)
	post := func(t *testing.T, address, text string, header ...string) (string, http.Header) {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(text))
		r.RemoteAddr = address
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		tapped.ServeHTTP(w, r)
		body, err := io.ReadAll(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body), w.Header()
	}
	modern := func(t *testing.T, address string) func(string) string {
		return func(text string) string {
			got, _ := post(t, address, text, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "search")
			return got
		}
	}
	for _, test := range []struct {
		address string
		want    int
	}{
		{"192.0.2.1:1000", 2},
		{"192.0.2.1:2000", 0},
		{"[::ffff:192.0.2.1]:80", 0},
		{"192.0.2.2:1000", 2},
		{"[2001:db8:1:2::1]:1000", 2},
		{"[2001:db8:1:2:ffff::1]:1000", 0},
		{"[2001:db8:1:3::1]:1000", 2},
		{"[fe80::1%eth0]:1000", 2},
		{"[fe80::1%eth1]:1000", 0},
		{"@", 2}, // shared by all with an unknown address
		{"", 0},
		{"/run/some.sock", 0},
		{"no address:at all", 0},
	} {
		if n, got := passes(modern(t, test.address), call("search")); n != test.want {
			t.Errorf("%d calls of %s passed, want %d: %s", n, test.address, test.want, got)
		}
	}
	for _, want := range []int{2, 0, 0} { // sessions of one address
		_, header := post(t, "192.0.2.9:1000", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		n, got := passes(func(text string) string {
			got, _ := post(t, "192.0.2.9:1000", text, "Mcp-Session-Id", header.Get("Mcp-Session-Id"))
			return got
		}, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}`)
		if n != want {
			t.Errorf("%d calls of a session passed, want %d: %s", n, want, got)
		}
	}
}

// Full buckets are removed, and the limit is never exceeded.
func TestLimitKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var who atomic.Int64
		counted, count := mcprate.Counted(mcprate.WithToolLimit("*", 1, 2), mcprate.WithMaxBuckets(50),
			mcprate.WithCaller(func(context.Context, *mcp.Request) string { return fmt.Sprint(who.Load()) }))
		s := mcp.NewServer(mcp.ServerInfo{Name: "t", Version: "1"}, mcp.WithInterceptors(counted))
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "search"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil }))
		ask := dial(t, s, "")
		for i := range 1000 {
			who.Store(int64(i))
			ask(call("search"))
			if n := count(); n > 50 || n != min(i+1, 50) {
				t.Fatalf("%d buckets after %d callers", n, i+1)
			}
		}
		// The bucket in use is not removed.
		if n, _ := passes(ask, call("search")); n != 1 {
			t.Errorf("%d calls passed of one who had one left", n)
		}
		time.Sleep(10 * time.Second)
		for range 30 {
			ask(call("search"))
		}
		if n := count(); n != 1 {
			t.Errorf("%d buckets are left of those that were full", n)
		}
	})
}

// Concurrent requests do not exceed the limit.
func TestManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(mcprate.WithToolLimit("*", rate.Every(time.Hour), 70), mcprate.WithRequestLimit(rate.Every(time.Hour), 500))
		var all sync.WaitGroup
		var passed atomic.Int64
		for range 20 {
			ask := dial(t, s, "ada")
			all.Go(func() {
				n := 0
				for range 20 {
					if !strings.Contains(ask(call("search")), "rate limit") {
						n++
					}
				}
				passed.Add(int64(n))
			})
		}
		all.Wait()
		if n := passed.Load(); n != 70 {
			t.Errorf("%d calls passed", n)
		}
		if n, _ := passes(dial(t, s, "ada"), request("tools/list", `"x":1`)); n != 100 {
			t.Errorf("%d lists passed: what was refused has been counted", n)
		}
	})
}

func TestOptionsThatSayNothing(t *testing.T) {
	for name, option := range map[string]func(){
		"no limit":       func() { mcprate.WithToolLimit("*", 0, 1) },
		"no burst":       func() { mcprate.WithRequestLimit(1, 0) },
		"negative limit": func() { mcprate.WithRequestLimit(-1, 1) },
		"no number":      func() { mcprate.WithToolLimit("*", rate.Limit(math.NaN()), 1) },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "needs a positive limit and burst") {
					t.Errorf("%s: %s", name, text)
				}
			}()
			option()
		}()
	}
}

// Benchmark calls a tool 64 at a time.
func Benchmark(b *testing.B) {
	for _, test := range []struct {
		name    string
		options []mcprate.Option
	}{
		{"none", nil},
		{"tools", []mcprate.Option{mcprate.WithToolLimit("import_*", 1e9, 1e9), mcprate.WithToolLimit("*", 1e9, 1e9)}},
		{"both", []mcprate.Option{mcprate.WithToolLimit("*", 1e9, 1e9), mcprate.WithRequestLimit(1e9, 1e9)}},
		{"refused", []mcprate.Option{mcprate.WithToolLimit("*", 1e-9, 1)}},
	} {
		b.Run(test.name, func(b *testing.B) {
			conn, wait := newServer(test.options...).Connect(mcp.CallerContext(b.Context(), mcp.Principal{ID: "ada"}, nil))
			const parallel = 64
			var batch []byte
			for i := range parallel {
				batch = append(batch, strings.Replace(call("search"), `"id":1,`, fmt.Sprintf(`"id":%d,`, i+1), 1)+"\n"...)
			}
			b.ReportAllocs()
			for n := 0; n < b.N; n += parallel {
				_ = conn.Write(batch)
				for range parallel {
					if _, err := conn.Read(); err != nil {
						b.Fatal(err)
					}
				}
			}
			conn.Close()
			_ = wait()
		})
	}
}

// Requests without a limit are not counted, and an infinite limit refuses no request.
func TestWithoutLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		ask := dial(t, newServer(mcprate.WithToolLimit("search", rate.Inf, 1), mcprate.WithCaller(func(context.Context, *mcp.Request) string {
			asked++
			return ""
		})), "")
		for _, text := range []string{call("import_books"), request("tools/list", `"x":1`)} {
			if n, got := passes(ask, text); n != 100 || asked != 0 {
				t.Errorf("%s: %d passed, then %s; the caller was asked for %d times", text, n, got, asked)
			}
		}
		for range 100 {
			if got := ask(call("search")); !strings.Contains(got, `"text":"done"`) {
				t.Fatalf("a call without a limit: %s", got)
			}
		}
	})
}
