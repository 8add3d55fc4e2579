package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// longIDs are identifiers at their limit, and one byte beyond it.
var longIDs = []struct{ fits, tooLong string }{
	{`"` + strings.Repeat("x", jsonrpc.MaxID) + `"`, `"` + strings.Repeat("x", jsonrpc.MaxID+1) + `"`},
	{strings.Repeat("7", jsonrpc.MaxID), strings.Repeat("7", jsonrpc.MaxID+1)},
	{`"` + strings.Repeat(`\u0041`, jsonrpc.MaxID/6) + `"`, `"` + strings.Repeat(`\u0041`, jsonrpc.MaxID/6+1) + `"`},
	{`"é"`, `"` + strings.Repeat("é", 128<<10) + `"`},
	{`-7`, `-` + strings.Repeat("7", 256<<10)},
}

// withID is a request.
func withID(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

// Notifications and responses with a long identifier get no reply, and a batch has an error in its
// place. TestHardening/LongNames has the requests.
func TestLongIdentifiers(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		p := dial(t, newFixture(quiet), way)
		p.expect(initialize("2025-03-26"), `"serverInfo"`)
		p.send(initialized + "\n")
		for _, id := range longIDs {
			p.send(lines(
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id.tooLong+`}}`,
				`{"jsonrpc":"2.0","id":`+id.tooLong+`,"result":{}}`,
				`{"jsonrpc":"2.0","id":`+id.tooLong+`,"error":{"code":1,"message":"no"}}`,
			))
			synctest.Wait()
			if got := p.received(); len(got) > 0 {
				t.Errorf("got %.200v", got)
			}
			p.expect(`[`+withID(id.tooLong, "ping", "{}")+`,`+withID(id.fits, "ping", "{}")+`]`,
				`[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: \"id\" must have at most 1024 bytes"}},`+
					`{"jsonrpc":"2.0","id":`+id.fits+`,"result":{}}]`)
		}
		p.hangUp()
	})
}

func TestLongClient(t *testing.T) {
	const most = 16 << 10
	const named = `{"version":"1","name":""}`
	info := func(size int) string { return named[:len(named)-2] + strings.Repeat("n", size-len(named)) + `"}` }
	both := func(capabilities, info string) (legacy, modern string) {
		return withID("1", "initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":`+info+`}`),
			withID("1", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":`+info+
				`,"io.modelcontextprotocol/clientCapabilities":`+capabilities+`}}`)
	}
	eachWay(t, func(t *testing.T, way string) {
		p := dial(t, newFixture(quiet), way)
		for _, c := range []struct{ capabilities, info string }{
			{`{}`, info(most - 1)}, {info(most), named}, {info(most / 2), info(most/2 + 1)}, {`{"a":{}}`, info(3 << 20)}, {info(3 << 20), named},
		} {
			legacy, modern := both(c.capabilities, c.info)
			p.expect(legacy, `"id":1,"error":{"code":-32602,"message":"invalid params: params.clientInfo and params.capabilities must have at most 16384 bytes together"`)
			p.expect(modern, `"id":1,"error":{"code":-32602,`)
		}
		p.expect(withID("2", "tools/list", strings.TrimSuffix(`{`+modernMeta, "}")+`,"com.example/x":"`+strings.Repeat("x", 32<<10)+`"}}`),
			`"id":2,"error":{"code":-32602,"message":"invalid params: params._meta must have at most 32768 bytes"`)
		legacy, modern := both(info(most/2), info(most/2))
		p.expect(modern, `"id":1,"result"`)
		p.expect(legacy, `"id":1,"result"`)
		p.expect(withID("3", "tools/list", `{"_meta":{"com.example/x":"`+strings.Repeat("x", 32<<10)+`"}}`), `"id":3,"error":{"code":-32602`)
		p.expect(withID("4", "tools/call", `{"_meta":{"com.example/x":"`+strings.Repeat("x", 31<<10)+`"},"name":"hello"}`), `"id":4,"result"`)
		p.hangUp()
	})
}

func TestLongVersion(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		p := dial(t, newFixture(quiet), way)
		p.send(withID("1", "tools/list", strings.Replace(`{`+modernMeta+`}`, "2026-07-28", strings.Repeat("2026é", 5000), 1)) + "\n")
		synctest.Wait()
		got := p.received()
		if len(got) != 1 || len(got[0]) > 400 || !strings.Contains(got[0], `"error":{"code":-32022,`) || !strings.Contains(got[0], `…"`) {
			t.Errorf("got %.500v", got)
		}
		p.hangUp()
	})
}

