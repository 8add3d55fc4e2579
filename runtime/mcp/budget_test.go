package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// room returns the option that leaves a server so many bytes.
func room(bytes int) mcp.Option { return mcp.WithLimits(mcp.Limits{Memory: bytes}) }

// gaveBack checks that nothing is charged any more.
func gaveBack(t *testing.T, s *mcp.Server) {
	t.Helper()
	for range 1000 {
		if s.Transport().Memory().Used() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d bytes are charged at the end", s.Transport().Memory().Used())
}

const overload = `"error":{"code":-32603,"message":"overloaded: the memory limit of the server is reached; try again later","data":{"reason":"overloaded"}}`

// TestLimitMemory refuses what there is no room for, with its id wherever that stands,
// and answers everything else before and after it.
func TestLimitMemory(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		s := newFixture(quiet, room(1<<20))
		p := dial(t, s, way)
		p.expect(initialize("2025-11-25"), `"serverInfo"`)
		p.send(initialized + "\n")
		large := `{"x":"` + strings.Repeat("y", 2<<20) + `"}`
		for range 3 {
			p.expect(call(1, "echo", large), `"id":1,`+overload)
			p.expect(`{"method":"tools/call","params":{"name":"echo","arguments":`+large+`},"id":"2","jsonrpc":"2.0"}`, `"id":"2",`+overload)
			p.expect(spec.Invalid(`[{"id":3,"jsonrpc":"2.0","method":"ping","params":`+large+`}]`), overload)
			p.expect(request(4, "ping", "{}"), pong)
			p.expect(call(5, "hello", "{}"), `"id":5,"result"`)
			// Neither of these has a reply.
			p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + large + "}\n" +
				`{"jsonrpc":"2.0","id":6,"result":` + large + "}\n")
			synctest.Wait()
			if got := p.received(); len(got) > 0 {
				t.Errorf("got %.200v", got)
			}
		}
		p.hangUp()
		gaveBack(t, s)
	})
}

// TestMemoryOfOthers has one client take all that there is. Others get errors for what
// they ask, their small messages are answered, and afterwards all goes on.
func TestMemoryOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet, room(1<<20))
		greedy, other := limited(t, s), limited(t, s)
		running := 0
		for i := 1; ; i++ {
			greedy.send(call(i, "block", "{}") + "\n")
			synctest.Wait()
			if received := greedy.received(); len(received) > 0 {
				if len(received) != 1 || !strings.Contains(received[0], overload) {
					t.Fatalf("got %v", received)
				}
				break
			}
			running++
		}
		if running < 40 || running > 64 {
			t.Errorf("%d calls run in a megabyte", running)
		}
		other.expect(call(1, "hello", "{}"), overload)
		other.expect(request(2, "ping", "{}"), pong)
		greedy.expect(request(1000, "ping", "{}"), pong)
		for i := range running {
			greedy.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i+1))
		}
		synctest.Wait()
		other.expect(call(3, "hello", "{}"), `"id":3,"result"`)
		greedy.hangUp()
		other.hangUp()
		gaveBack(t, s)
	})
}

