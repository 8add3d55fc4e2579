package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// knot is a value that generated code could encode.
type knot struct {
	Name string
	Next *knot
}

func putKnot(e *wire.Encoder, v *knot) {
	if !e.Enter() {
		return
	}
	e.Begin()
	e.Name("name")
	wire.PutString(e, &v.Name)
	if v.Next != nil {
		e.Name("next")
		putKnot(e, v.Next)
	}
	e.End()
	e.Leave()
}

func putKnots(e *wire.Encoder, v *[]*knot) {
	wire.PutSlice(e, *v, func(e *wire.Encoder, v **knot) { wire.PutPtr(e, *v, putKnot) })
}

// encodes returns a tool whose result put writes.
func encodes(name string, put func(e *wire.Encoder)) mcp.Feature {
	return mcpimpl.FuncTool(&mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`, OutputSchema: `{}`}, func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		e := mcpimpl.Encoder(req)
		put(e)
		return mcpimpl.Structured(req, e)
	})
}

// answers calls a tool on a new server, and returns the reply and the allocated bytes.
func answers(t *testing.T, limits mcp.Limits, f mcp.Feature, method, params string) (reply string, allocated uint64) {
	t.Helper()
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(limits))
	s.Register(f)
	client, wait := s.Connect(t.Context())
	client.Write([]byte(initialize("2025-11-25") + "\n" + initialized + "\n"))
	if _, err := client.Read(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	client.Write([]byte(request(1, method, params) + "\n"))
	data, err := client.Read()
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	reply = string(data)
	client.Close()
	if err := wait(); err != nil {
		t.Error(err)
	}
	return reply, after.TotalAlloc - before.TotalAlloc
}

// TestMemoryOfRefusedResults returns results far above the limit, in every form, and checks the
// bytes allocated until they are refused.
func TestMemoryOfRefusedResults(t *testing.T) {
	const limit = 2 << 20
	nodes := slices.Repeat([]*knot{{Name: "abc"}}, 2_000_000)
	var list any = slices.Repeat([]any{"abc"}, 1_000_000)
	var reflected any = struct{ Nodes []*knot }{nodes}
	long := strings.Repeat("x", 6<<20)
	odd := strings.Repeat("\x01", 2<<20) // 12 MiB with its escapes
	blob := make([]byte, 6<<20)
	raw := json.RawMessage("[" + strings.Repeat("1,", 3<<20) + "1]")
	call := `{"name":"f"}`
	content := func(c ...mcp.Content) mcp.Feature {
		return mcp.NewTool(mcp.ToolInfo{Name: "f"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.ContentResult(c...), nil })
	}
	resource := func(c ...mcp.ResourceContents) mcp.Feature {
		return mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://f", Name: "f"}, func(context.Context, *mcp.Request) (*mcp.ResourceResult, error) {
			return &mcp.ResourceResult{Contents: c}, nil
		})
	}
	prompt := func(c mcp.Content) mcp.Feature {
		return mcp.NewPrompt(mcp.PromptInfo{Name: "f"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptMessages(mcp.FromUser(c)), nil
		})
	}
	for name, c := range map[string]struct {
		feature        mcp.Feature
		method, params string
	}{
		"nodes":     {encodes("f", func(e *wire.Encoder) { putKnots(e, &nodes) }), "tools/call", call},
		"any":       {encodes("f", func(e *wire.Encoder) { wire.PutAny(e, &list) }), "tools/call", call},
		"reflected": {encodes("f", func(e *wire.Encoder) { wire.PutAny(e, &reflected) }), "tools/call", call},
		"string":    {encodes("f", func(e *wire.Encoder) { wire.PutString(e, &long) }), "tools/call", call},
		"escapes":   {encodes("f", func(e *wire.Encoder) { wire.PutString(e, &odd) }), "tools/call", call},
		"bytes":     {encodes("f", func(e *wire.Encoder) { wire.PutBytes(e, &blob) }), "tools/call", call},
		"raw":       {encodes("f", func(e *wire.Encoder) { wire.PutRaw(e, &raw) }), "tools/call", call},
		"text":      {content(mcp.Text{Text: long}), "tools/call", call},
		"odd text":  {content(mcp.Text{Text: odd[:3<<19]}), "tools/call", call},
		"texts":     {content(slices.Repeat([]mcp.Content{mcp.Text{Text: long[:1<<19]}}, 12)...), "tools/call", call},
		"image":     {content(mcp.Image{Data: blob}), "tools/call", call},
		"embedded":  {content(mcp.EmbeddedResource{URI: "test://x", Text: long}), "tools/call", call},
		"own JSON": {mcp.NewTool(mcp.ToolInfo{Name: "f"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Structured: raw}, nil
		}), "tools/call", call},
		"error": {mcp.NewTool(mcp.ToolInfo{Name: "f"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, textError(long) }), "tools/call", call},
		"protocol": {mcp.NewTool(mcp.ToolInfo{Name: "f"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return nil, &mcp.ProtocolError{Code: 1, Message: long}
		}), "tools/call", call},
		"resource":     {resource(mcp.ResourceContents{Text: long}), "resources/read", `{"uri":"test://f"}`},
		"odd resource": {resource(mcp.ResourceContents{Text: odd}), "resources/read", `{"uri":"test://f"}`},
		"blob":         {resource(mcp.ResourceContents{Blob: blob}), "resources/read", `{"uri":"test://f"}`},
		"contents":     {resource(slices.Repeat([]mcp.ResourceContents{{Text: long[:1<<19]}}, 12)...), "resources/read", `{"uri":"test://f"}`},
		"prompt":       {prompt(mcp.Text{Text: long}), "prompts/get", call},
		"odd prompt":   {prompt(mcp.Text{Text: odd[:3<<19]}), "prompts/get", call},
		"nodes of a resource": {mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://f", Name: "f"}, func(_ context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
			e := mcpimpl.Encoder(req)
			putKnots(e, &nodes)
			return mcpimpl.JSONContents(req, e)
		}), "resources/read", `{"uri":"test://f"}`},
	} {
		reply, allocated := answers(t, mcp.Limits{ResultBytes: limit, ResourceBytes: limit}, c.feature, c.method, c.params)
		if !strings.Contains(reply, fmt.Sprint("the result has more than the ", limit, " bytes that are allowed")) && name != "odd resource" || len(reply) > 1000 {
			t.Errorf("%s: %.300s", name, reply)
		}
		// Storage that grows to the limit, and the smaller storage that it has replaced: both are
		// rounded up.
		if allocated > 5*limit+2<<20 {
			t.Errorf("%s: %d KB are allocated for a limit of %d KB", name, allocated>>10, limit>>10)
		}
	}
}

type textError string

func (e textError) Error() string { return string(e) }

// TestDepthOfResult returns values of the largest allowed depth.
func TestDepthOfResult(t *testing.T) {
	k := &knot{Name: "last"}
	for range 999 {
		k = &knot{"x", k}
	}
	f := encodes("f", func(e *wire.Encoder) { putKnot(e, k) })
	if reply, _ := answers(t, mcp.Limits{}, f, "tools/call", `{"name":"f"}`); !strings.Contains(reply, `{"name":"last"}}}`) {
		t.Errorf("%.300s", reply)
	}
	k = &knot{"x", k}
	if reply, _ := answers(t, mcp.Limits{}, f, "tools/call", `{"name":"f"}`); !strings.Contains(reply, `nested deeper than 1000 levels, perhaps in a circle"}],"isError":true`) || len(reply) > 1000 {
		t.Errorf("%.300s", reply)
	}
}