// The limit for the bytes of subscriptions follows from the limit for their number: 2048 from 8.
func TestSubscriptionBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{Subscriptions: 8}))
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{id}", Name: "x"}, nil))
		const tooLong = `"error":{"code":-32603,"message":"the URIs of the subscriptions of this connection are too long together","data":{"reason":"too many subscriptions"}`
		uri := func(c string) string { return "x://" + strings.Repeat(c, 800) }
		subscribe := func(c string) string { return request(1, "resources/subscribe", `{"uri":"`+uri(c)+`"}`) }
		listen := func(id int, cs ...string) string {
			for i := range cs {
				cs[i] = `"` + uri(cs[i]) + `"`
			}
			return request(id, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"resourceSubscriptions":[`+strings.Join(cs, ",")+`]}}`)
		}
		p := limited(t, s)
		p.expect(subscribe("a"), pong)
		p.expect(listen(2, "b", "c"), tooLong)
		p.expect(listen(3, "b"), "acknowledged")
		p.expect(subscribe("a"), pong)
		p.expect(subscribe("c"), tooLong)
		p.expect(listen(4, "c"), tooLong)
		p.expect(listen(5), "acknowledged")
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}` + "\n")
		synctest.Wait()
		p.received()
		p.expect(subscribe("c"), pong)
		p.expect(request(6, "resources/unsubscribe", `{"uri":"`+uri("a")+`"}`), pong)
		p.expect(listen(7, "d"), "acknowledged")
		// Short subscriptions count, too.
		for i := range 5 {
			p.send(request(8, "resources/subscribe", fmt.Sprintf(`{"uri":"x://%d"}`, i)) + "\n")
		}
		synctest.Wait()
		if got := strings.Join(p.received(), ""); strings.Count(got, "error") == 0 {
			t.Errorf("got %s", got)
		}
		p.hangUp()
	})
}

func TestBatchBytes(t *testing.T) {
	const most = 100_000
	eachWay(t, func(t *testing.T, way string) {
		s := newFixture(quiet, mcp.WithLimits(mcp.Limits{ResultBytes: most}))
		tool(s, "large", func(context.Context) (string, error) { return strings.Repeat("x", 10_000), nil })
		p := dial(t, s, way)
		p.send(lines(initialize("2025-03-26"), initialized))
		synctest.Wait()
		p.received()
		const calls = 500
		var batch []string
		for i := range calls {
			batch = append(batch, call(i, "large", "{}"))
		}
		p.send(`[` + strings.Join(batch, ",") + "]\n")
		synctest.Wait()
		got := p.received()
		if len(got) != 1 {
			t.Fatalf("%d messages", len(got))
		}
		var replies []struct {
			ID     int
			Result json.RawMessage
			Error  *struct {
				Code int
				Data struct{ Reason string }
			}
		}
		if err := json.Unmarshal([]byte(got[0]), &replies); err != nil {
			t.Fatal(err)
		}
		ids, results := map[int]bool{}, 0
		for _, r := range replies {
			ids[r.ID] = true
			switch {
			case r.Result != nil:
				results++
			case r.Error == nil || r.Error.Code != -32603 || r.Error.Data.Reason != "too large":
				t.Errorf("%+v", r)
			}
		}
		if len(ids) != calls || len(replies) != calls || results < 5 || results > 10 {
			t.Errorf("%d replies to %d calls, %d of them results", len(replies), len(ids), results)
		}
		if len(got[0]) > most+calls*300 {
			t.Errorf("%d bytes", len(got[0]))
		}
		// Invalid requests get errors, which have the same limits.
		p.sendInvalid(`[` + strings.Repeat(`{"a":1},`, 1023) + "{}]\n")
		synctest.Wait()
		if got := p.received(); len(got) != 1 || strings.Count(got[0], `"error"`) != 1024 || len(got[0]) > most+1024*300 {
			t.Errorf("got %.300v", got)
		}
		p.expect(`[`+call(1, "large", "{}")+`]`, `"result"`)
		p.hangUp()
	})
}

// A session does not store answers without limit.
func TestLongRootsAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet)
		tool(s, "roots", func(ctx context.Context) (string, error) {
			roots, err := mcp.Roots(ctx)
			return fmt.Sprint(len(roots)), err
		})
		p := dial(t, s, "memory")
		p.send(lines(withID("0", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}`), initialized))
		synctest.Wait()
		p.received()
		answer := func(id, n int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"roots":[%s{"uri":"file:///b"}]}}`, id, strings.Repeat(`{"uri":"file:///a"},`, n))
		}
		p.expect(call(1, "roots", "{}"), "roots/list")
		p.expect(answer(1, 1000), `"text":"1001"`)
		p.expect(call(2, "roots", "{}"), "roots/list")
		idle := s.Transport().Memory().Used()
		p.expect(answer(2, 10), `"text":"11"`)
		p.expect(call(3, "roots", "{}"), `"text":"11"`)
		// Stored roots are charged until they change.
		kept := s.Transport().Memory().Used()
		p.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n")
		synctest.Wait()
		changed := s.Transport().Memory().Used()
		if size := kept - changed; size < 11*int64(len("file:///a")) || size > 16<<10 || changed > idle {
			t.Errorf("%d bytes are charged with roots, %d without", kept, changed)
		}
		p.expect(call(4, "roots", "{}"), "roots/list")
		p.expect(answer(3, 10), `"text":"11"`)
		p.hangUp()
		gaveBack(t, s)
	})
}

// lineLog is a log that counts its lines, and the longest one.
type lineLog struct {
	mu      sync.Mutex
	lines   int
	longest int
	text    strings.Builder
}

