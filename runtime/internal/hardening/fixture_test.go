package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fixture contains the features of the server. Its tools are
//
//	echo      returns its arguments unchanged
//	typed     has arguments {n int64, s string, o {k}}, which generated code reads
//	hold      is controlled by the test, see hold
//	panics    panics in the named way
//	large     answers with n bytes
//	whoami    answers with the caller and the header fields
//	asks      asks the user, and answers with the user's answer
//	destroys  does the same, and is destructive
//	slow      waits for its context, and has a timeout
//	mirrored  has an argument that a header field repeats
//
// Features with "panic" in their names panic. There are a template item://{key} with completion,
// and a prompt greet, with completion.
type fixture struct {
	t     *testing.T
	quit  chan struct{}
	calls atomic.Int64 // calls of echo and typed

	mu    sync.Mutex
	holds map[string]*hold
	marks map[string]int // calls of the tool mark, see registerTraffic
}

// secret is a text in panics, and in errors that clients must not read.
const secret = "s3cret-of-the-server"

func newFixture(t *testing.T, s *mcp.Server) *fixture {
	f := &fixture{t: t, quit: make(chan struct{}), holds: map[string]*hold{}}
	f.tool(s, mcp.ToolInfo{Name: "echo"}, func(_ context.Context, args json.RawMessage) (string, error) {
		f.calls.Add(1)
		return string(args), nil
	})
	s.Register(mcpimpl.FuncTool(&infoTyped, f.typed))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "hold"}, f.held))
	f.tool(s, mcp.ToolInfo{Name: "panics"}, func(_ context.Context, args json.RawMessage) (string, error) {
		return "", panics(args)
	})
	f.tool(s, mcp.ToolInfo{Name: "large"}, func(_ context.Context, args json.RawMessage) (string, error) {
		var a struct{ N int }
		err := json.Unmarshal(args, &a)
		return strings.Repeat("x", a.N), err
	})
	f.tool(s, mcp.ToolInfo{Name: "whoami"}, func(ctx context.Context, _ json.RawMessage) (string, error) {
		c := mcp.CallFrom(ctx)
		return fmt.Sprintf("%q %v", c.Principal().ID, c.Header()["X-Test"]), nil
	})
	asks := func(ctx context.Context, _ json.RawMessage) (string, error) {
		a, err := mcp.ElicitFields(ctx, "Sure?", &sure, mcp.WithKey("sure"))
		if err != nil {
			return "", err
		}
		return fmt.Sprint(a.Action, a.Value["yes"]), nil
	}
	f.tool(s, mcp.ToolInfo{Name: "asks"}, asks)
	f.tool(s, mcp.ToolInfo{Name: "destroys", Hints: mcp.ToolHints{Destructive: true}}, asks)
	f.tool(s, mcp.ToolInfo{Name: "mirrored", InputSchema: `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`},
		func(_ context.Context, args json.RawMessage) (string, error) {
			f.calls.Add(1)
			return string(args), nil
		})

	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "test://panic", Name: "panic"},
		func(context.Context, string) (*mcp.ResourceResult, error) { panic(secret) }))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "item://{key}", Name: "item", Variables: []mcp.TemplateVariable{{Name: "key", Complete: completeOrPanic}}}, func(_ context.Context, _ string, v map[string]string) (*mcp.ResourceResult, error) {
		if v["key"] == "panic" {
			panic(secret)
		}
		return mcp.TextContents("item " + v["key"]), nil
	}))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "greet", Arguments: []mcp.PromptArgument{{Name: "who", Complete: completeOrPanic}}},
		func(_ context.Context, a map[string]string) (*mcp.PromptResult, error) {
			if a["who"] == "panic" {
				panic(secret)
			}
			return mcp.PromptText("Greet " + a["who"] + "."), nil
		}))
	return f
}