// crowd has many calls write large results, which stop in the middle until they are released.
type crowd struct {
	mu     sync.Mutex
	inside int
	most   int
	goOn   chan struct{}
}

func (c *crowd) put(e *wire.Encoder, size int) {
	last := size / 4
	wire.PutSlice(e, make([]int, size/2), func(e *wire.Encoder, v *int) {
		wire.PutInt(e, v)
		switch last--; last {
		case 0:
			c.mu.Lock()
			c.inside++
			c.most = max(c.most, c.inside)
			c.mu.Unlock()
			<-c.goOn
			c.mu.Lock()
			c.inside--
			c.mu.Unlock()
		}
	})
}

func (c *crowd) now() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inside
}

// Limits that docs/decide/security.md documents: replies of more than 1 MiB that a server encodes
// at the same time, and replies of more than 8 KiB for one connection.
const (
	largeReplies  = 4
	mediumReplies = 16
)

// TestLargeResults has more clients with large results than there are places: some are written, the
// others wait, small results do not wait, and all arrive in the end.
func TestLargeResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowd{goOn: make(chan struct{})}
		s := newFixture(quiet, mcp.WithTimeout(0))
		s.Register(encodes("crowd", func(e *wire.Encoder) { c.put(e, 9<<18) }))
		const calls = 3 * largeReplies
		var clients []*peer
		for range calls {
			p := limited(t, s)
			p.send(call(1, "crowd", "{}") + "\n")
			clients = append(clients, p)
		}
		synctest.Wait()
		if n := c.now(); n != largeReplies {
			t.Errorf("%d are written at the same time, want %d", n, largeReplies)
		}
		for _, p := range clients {
			p.expect(call(100, "hello", "{}"), `"id":100,"result"`)
		}
		// Some results that are being written are cancelled, and one that waits.
		cancelled := 0
		for _, p := range clients[:calls/2] {
			p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
			cancelled++
		}
		synctest.Wait()
		close(c.goOn)
		synctest.Wait()
		got := 0
		for _, p := range clients {
			got += len(p.received())
		}
		if got != calls-cancelled {
			t.Errorf("%d replies, want %d", got, calls-cancelled)
		}
		if c.most > largeReplies {
			t.Errorf("%d were written at the same time", c.most)
		}
		for _, p := range clients {
			p.hangUp()
		}
		gaveBack(t, s)
	})
}

