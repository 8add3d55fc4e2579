package testbed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Scripts are the scripted calls of a server, by name. Its tool "scripted" runs the call that its
// argument "name" names.
type Scripts struct {
	t    *testing.T
	over chan struct{} // closed at the end of the test

	mu    sync.Mutex
	calls map[string]*ScriptedCall
}

// NewScripts registers the tool "scripted".
func NewScripts(t *testing.T, s *mcp.Server) *Scripts {
	x := &Scripts{t: t, over: make(chan struct{}), calls: map[string]*ScriptedCall{}}
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "scripted", Description: "For tests."}, x.run))
	return x
}

// End makes all scripted calls return.
func (x *Scripts) End() { close(x.over) }

// Script makes a scripted call of that name, before a client calls the tool.
func (x *Scripts) Script(name string) *ScriptedCall {
	p := &ScriptedCall{
		t: x.t, name: name, started: make(chan context.Context, 4), ended: make(chan error, 4),
		steps: make(chan func(context.Context) *mcp.ToolResult),
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.calls[name] = p
	return p
}

func (x *Scripts) run(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
	var a struct{ Name string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	x.mu.Lock()
	p := x.calls[a.Name]
	x.mu.Unlock()
	if p == nil {
		return nil, fmt.Errorf("no scripted call %q", a.Name)
	}
	p.started <- ctx
	done := ctx.Done()
	if p.IgnoreContext {
		done = nil
	}
	for {
		select {
		case step := <-p.steps:
			if result := step(ctx); result != nil {
				p.ended <- nil
				return result, nil
			}
		case <-done:
			p.ended <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		case <-x.over:
			return nil, errors.New("the test is over")
		}
	}
}

// ScriptedCall is a call of the tool "scripted". The test runs its steps. It returns when a step
// returns a result, or when its context is cancelled.
type ScriptedCall struct {
	// IgnoreContext is set for a call that ignores the cancellation of its context.
	IgnoreContext bool

	t       *testing.T
	name    string
	started chan context.Context
	steps   chan func(context.Context) *mcp.ToolResult
	ended   chan error // receives the cause of the cancellation, or nil after a result
}

// Arguments returns the arguments of the tool.
func (p *ScriptedCall) Arguments() string { return fmt.Sprintf(`{"name":%q}`, p.name) }

// Started waits for the call and returns its context.
func (p *ScriptedCall) Started() context.Context {
	p.t.Helper()
	return Await(p.t, p.started, "the scripted call "+p.name)
}

// NotStarted checks that there has been no call.
func (p *ScriptedCall) NotStarted() {
	p.t.Helper()
	select {
	case <-p.started:
		p.t.Errorf("the scripted call %s has started", p.name)
	default:
	}
}

// Begin begins a step and does not wait for its end. After a result other than nil the call returns
// it.
func (p *ScriptedCall) Begin(step func(ctx context.Context) *mcp.ToolResult) {
	p.t.Helper()
	select {
	case p.steps <- step:
	case err := <-p.ended:
		p.t.Fatalf("the scripted call %s has ended: %v", p.name, err)
	}
}

// Run runs a step.
func (p *ScriptedCall) Run(step func(ctx context.Context)) {
	p.t.Helper()
	done := make(chan struct{})
	p.Begin(func(ctx context.Context) *mcp.ToolResult {
		defer close(done)
		step(ctx)
		return nil
	})
	Await(p.t, done, "a step of the scripted call "+p.name)
}

// Log sends a log message to the client.
func (p *ScriptedCall) Log(text string) {
	p.t.Helper()
	p.Run(func(ctx context.Context) { mcp.Logger(ctx).Info(text) })
}

// Progress sends a progress notification to the client.
func (p *ScriptedCall) Progress(done float64) {
	p.t.Helper()
	p.Run(func(ctx context.Context) { mcp.Progress(ctx, done, 0, "") })
}

// Return makes the call return a text.
func (p *ScriptedCall) Return(text string) {
	p.t.Helper()
	p.Begin(func(context.Context) *mcp.ToolResult { return mcp.TextResult(text) })
	if err := p.Ended(); err != nil {
		p.t.Errorf("the scripted call %s has ended: %v", p.name, err)
	}
}

// Ended waits for the end of the call. It returns the cause with which the context was cancelled,
// or nil if the call has returned a result.
func (p *ScriptedCall) Ended() error {
	p.t.Helper()
	return Await(p.t, p.ended, "the end of the scripted call "+p.name)
}
