//go:build !race

package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// greedy is a request that many calls make at once, with replies of about that size.
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

// greedies returns all kinds of replies, in several sizes.
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
			option: mcp.WithAccess(mcp.Visible(func(context.Context, mcp.FeatureInfo) bool { return true })), register: func(s *mcp.Server, _ func()) {
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

// TestMemoryOfReplies makes hundreds of calls at a time over one pipe that is not read, for each
// kind of reply. Live memory stays within the budget and the places for replies beyond it, and
// other clients are answered.
func TestMemoryOfReplies(t *testing.T) {
	for _, g := range greedies() {
		t.Run(g.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { g.ask(t) })
		})
	}
}

func (g *greedy) ask(t *testing.T) {
	memory := max(12<<20, 6*g.size)      // enough for one reply, even if it is longer than the budget
	calls, revision := 300, "2025-11-25" // their replies would have 18 MB if all were made, even the short ones
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

// live returns the bytes of live memory.
func live() int64 {
	runtime.GC()
	runtime.GC() // pools keep their content for one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