func (l *lineLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines++
	l.longest = max(l.longest, len(b))
	l.text.Write(b)
	return len(b), nil
}

func (l *lineLog) take() (lines, longest int, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines, longest, text = l.lines, l.longest, l.text.String()
	l.lines, l.longest = 0, 0
	l.text.Reset()
	return lines, longest, text
}

// Clients cannot flood the log: lines are few, short, and counted. TestHardening/FloodedLog has
// other messages.
func TestLogsAreBounded(t *testing.T) {
	const times = 500
	long := strings.Repeat("n", 1<<20)
	for name, message := range map[string]string{
		"stray error":   `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"` + long[:2000] + `"}}`,
		"state refused": request(1, "prompts/get", `{`+modernMeta+`,"name":"`+long[:2000]+`","requestState":"no"}`),
		"log of a call": withID(`"`+strings.Repeat("i", 1000)+`"`, "tools/call", `{"name":"`+"logs"+`","arguments":{}}`),
		"panic":         withID(`"`+strings.Repeat("i", 1000)+`"`, "tools/call", `{"name":"panics","arguments":{"x":"`+long+`"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := new(lineLog)
				s := newFixture(mcp.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
				tool(s, "logs", func(ctx context.Context) (string, error) {
					mcp.Logger(ctx).Warn("said")
					return "", nil
				})
				s.Register(mcp.NewTool(mcp.ToolInfo{Name: "panics"}, func(_ context.Context, a json.RawMessage) (*mcp.ToolResult, error) {
					panic(string(a))
				}))
				p := limited(t, s)
				p.send(message + "\n")
				synctest.Wait()
				p.received()
				lines, longest, text := log.take()
				if lines != 1 || longest > 64<<10 || (name != "panic" && longest > 1300) {
					t.Errorf("%d lines, the longest of %d bytes: %.300s", lines, longest, text)
				}
				if name == "log of a call" || name == "panic" {
					p.hangUp()
					return // these lines are the program's
				}
				for range times {
					p.send(message + "\n")
					synctest.Wait()
				}
				p.received()
				if lines, _, _ := log.take(); lines > 10 {
					t.Errorf("%d lines for %d messages", lines, times)
				}
				time.Sleep(11 * time.Second)
				lines, _, text = log.take()
				if lines != 1 || !strings.Contains(text, fmt.Sprintf("more_like_this=%d within=10s", times-9)) {
					t.Errorf("%d lines at the end: %s", lines, text)
				}
				p.send(message + "\n")
				synctest.Wait()
				p.received()
				if lines, _, _ := log.take(); lines != 1 {
					t.Errorf("%d lines afterwards", lines)
				}
				p.hangUp()
			})
		})
	}
}

// On stdio and in memory a client may take as long as it likes; TestHardening/FirstMessage tests
// the transports with a limit.
func TestLimitFirstMessageTime(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		p := dial(t, newFixture(quiet, mcp.WithLimits(mcp.Limits{FirstMessageTime: time.Second})), way)
		time.Sleep(time.Hour)
		p.expect(request(1, "ping", "{}"), pong)
		p.hangUp()
	})
}

func TestPeerByAddress(t *testing.T) {
	var mu sync.Mutex
	var peers []string
	s := newFixture(quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			mu.Lock()
			peers = append(peers, req.Peer())
			mu.Unlock()
			return next(ctx, req)
		}
	}))
	at := func(address string) func(context.Context) context.Context {
		a, _ := netip.ParseAddr(address)
		return func(ctx context.Context) context.Context { return mcp.AddressContext(ctx, a) }
	}
	as := func(id string) func(context.Context) context.Context {
		return func(ctx context.Context) context.Context {
			return mcp.CallerContext(ctx, mcp.Principal{ID: id}, nil)
		}
	}
	for _, c := range []struct {
		with []func(context.Context) context.Context
		want string
	}{
		{[]func(context.Context) context.Context{at("192.0.2.1")}, "address 192.0.2.1"},
		{[]func(context.Context) context.Context{at("192.0.2.1"), as("")}, "address 192.0.2.1"},
		{[]func(context.Context) context.Context{as(""), at("::ffff:192.0.2.1")}, "address 192.0.2.1"},
		{[]func(context.Context) context.Context{at("2001:db8::1"), as("ada")}, "principal ada"},
		{[]func(context.Context) context.Context{as("ada"), at("2001:db8::1")}, "principal ada"},
		{[]func(context.Context) context.Context{at("2001:db8::1")}, "address 2001:db8::/64"},
		{[]func(context.Context) context.Context{at("")}, "address unknown"},
		{[]func(context.Context) context.Context{as("")}, "connection "},
	} {
		ctx := context.Background()
		for _, with := range c.with {
			ctx = with(ctx)
		}
		conn, wait := s.Connect(ctx)
		_ = conn.Write([]byte(request(1, "ping", "{}") + "\n"))
		_, _ = conn.Read()
		conn.Close()
		_ = wait()
		if got := peers[len(peers)-1]; !strings.HasPrefix(got, c.want) || c.want != "connection " && got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