// TestReplyBeyondMemory sends replies that are larger than all that there is, several
// at a time, and some to clients that do not read.
func TestReplyBeyondMemory(t *testing.T) {
	const size = 3 << 20
	for name, reply := range map[string]mcp.Feature{
		"text": mcp.NewTool(mcp.ToolInfo{Name: "give"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(strings.Repeat("x", size)), nil
		}),
		"image": mcp.NewTool(mcp.ToolInfo{Name: "give"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.ContentResult(mcp.Image{Data: make([]byte, size)}), nil
		}),
		"structured": mcp.NewTool(mcp.ToolInfo{Name: "give"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Structured: []byte(`{"x":"` + strings.Repeat("x", size) + `"}`)}, nil
		}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(quiet, room(1<<20))
				s.Register(reply)
				p := limited(t, s)
				p.send(lines(call(1, "give", "{}"), call(2, "give", "{}"), call(3, "give", "{}")))
				synctest.Wait()
				received := p.received()
				whole := 0
				for _, m := range received {
					if len(m) > size {
						whole++
					} else if !strings.Contains(m, overload) {
						t.Errorf("got %.200s", m)
					}
				}
				if len(received) != 3 || whole == 0 {
					t.Errorf("%d replies, %d of them whole", len(received), whole)
				}

				// No more than the first of these goes beyond, as long as it is not read.
				var stuck []*silentPeer
				for range 6 {
					d := dialSilent(t, s)
					d.send(lines(initialize("2025-11-25"), initialized, call(1, "give", "{}")))
					stuck = append(stuck, d)
				}
				synctest.Wait()
				if used := s.Transport().Memory().Used(); used < size || used > 1<<20+3*size {
					t.Errorf("%d bytes are charged", used)
				}
				p.expect(request(8, "ping", "{}"), pong)
				for _, d := range stuck {
					<-d.done // after Limits.WriteTime
				}
				time.Sleep(time.Minute) // for the replies that wait for a place
				p.expect(call(9, "hello", "{}"), `"id":9,"result"`)
				p.hangUp()
				gaveBack(t, s)
			})
		})
	}
}

// silentPeer is a client that sends and does not read.
type silentPeer struct {
	to   *io.PipeWriter
	done chan struct{}
}

func dialSilent(t *testing.T, s *mcp.Server) *silentPeer {
	inR, inW := io.Pipe()
	_, outW := io.Pipe()
	d := &silentPeer{to: inW, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		_ = s.Serve(t.Context(), jsonrpc.NewLineConn(inR, outW, s.Transport().Limits().MessageBytes))
		inR.Close()
	}()
	return d
}

func (d *silentPeer) send(text string) { _, _ = io.WriteString(d.to, text) }

// greedy is something that many calls ask for at once, with replies of about that size.
type greedy struct {
	name     string
	size     int
	calls    int
	revision string
	option   mcp.Option
	register func(s *mcp.Server, arrived func())
	message  func(i int) string // nil = a call of the tool give
	fills    bool               // others may be refused while the client is waited for
}

