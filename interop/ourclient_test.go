package interop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// user is a client with functions for all questions of a server, and the recorded questions.
type user struct {
	*mcpclient.Client
	w *ourWay

	mu       sync.Mutex
	wrong    []error  // reports of the client
	expected []string // expected reports
	logs     chan string
}

// content is the structured content of the tools.
type content struct{ Text string }

// useClient uses every feature of a client.
func useClient(t *testing.T, target mcpclient.Target, revision string, w *ourWay) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	u := &user{w: w, logs: make(chan string, 100)}
	c, err := mcpclient.Connect(ctx, target, mcpclient.Options{
		Revision: revision,
		Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			return mcpclient.Accept(map[string]int{"n": 3}), nil
		},
		Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) {
			return mcpclient.TextAnswer("hello"), nil
		},
		Roots:    func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///x"}}, nil },
		LogLevel: "warning",
		OnLog:    func(m mcpclient.LogMessage) { u.logs <- m.Level + " " + m.Logger },
		OnProtocolError: func(err error) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.wrong = append(u.wrong, err)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	u.Client = c
	defer c.Close()
	same(t, "revision", c.Revision(), cmp.Or(revision, w.newest))
	for _, step := range []struct {
		name string
		run  func(*user, *testing.T, context.Context)
	}{
		{"list", (*user).list},
		{"call", (*user).call},
		{"notifications", (*user).notifications},
		{"cancel", (*user).cancel},
		{"ask", (*user).ask},
		{"read", (*user).read},
		{"prompt", (*user).prompt},
		{"subscribe", (*user).subscribe},
		{"other", (*user).other},
	} {
		start := time.Now()
		step.run(u, t, ctx)
		t.Logf("%s %v", step.name, time.Since(start))
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, err := range u.wrong {
		if !slices.ContainsFunc(u.expected, func(text string) bool { return strings.Contains(err.Error(), text) }) {
			t.Errorf("violation: %v", err)
		}
	}
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func (u *user) list(t *testing.T, ctx context.Context) {
	info, err := u.Server(ctx)
	must(t, "server", err)
	if info.Name == "" {
		t.Errorf("server %+v", info)
	}
	tools, err := u.Tools(ctx)
	must(t, "tools", err)
	for _, name := range []string{"ask", "cancelled", "echo", "grow", "once", "pid", "steps", "touch", "wait"} {
		if !slices.ContainsFunc(tools, func(tool mcpclient.Tool) bool { return tool.Name == name }) {
			t.Errorf("no tool %s", name)
		}
	}
	resources, err := u.Resources(ctx)
	must(t, "resources", err)
	templates, err := u.Templates(ctx)
	must(t, "templates", err)
	prompts, err := u.Prompts(ctx)
	must(t, "prompts", err)
	if len(resources) != 1 || len(templates) != 1 || len(prompts) != 1 {
		t.Errorf("%d resources, %d templates, %d prompts", len(resources), len(templates), len(prompts))
	}
}

func (u *user) call(t *testing.T, ctx context.Context) {
	for i := range 20 {
		got, err := mcpclient.Call[content](ctx, u.Client, "echo", map[string]string{"text": fmt.Sprint(i)})
		must(t, "call", err)
		same(t, "echo", got.Text, fmt.Sprint(i))
	}
	_, err := mcpclient.Call[content](ctx, u.Client, "echo", map[string]string{"text": ""})
	if _, ok := errors.AsType[*mcpclient.ToolError](err); !ok {
		t.Errorf("a failed call: %v", err)
	}
}

// steps calls the tool steps, which ends when all progress and the given number of logs have
// arrived.
func (u *user) steps(t *testing.T, ctx context.Context, logs int) (progress []float64, levels []string) {
	t.Helper()
	var whole sync.WaitGroup
	whole.Go(func() {
		for range logs {
			select {
			case level := <-u.logs:
				levels = append(levels, level)
			case <-ctx.Done():
			}
		}
	})
	last := make(chan struct{}, 3)
	whole.Go(func() {
		select {
		case <-last:
		case <-ctx.Done():
		}
	})
	var proceeding sync.WaitGroup
	defer proceeding.Wait() // its reply may follow the reply to steps, and the server may be killed next
	proceeding.Go(func() {
		whole.Wait()
		_, err := u.Call(ctx, "proceed", nil)
		must(t, "proceed", err)
	})
	_, err := u.Call(ctx, "steps", nil, mcpclient.WithProgress(func(p mcpclient.Progress) {
		progress = append(progress, p.Done)
		if p.Done == p.Total {
			last <- struct{}{}
		}
	}))
	must(t, "steps", err)
	slices.Sort(levels)
	return progress, levels
}

func (u *user) notifications(t *testing.T, ctx context.Context) {
	if u.lacks(inOrder) {
		u.expect("progress that does not increase")
	}
	progress, levels := u.steps(t, ctx, 1)
	if len(progress) == 0 || progress[len(progress)-1] != 3 || !slices.IsSorted(progress) {
		t.Errorf("progress %v", progress)
	}
	same(t, "log messages", levels, []string{"warning steps"})
	must(t, "set the level", u.SetLogLevel(ctx, "info"))
	_, levels = u.steps(t, ctx, 2)
	same(t, "log messages", levels, []string{"info steps", "warning steps"})
}

func (u *user) cancel(t *testing.T, ctx context.Context) {
	short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	_, err := u.Call(short, "wait", nil)
	stop()
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wait: %v", err)
	}
	got, err := mcpclient.Call[content](ctx, u.Client, "cancelled", nil)
	must(t, "cancelled", err)
	want := "yes"
	if u.lacks(cancelling) {
		want = "no"
	}
	same(t, "cancelled", got.Text, want)
}

