package mcphttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// fixture is the server behind the handler. Its tools are
//
//	echo      returns its arguments
//	steps     tells of progress n times, then answers
//	puppet    does what the test says, see puppet
//	asks      asks the user for a name
//	pair      asks two questions at the same time
//	panics    panics
//	exits     ends its goroutine
//	prints    writes to the log of the client at level debug, and answers
//	large     answers with n bytes
//	mirror    has arguments that are mirrored in header fields
//	whoami    tells what it knows of its caller
//	needs     needs a capability
//
// There is a resource test://text and a prompt greet.
type fixture struct {
	*mcp.Server
	t    *testing.T
	quit chan struct{}

	mu      sync.Mutex
	puppets map[string]*puppet
}

// valueKey is what middleware of the tests puts into the context.
type valueKey struct{}

const mirrorSchema = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"count":{"type":"integer","x-mcp-header":"Count"},
	"dry":{"type":"boolean","x-mcp-header":"Dry-Run"},
	"where":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}}}`

// identity is what whoami returns.
type identity struct {
	Principal string              `json:"principal"`
	Claims    string              `json:"claims"`
	Header    map[string][]string `json:"header"`
	Value     string              `json:"value"`
	Revision  string              `json:"revision"`
	ID        string              `json:"id"`
	Client    string              `json:"client"`
}

func newFixture(t *testing.T, options ...mcp.Option) *fixture {
	// Tests count messages: what they send is not held back.
	options = append([]mcp.Option{mcp.WithLimits(mcp.Limits{ProgressRate: math.MaxInt32, LogRate: math.MaxInt32})}, options...)
	f := &fixture{
		Server: mcp.NewServer(mcp.Info{Name: "fixture", Version: "1.0.0", Description: "For tests."}, options...),
		t:      t, quit: make(chan struct{}), puppets: map[string]*puppet{},
	}
	f.tool("echo", "", func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult(string(args)), nil
	})
	f.tool("steps", "", func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		var a struct{ N int }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		for i := range a.N {
			mcp.Progress(ctx, float64(i+1), float64(a.N), fmt.Sprintf("step %d", i+1))
		}
		return mcp.TextResult("done"), nil
	})
	f.tool("puppet", "", f.dance)
	f.tool("asks", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		name, err := askName(ctx, "What is your name?")
		if err != nil {
			return nil, err
		}
		return mcp.TextResult("hello " + name), nil
	})
	f.tool("pair", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		var names [2]string
		var errs [2]error
		var wg sync.WaitGroup
		for i := range names {
			wg.Go(func() { names[i], errs[i] = askName(ctx, fmt.Sprintf("Name %d?", i), mcp.Key(fmt.Sprint("name", i))) })
		}
		wg.Wait()
		return mcp.TextResult(strings.Join(names[:], " and ")), errors.Join(errs[:]...)
	})
	f.tool("panics", "", func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		panic("secret in a panic")
	})
	f.tool("exits", "", func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		runtime.Goexit()
		return nil, nil
	})
	f.tool("prints", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		mcp.Logger(ctx).Debug("printed")
		return mcp.TextResult("done"), nil
	})
	f.tool("large", "", func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		var a struct{ N int }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		return mcp.TextResult(strings.Repeat("0123456789", a.N/10)), nil
	})
	f.tool("mirror", mirrorSchema, func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult(string(args)), nil
	})
	f.tool("whoami", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		call := mcp.CallFrom(ctx)
		me := identity{
			Principal: call.Principal().ID, Header: call.Header(), Revision: call.Revision(),
			ID: call.ID(), Client: call.Client().Name,
		}
		me.Claims, _ = call.Principal().Value.(string)
		me.Value, _ = ctx.Value(valueKey{}).(string)
		text, err := json.Marshal(me)
		return mcp.TextResult(string(text)), err
	})
	f.Register(mcp.NewTool(mcp.ToolInfo{Name: "needs", Requires: []mcp.Capability{mcp.Sampling}},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.DoneResult(), nil }))
	f.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "test://text", Name: "text"}, "some text"))
	f.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "greet", Arguments: []mcp.PromptArgument{{Name: "who"}}},
		func(_ context.Context, a map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText("Greet " + a["who"] + "."), nil
		}))
	return f
}

func (f *fixture) tool(name, schema string, call func(context.Context, json.RawMessage) (*mcp.ToolResult, error)) {
	f.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Description: "For tests.", InputSchema: schema}, call))
}

// change changes the list of tools.
func (f *fixture) change() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.Unregister(mcp.KindTool, "extra") {
		f.tool("extra", "", func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.DoneResult(), nil })
	}
}

var nameForm = mcp.FormInfo{Fields: []mcp.FormField{{Name: "name", Kind: mcp.StringField, Required: true}}}

func askName(ctx context.Context, message string, options ...mcp.AskOption) (string, error) {
	answer, err := mcp.ElicitFields(ctx, message, &nameForm, options...)
	if err != nil {
		return "", err
	}
	name, _ := answer.Value["name"].(string)
	return name, nil
}

// limited makes the server take short messages only.
var limited = []mcp.Option{mcp.WithLimits(mcp.Limits{MessageBytes: 1000})}

// principalOf is an authentication: it believes what Authorization says, but for
// mallory. Nobody says nothing.
func principalOf(r *http.Request) (mcp.Principal, error) {
	name := r.Header.Get("Authorization")
	switch name {
	case "":
		return mcp.Principal{}, nil
	case "mallory":
		return mcp.Principal{}, errors.New("secret: mallory's token is revoked")
	case "busy":
		return mcp.Principal{}, &mcphttp.Refusal{
			Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"7"}}, Text: "come back later",
		}
	}
	return mcp.Principal{ID: name, Value: "claims of " + name}, nil
}

// puppet is a call that does what the test says, when it says so. It heeds its
// context, unless it is deaf.
type puppet struct {
	t     *testing.T
	name  string
	deaf  bool
	in    chan context.Context
	steps chan func(context.Context) *mcp.ToolResult
	out   chan error // the cause of its end, nil if it has answered
	quit  <-chan struct{}
}

// puppet makes a puppet that a call of the tool with {"name": name} moves into.
func (f *fixture) puppet(name string) *puppet {
	p := &puppet{
		t: f.t, name: name, in: make(chan context.Context, 4), out: make(chan error, 4),
		steps: make(chan func(context.Context) *mcp.ToolResult), quit: f.quit,
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.puppets[name] = p
	return p
}

// letGo ends all puppets.
func (f *fixture) letGo() { close(f.quit) }

func (f *fixture) dance(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
	var a struct{ Name string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	f.mu.Lock()
	p := f.puppets[a.Name]
	f.mu.Unlock()
	if p == nil {
		return nil, fmt.Errorf("no puppet %q", a.Name)
	}
	p.in <- ctx
	done := ctx.Done()
	if p.deaf {
		done = nil
	}
	for {
		select {
		case step := <-p.steps:
			if result := step(ctx); result != nil {
				p.out <- nil
				return result, nil
			}
		case <-done:
			p.out <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		case <-p.quit:
			return nil, errors.New("the test is over")
		}
	}
}

// called waits for the call and returns its context.
func (p *puppet) called() context.Context {
	p.t.Helper()
	return await(p.t, p.in, "the call of puppet "+p.name)
}

// notCalled checks that there has been no call.
func (p *puppet) notCalled() {
	p.t.Helper()
	select {
	case <-p.in:
		p.t.Errorf("puppet %s has been called", p.name)
	default:
	}
}

// begin has f run by the handler, and does not wait for its end.
func (p *puppet) begin(f func(ctx context.Context) *mcp.ToolResult) {
	p.t.Helper()
	select {
	case p.steps <- f:
	case err := <-p.out:
		p.t.Fatalf("puppet %s has ended: %v", p.name, err)
	}
}

// run has f run by the handler.
func (p *puppet) run(f func(ctx context.Context)) {
	p.t.Helper()
	done := make(chan struct{})
	p.begin(func(ctx context.Context) *mcp.ToolResult {
		defer close(done)
		f(ctx)
		return nil
	})
	await(p.t, done, "a step of puppet "+p.name)
}

// says sends a notification: a line of log.
func (p *puppet) says(text string) {
	p.t.Helper()
	p.run(func(ctx context.Context) { mcp.Logger(ctx).Info(text) })
}

// advances sends a notification of progress.
func (p *puppet) advances(done float64) {
	p.t.Helper()
	p.run(func(ctx context.Context) { mcp.Progress(ctx, done, 0, "") })
}

// answers ends the call.
func (p *puppet) answers(text string) {
	p.t.Helper()
	p.begin(func(context.Context) *mcp.ToolResult { return mcp.TextResult(text) })
	if err := await(p.t, p.out, "the end of puppet "+p.name); err != nil {
		p.t.Errorf("puppet %s has ended: %v", p.name, err)
	}
}

// cause waits for the end of the call's context and returns its cause.
func (p *puppet) cause() error {
	p.t.Helper()
	return await(p.t, p.out, "the end of the context of puppet "+p.name)
}