// tool registers a tool whose result is a text.
func (f *fixture) tool(s *mcp.Server, info mcp.ToolInfo, call func(context.Context, json.RawMessage) (string, error)) {
	s.Register(mcp.NewTool(info, func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		text, err := call(ctx, args)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(text), nil
	}))
}

var sure = mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField, Required: true}}}

var infoTyped = mcp.ToolInfo{
	Name: "typed", Symbol: "Typed",
	InputSchema: `{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"},` +
		`"o":{"type":"object","properties":{"k":{"type":"integer"}},"additionalProperties":false}},"additionalProperties":false}`,
	OutputSchema: `{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n","s"],"additionalProperties":false}`,
}

// typed has the form of generated code.
func (f *fixture) typed(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
	var n, k int64
	var s string
	d := mcpimpl.Decoder(req)
	for o := d.Object(wire.Fields{{Name: "n"}, {Name: "s"}, {Name: "o"}}); o.Next(); {
		switch o.Name() {
		case "n":
			wire.Int(d, &n)
		case "s":
			wire.String(d, &s)
		case "o":
			for in := d.Object(wire.Fields{{Name: "k"}}); in.Next(); {
				wire.Int(d, &k)
			}
		}
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	f.calls.Add(1)
	e := mcpimpl.Encoder(req)
	e.Begin()
	e.Name("n")
	wire.PutInt(e, &n)
	e.Name("s")
	wire.PutString(e, &s)
	e.End()
	return mcpimpl.Structured(req, e)
}

// panics panics in the way that the arguments name.
func panics(args json.RawMessage) error {
	var a struct{ How string }
	if err := json.Unmarshal(args, &a); err != nil {
		return err
	}
	switch a.How {
	case "error":
		panic(errors.New(secret))
	case "index":
		_ = []int{}[len(a.How)]
	case "nil":
		panic(nil)
	case "goexit":
		runtime.Goexit()
	}
	panic(secret)
}

func completeOrPanic(_ context.Context, value string, _ map[string]string) (mcp.Completion, error) {
	if value == "panic" {
		panic(secret)
	}
	return mcp.Candidates([]string{value + "!"}), nil
}

// hold is a call that the test controls. It returns when its context is cancelled, unless
// ignoreContext is set.
type hold struct {
	f             *fixture
	name          string
	ignoreContext bool
	in            chan context.Context
	do            chan func(context.Context) *mcp.ToolResult
	out           chan error // the cause of its cancellation, nil if it has answered
}

// hold returns a hold for the calls of the tool with {"name": name}.
func (f *fixture) hold(name string) *hold {
	h := &hold{
		f: f, name: name, in: make(chan context.Context, 1000), out: make(chan error, 1000),
		do: make(chan func(context.Context) *mcp.ToolResult),
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.holds[name] = h
	return h
}

// params returns the params of its call.
func (h *hold) params() string { return call("hold", fmt.Sprintf(`{"name":%q}`, h.name)) }

// letGo makes all of them return.
func (f *fixture) letGo() { close(f.quit) }

func (f *fixture) held(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
	var a struct{ Name string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	f.mu.Lock()
	h := f.holds[a.Name]
	f.mu.Unlock()
	if h == nil {
		return nil, fmt.Errorf("no hold %q", a.Name)
	}
	h.in <- ctx
	ended := ctx.Done()
	if h.ignoreContext {
		ended = nil
	}
	for {
		select {
		case do := <-h.do:
			if result := do(ctx); result != nil {
				h.out <- nil
				return result, nil
			}
		case <-ended:
			h.out <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		case <-f.quit:
			return nil, errTestOver
		}
	}
}

// run runs f in a call.
func (h *hold) run(f func(ctx context.Context)) {
	done := make(chan struct{})
	h.do <- func(ctx context.Context) *mcp.ToolResult {
		defer close(done)
		f(ctx)
		return nil
	}
	<-done
}

// answer makes a call return a text.
func (h *hold) answer(text string) {
	h.do <- func(context.Context) *mcp.ToolResult { return mcp.TextResult(text) }
}