// TestTurns makes many replies of several sizes for one connection. A few replies of medium size
// are made at a time, large ones one after the other, and small ones at once.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, at := range map[string]struct{ size, want int }{
			"medium": {20 << 10, mediumReplies}, "large": {200 << 10, 1},
		} {
			c := &crowd{goOn: make(chan struct{})}
			s := newFixture(quiet, mcp.WithTimeout(0))
			// They stop in the middle, after the first check of their size.
			s.Register(encodes("crowd", func(e *wire.Encoder) { c.put(e, at.size) }))
			p := limited(t, s)
			const calls = 3 * mediumReplies
			for i := range calls {
				p.send(call(i, "crowd", "{}") + "\n")
			}
			synctest.Wait()
			if n := c.now(); n != at.want {
				t.Errorf("%s: %d are made at the same time, want %d", name, n, at.want)
			}
			p.expect(call(100, "hello", "{}"), `"id":100,"result"`)
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", calls-1))
			synctest.Wait()
			close(c.goOn)
			synctest.Wait()
			if got := p.received(); len(got) != calls-1 {
				t.Errorf("%s: %d replies, want %d", name, len(got), calls-1)
			}
			if c.most > at.want {
				t.Errorf("%s: %d were made at the same time", name, c.most)
			}
			p.hangUp()
			gaveBack(t, s)
		}
	})
}

// TestLargeResultWaitsForItsTime checks that the wait for a turn or a place ends with the time of
// the request.
func TestLargeResultWaitsForItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowd{goOn: make(chan struct{})}
		s := newFixture(quiet, mcp.WithTimeout(0), mcp.WithLimits(mcp.Limits{CallTime: time.Minute, GraceTime: time.Hour}))
		s.Register(encodes("crowd", func(e *wire.Encoder) { c.put(e, 9<<18) }))
		var clients []*peer
		for range largeReplies + 1 {
			p := limited(t, s)
			p.send(lines(call(1, "crowd", "{}"), call(2, "crowd", "{}")))
			synctest.Wait()
			clients = append(clients, p)
		}
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		for i, p := range clients {
			got := p.received()
			for _, m := range got {
				if !strings.Contains(m, "timed out after 1m0s") {
					t.Errorf("got %.300s", m)
				}
			}
			want := 1 // which waits for its turn
			if i == largeReplies {
				want = 2 // since the first one waits for a place
			}
			if len(got) != want {
				t.Errorf("client %d: %d replies, want %d", i, len(got), want)
			}
		}
		close(c.goOn)
		synctest.Wait()
		for _, p := range clients {
			p.hangUp()
		}
		gaveBack(t, s)
	})
}

// TestLargeResultsForGoneClients has clients that do not read ask for large results: results of
// other clients do not wait for them.
func TestLargeResultsForGoneClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet, mcp.WithTimeout(0))
		s.Register(encodes("large", func(e *wire.Encoder) { ints := make([]int, 1<<20); wire.PutSlice(e, ints, wire.PutInt[int]) }))
		var clients []jsonrpc.Conn
		for range 3 {
			client, server := jsonrpc.Pipe()
			conn := &stuck{Conn: server, closed: make(chan struct{})}
			go s.Serve(t.Context(), conn)
			client.Write([]byte(initialize("2025-11-25") + "\n" + initialized + "\n"))
			for i := range 30 {
				client.Write([]byte(call(i, "large", "{}") + "\n"))
			}
			clients = append(clients, client)
		}
		synctest.Wait()
		// A few replies of 4 MB wait for each client, not all that it has asked for.
		if used := s.Transport().Memory().Used(); used > 120<<20 {
			t.Errorf("%d MB are held for clients that do not read", used>>20)
		}
		p := limited(t, s)
		p.expect(call(1, "large", "{}"), `"id":1,"result"`)
		p.hangUp()
		for _, client := range clients {
			client.Close()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		gaveBack(t, s)
	})
}