// greedies are all kinds of replies, of several sizes.
func greedies() []greedy {
	const kb, mb = 1 << 10, 1 << 20
	tool := func(make func(size int) func(context.Context, *mcp.Request) (*mcp.ToolResult, error)) func(int) func(*mcp.Server, func()) {
		return func(size int) func(*mcp.Server, func()) {
			f := make(size)
			return func(s *mcp.Server, arrived func()) {
				s.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "give", InputSchema: `{"type":"object"}`, OutputSchema: `{}`}, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
					arrived()
					return f(ctx, req)
				}))
			}
		}
	}
	structured := tool(func(size int) func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		words := slices.Repeat([]string{strings.Repeat("w", 97)}, size/100)
		return func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			e := mcpimpl.Encoder(req)
			wire.PutSlice(e, words, wire.PutString[string])
			return mcpimpl.Structured(req, e)
		}
	})
	stream := tool(func(size int) func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		word := strings.Repeat("w", 97)
		return func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			return mcpimpl.Stream(ctx, req, func(yield func(string) bool) {
				for i := 0; i < size/100 && yield(word); i++ {
				}
			}, wire.PutString[string])
		}
	})
	given := func(result *mcp.ToolResult, err error) func(*mcp.Server, func()) {
		return tool(func(int) func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
			return func(context.Context, *mcp.Request) (*mcp.ToolResult, error) { return result, err }
		})(0)
	}
	text := strings.Repeat("x", 900*kb)
	form := &mcp.FormInfo{Fields: []mcp.FormField{{Name: "name"}}}
	state := json.RawMessage(`"` + text[:200*kb] + `"`)
	data, object := []byte(text[:675*kb]), json.RawMessage(`{"x":"`+text+`"}`)
	resource := func(f func(req *mcp.Request) (*mcp.ResourceResult, error)) func(*mcp.Server, func()) {
		return func(s *mcp.Server, arrived func()) {
			s.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://f", Name: "f"}, func(_ context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
				arrived()
				return f(req)
			}))
		}
	}
	read := func(i int) string { return request(i, "resources/read", `{"uri":"test://f"}`) }
	all := []greedy{
		{name: "text", size: 900 * kb, register: given(mcp.TextResult(text), nil)},
		{name: "short text", size: 60 * kb, register: given(mcp.TextResult(text[:60*kb]), nil)},
		{name: "image", size: 900 * kb, register: given(mcp.ContentResult(mcp.Image{Data: make([]byte, 675*kb)}), nil)},
		{name: "tool error", size: 900 * kb, register: given(nil, textError(text))},
		{name: "error", size: 900 * kb, register: given(nil, &mcp.ProtocolError{Code: 1, Message: text})},
		{name: "error data", size: 900 * kb, calls: 100, register: given(nil, &mcp.ProtocolError{Code: 1, Message: "x", Data: json.RawMessage(`"` + text + `"`)})},
		{name: "meta", size: 900 * kb, register: given(&mcp.ToolResult{Content: []mcp.Content{mcp.Text{Text: "x"}}, Meta: mcp.Meta{"com.example/x": json.RawMessage(`"` + text + `"`)}}, nil)},
		{name: "stream", size: 300 * kb, fills: true, register: stream(300 * kb)},
		{name: "short stream", size: 60 * kb, fills: true, register: stream(60 * kb)},
		{name: "resource", size: 900 * kb, message: read, register: resource(func(*mcp.Request) (*mcp.ResourceResult, error) { return mcp.TextContents(text), nil })},
		{name: "blob", size: 900 * kb, message: read, register: resource(func(*mcp.Request) (*mcp.ResourceResult, error) { return mcp.BlobContents(data), nil })},
		{name: "structured resource", size: 300 * kb, message: read, register: resource(func(req *mcp.Request) (*mcp.ResourceResult, error) {
			e := mcpimpl.Encoder(req)
			part := text[:300*kb]
			wire.PutString(e, &part)
			return mcpimpl.JSONContents(req, e)
		})},
		{name: "prompt", size: 900 * kb, message: func(i int) string { return request(i, "prompts/get", `{"name":"f"}`) }, register: func(s *mcp.Server, arrived func()) {
			s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "f"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
				arrived()
				return mcp.PromptText(text), nil
			}))
		}},
		{name: "list", size: 300 * kb, message: func(i int) string { return request(i, "tools/list", "{}") },
			option: mcp.WithVisible(func(context.Context, mcp.FeatureInfo) bool { return true }), register: func(s *mcp.Server, _ func()) {
				for i := range 3 {
					s.Register(mcp.NewTool(mcp.ToolInfo{Name: fmt.Sprint("t", i), Description: text[:100*kb]}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
						return mcp.TextResult("done"), nil
					}))
				}
			}},
		{name: "completion", size: 300 * kb, message: func(i int) string {
			return request(i, "completion/complete", `{"ref":{"type":"ref/prompt","name":"f"},"argument":{"name":"x","value":""}}`)
		}, register: func(s *mcp.Server, arrived func()) {
			s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "f", Arguments: []mcp.PromptArgument{{Name: "x", Complete: func(context.Context, string, map[string]string) (mcp.Completion, error) {
				arrived()
				return mcp.Completion{Values: []string{text[:300*kb]}}, nil
			}}}}, nil))
		}},
		{name: "extension", size: 900 * kb, message: func(i int) string { return request(i, "x/give", "{}") }, option: mcp.WithExtension(mcp.Extension{
			Name: "com.example/x", Methods: map[string]mcp.ExtensionFunc{"x/give": func(context.Context, *mcp.Request) (json.RawMessage, error) {
				return object, nil
			}},
		}), register: func(*mcp.Server, func()) {}},
		{name: "batch", size: 60 * kb, revision: "2025-03-26", calls: 20, register: structured(60 * kb), message: func(i int) string {
			calls := make([]string, 40)
			for j := range calls {
				calls[j] = call(40*i+j, "give", "{}")
			}
			return "[" + strings.Join(calls, ",") + "]"
		}},
		{name: "state", size: 300 * kb, calls: 200, fills: true, message: func(i int) string {
			return request(i, "tools/call", `{"name":"give","arguments":{},`+modernMeta+`}`)
		}, register: given(nil, &mcp.InputRequired{State: state})},
		{name: "questions", size: 300 * kb, calls: 200, fills: true, message: func(i int) string {
			return request(i, "tools/call", `{"name":"give","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
				`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}`)
		}, register: given(nil, &mcp.InputRequired{Questions: map[string]mcp.Question{"q": mcp.FieldsQuestion(text[:300*kb], form)}})},
		{name: "state between requests", size: 300 * kb, calls: 200, fills: true, register: given(nil, &mcp.InputRequired{
			State: state, Questions: map[string]mcp.Question{"q": mcp.FieldsQuestion("?", form)},
		})},
	}
	for _, size := range []int{60 * kb, 300 * kb, 900 * kb, 5 * mb} {
		all = append(all, greedy{name: fmt.Sprint("structured ", size>>10, " KiB"), size: size, register: structured(size)})
	}
	return all
}

// TestMemoryOfReplies makes hundreds of calls at a time over one pipe that is not read,
// for each kind of reply. What is live stays within the budget and the replies beyond it,
// and other clients are answered.
func TestMemoryOfReplies(t *testing.T) {
	for _, g := range greedies() {
		t.Run(g.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { g.ask(t) })
		})
	}
}

func (g *greedy) ask(t *testing.T) {
	memory := max(12<<20, 6*g.size)      // more than one reply takes that is longer than there is room for
	calls, revision := 300, "2025-11-25" // their replies have 18 MB if all are made, the short ones too
	if g.calls > 0 {
		calls = g.calls
	}
	if g.revision != "" {
		revision = g.revision
	}
	options := []mcp.Option{quiet, mcp.WithLimits(mcp.Limits{Memory: memory, ResultBytes: 2 * g.size, ResourceBytes: 2 * g.size})}
	if g.option != nil {
		options = append(options, g.option)
	}
	s := mcp.NewServer(fixtureInfo(), options...)
	arrived, goOn := 0, make(chan struct{})
	var mu sync.Mutex
	g.register(s, func() {
		mu.Lock()
		arrived++
		mu.Unlock()
		<-goOn
	})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "hello"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("done"), nil
	}))
	before := live()
	d := dialSilent(t, s)
	d.send(lines(initialize(revision), initialized))
	for i := range calls {
		if g.message == nil {
			d.send(call(i+1, "give", "{}") + "\n")
		} else {
			d.send(g.message(i+1) + "\n")
		}
	}
	synctest.Wait()
	close(goOn) // all at once
	synctest.Wait()
	grown := live() - before
	if most := int64(memory + largeReplies*4*2*g.size + 2<<20); grown > most {
		t.Errorf("%d MB are live, and %d are allowed", grown>>20, most>>20)
	}
	t.Logf("%d MB are live, %d are charged, %d calls have come", grown>>20, s.Transport().Memory().Used()>>20, arrived)
	if g.fills {
		<-d.done // after Limits.WriteTime
	}
	p := limited(t, s)
	p.expect(call(1, "hello", "{}"), `"id":1,"result"`)
	p.hangUp()
	d.to.Close()
	<-d.done
	gaveBack(t, s)
}

// live returns how many bytes are live.
func live() int64 {
	runtime.GC()
	runtime.GC() // what pools keep survives one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