// expect allows a report of the client.
func (u *user) expect(text string) { u.expected = append(u.expected, text) }

// lacks reports whether the server lacks a feature.
func (u *user) lacks(what lack) bool { return u.w.lacks&what != 0 }

// modern reports whether the revision has no sessions.
func (u *user) modern() bool { return u.Revision() == newest }

func (u *user) ask(t *testing.T, ctx context.Context) {
	got, err := mcpclient.Call[content](ctx, u.Client, "ask", nil)
	if u.Revision() == "2024-11-05" || u.Revision() == "2025-03-26" {
		// They have no elicitation.
		if err == nil {
			t.Errorf("ask returned %q", got.Text)
		}
		if u.lacks(asRevision) {
			u.expect("asks for elicitation/create, which the client does not support")
		}
		return
	}
	if u.lacks(rootsRequest) {
		if _, ok := errors.AsType[*jsonrpc.Error](err); !ok {
			t.Errorf("ask returned %q, %v", got.Text, err)
		}
		return
	}
	must(t, "ask", err)
	same(t, "ask", got.Text, "accept 3 hello file:///x")
}

func (u *user) read(t *testing.T, ctx context.Context) {
	read, err := u.Read(ctx, "test://a")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "text", read.Text(), "A")
	read, err = u.Read(ctx, "test://b")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "blob", string(read.Blob()), "\x01\x02\x03")
	_, err = u.Read(ctx, "other://b")
	if _, ok := errors.AsType[*jsonrpc.Error](err); !ok {
		t.Errorf("read of a resource that does not exist: %v", err)
	}
}

func (u *user) prompt(t *testing.T, ctx context.Context) {
	prompt, err := u.Prompt(ctx, "p", map[string]string{"subject": "sea"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "prompt", prompt.Text(), "user: About sea")
	completion, err := u.CompletePrompt(ctx, "p", "subject", "mathema", nil)
	must(t, "complete", err)
	if !slices.Equal(completion.Values, []string{"mathematics", "math"}) {
		t.Errorf("completion %v", completion)
	}
}

// grown counts the added tools.
var grown atomic.Int32

func (u *user) subscribe(t *testing.T, ctx context.Context) {
	sub, err := u.Subscribe(ctx, mcpclient.Filter{Tools: true, URIs: []string{"test://a"}})
	must(t, "subscribe", err)
	if err != nil {
		return
	}
	changes := make(chan mcpclient.Change, 10)
	go func() {
		for change := range sub.Changes() {
			changes <- change
		}
	}()
	next := func(want mcpclient.Change) {
		t.Helper()
		select {
		case change := <-changes:
			same(t, "change", change, want)
		case <-ctx.Done():
			t.Errorf("no change was reported, want %v", want)
		case <-time.After(5 * time.Second):
			t.Errorf("no change was reported, want %v", want)
		}
	}
	_, err = u.Call(ctx, "touch", nil)
	must(t, "touch", err)
	if u.lacks(updates) && u.modern() {
		u.expect("a change for a subscription that does not exist")
	} else {
		next(mcpclient.Change{Method: mcpclient.ResourceUpdated, URI: "test://a"})
	}
	name := "grown" + strconv.Itoa(int(grown.Add(1)))
	_, err = u.Call(ctx, "grow", map[string]string{"text": name})
	must(t, "grow", err)
	if !u.lacks(lists) || !u.modern() {
		next(mcpclient.Change{Method: mcpclient.ToolsChanged})
	}
	tools, err := u.Tools(ctx)
	must(t, "tools", err)
	if !slices.ContainsFunc(tools, func(tool mcpclient.Tool) bool { return tool.Name == name }) {
		t.Error("the tool that was added is not in the list")
	}
	must(t, "close of the subscription", sub.Close())
}

func (u *user) other(t *testing.T, ctx context.Context) {
	must(t, "ping", u.Ping(ctx))
	raw, err := u.Request(ctx, "tools/list", nil)
	must(t, "request", err)
	if !json.Valid(raw) {
		t.Errorf("request returned %s", raw)
	}
}