// TestEndlessAttributes logs values without an end, and checks the messages to the client and the
// log of the server.
func TestEndlessAttributes(t *testing.T) {
	circle := map[string]any{"a": 1}
	circle["self"] = circle
	list := []any{nil}
	list[0] = list
	twice := &knot{Name: "k"}
	twice.Next = twice
	for name, v := range map[string]any{
		"map": circle, "list": list, "group": selfish{}, "pointer": twice, "panics": panickingText{}, "NaN": []any{func() {}},
		"long": strings.Repeat("x", 10<<20), "list of long": []string{strings.Repeat("x", 10<<20)}, "inside": struct{ hidden any }{circle},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log strings.Builder
			s := newFixture(mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			s.Register(mcp.NewTool(mcp.ToolInfo{Name: "f"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
				mcp.Logger(ctx).Error("one", "v", v, "n", 7)
				mcp.Logger(ctx).WithGroup("g").With("v", v).Error("two", slog.Group("h", slog.Any("v", v)))
				return mcp.TextResult("logged"), nil
			}))
			p := limited(t, s)
			p.send(call(1, "f", "{}") + "\n")
			synctest.Wait()
			got := p.received()
			if len(got) != 3 || !strings.Contains(got[2], `"logged"`) {
				t.Fatalf("%s: got %.1000v", name, got)
			}
			for _, m := range got {
				if wire.Valid([]byte(m), 0) != nil || len(m) > 2<<20 {
					t.Errorf("%s: %d bytes: %.500s", name, len(m), m)
				}
			}
			if !strings.Contains(got[0], `"n":7`) && name != "long" {
				t.Errorf("%s: %.500s", name, got[0])
			}
			if !strings.Contains(log.String(), "msg=one") || !strings.Contains(log.String(), "msg=two") {
				t.Errorf("%s: the log of the server is %.500s", name, &log)
			}
			p.hangUp()
		})
	}
}

// selfish is a group of values like itself.
type selfish struct{}

func (s selfish) LogValue() slog.Value {
	return slog.GroupValue(slog.Any("", s), slog.Any("a", s), slog.Any("b", s))
}

// panickingText panics in the method that returns its text.
type panickingText struct{}

func (panickingText) Error() string                { panic("in Error") }
func (panickingText) MarshalJSON() ([]byte, error) { panic("in MarshalJSON") }

// TestEndlessOnce stores a value that contains itself.
func TestEndlessOnce(t *testing.T) {
	circle := map[string]any{}
	circle["self"] = circle
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		s := newFixture(quiet)
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "f"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			_, err := mcp.Once(ctx, "k", func() (map[string]any, error) { return circle, nil })
			return nil, err
		}))
		synctest.Test(t, func(t *testing.T) {
			p := dial(t, s, "stdio")
			if version == "2025-11-25" {
				p.expect(initialize(version), `"serverInfo"`)
				p.send(initialized + "\n")
				p.expect(call(1, "f", "{}"), "nested deeper than 1000 levels")
			} else {
				p.expect(request(1, "tools/call", `{`+modernMeta+`,"name":"f"}`), "nested deeper than 1000 levels")
			}
			p.hangUp()
		})
	}
}

// TestLargeQuestion asks a question above the size limit.
func TestLargeQuestion(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	asks := map[string]func(context.Context) error{
		"form": func(ctx context.Context) error {
			_, err := mcp.ElicitFields(ctx, "m", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "f", Default: `"` + long + `"`}}})
			return err
		},
		"message": func(ctx context.Context) error {
			_, err := mcp.ElicitFields(ctx, long, &mcp.FormInfo{Fields: []mcp.FormField{{Name: "f"}}})
			return err
		},
		"sample": func(ctx context.Context) error {
			_, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage(long)}})
			return err
		},
	}
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet, mcp.WithLimits(mcp.Limits{ResultBytes: 1 << 20}))
		for name, ask := range asks {
			s.Register(mcp.NewTool(mcp.ToolInfo{Name: "large_" + name}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) { return nil, ask(ctx) }))
		}
		p := dial(t, s, "stdio")
		p.expect(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`, `"serverInfo"`)
		p.send(initialized + "\n")
		for name := range asks {
			p.expect(call(1, "large_"+name, "{}"), "the question has more than the 1048576 bytes that are allowed")
		}
		p.hangUp()
	})
}
