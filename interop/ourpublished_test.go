package interop

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// published returns the program of a server in package.json.
func published(t *testing.T, name string, args ...string) mcpclient.Command {
	t.Helper()
	program := filepath.Join(clients, "node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js")
	return mcpclient.Command{Path: node(t), Args: append([]string{program}, args...)}
}

// publishedUser is a client of a published server.
type publishedUser struct {
	*mcpclient.Client
	t     *testing.T
	ctx   context.Context
	logs  chan string
	roots atomic.Pointer[string]
}

func connectPublished(t *testing.T, target mcpclient.Target, revision string, roots string) *publishedUser {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	u := &publishedUser{t: t, ctx: ctx, logs: make(chan string, 100)}
	u.roots.Store(&roots)
	c, err := mcpclient.Connect(ctx, target, mcpclient.Options{
		Revision: revision,
		Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			return mcpclient.Accept(map[string]string{"name": "Ada"}), nil
		},
		Sample: func(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
			return mcpclient.TextAnswer("You said: " + r.Text()), nil
		},
		Roots:           func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: *u.roots.Load()}}, nil },
		OnLog:           func(m mcpclient.LogMessage) { u.logs <- m.String() },
		OnProtocolError: func(err error) { t.Errorf("violation: %v", err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, "close", c.Close()) })
	u.Client = c
	if revision == "" {
		same(t, "revision", c.Revision(), legacy)
	}
	return u
}

// say calls a tool, and checks that its text contains a part.
func (u *publishedUser) say(tool string, arguments any, part string, o ...mcpclient.RequestOption) string {
	u.t.Helper()
	result, err := u.Call(u.ctx, tool, arguments, o...)
	if err != nil {
		u.t.Errorf("%s: %v", tool, err)
		return ""
	}
	if text := result.Text(); !strings.Contains(text, part) {
		u.t.Errorf("%s returned %q, and not %q", tool, text, part)
	}
	return result.Text()
}

// until calls a tool until its text contains a part.
func (u *publishedUser) until(tool, part string) {
	for !strings.Contains(u.say(tool, nil, ""), part) && u.ctx.Err() == nil {
	}
}

// lacks checks that the server has no features of some kinds, and that requests that need their
// capabilities are not sent.
func (u *publishedUser) lacks(methods ...string) {
	u.t.Helper()
	lists := 0
	for _, count := range []func() (int, error){
		func() (int, error) { all, err := u.Resources(u.ctx); return len(all), err },
		func() (int, error) { all, err := u.Templates(u.ctx); return len(all), err },
		func() (int, error) { all, err := u.Prompts(u.ctx); return len(all), err },
	} {
		n, err := count()
		must(u.t, "list", err)
		lists += n
	}
	if (lists == 0) != slices.Contains(methods, "resources/read") {
		u.t.Errorf("%d resources, templates and prompts", lists)
	}
	for method, call := range map[string]func() error{
		"resources/read":      func() error { _, err := u.Read(u.ctx, "file:///x"); return err },
		"prompts/get":         func() error { _, err := u.Prompt(u.ctx, "x", nil); return err },
		"completion/complete": func() error { _, err := u.CompletePrompt(u.ctx, "x", "y", "", nil); return err },
		"resources/subscribe": func() error {
			_, err := u.Subscribe(u.ctx, mcpclient.Filter{URIs: []string{"file:///x"}})
			return err
		},
		"logging/setLevel": func() error { return u.SetLogLevel(u.ctx, "info") },
	} {
		err := call()
		if !slices.Contains(methods, method) {
			continue
		}
		if e, ok := errors.AsType[*mcpclient.UnsupportedError](err); !ok || e.Method != method {
			u.t.Errorf("%s: %v", method, err)
		}
	}
}

// TestPublished tests mcpgen's client with servers that are published on npm.
func TestPublished(t *testing.T) {
	t.Run("everything", func(t *testing.T) {
		t.Parallel()
		serve := func(mode, path string) func(*testing.T) mcpclient.Target {
			return func(t *testing.T) mcpclient.Target {
				at := launch(t, mcpclient.Command{Path: node(t), Args: []string{filepath.Join(clients, "servers", "published.mjs"), "everything", mode}})
				return mcphttpclient.Endpoint{URL: "http://" + at.address + path}
			}
		}
		for _, way := range []struct {
			name      string
			target    func(*testing.T) mcpclient.Target
			revisions []string
		}{
			{"stdio", func(t *testing.T) mcpclient.Target { return published(t, "everything") }, []string{"", "2025-06-18"}},
			{"HTTP", serve("streamableHttp", "/mcp"), []string{"", "2025-06-18"}},
			{"HTTP with SSE", serve("sse", "/sse"), []string{""}},
		} {
			t.Run(way.name, func(t *testing.T) {
				t.Parallel()
				target := way.target(t)
				for _, revision := range way.revisions {
					useEverything(connectPublished(t, target, revision, "file:///x"))
				}
			})
		}
	})
	t.Run("filesystem", func(t *testing.T) {
		t.Parallel()
		useFilesystem(t)
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		c := published(t, "memory")
		c.Env = []string{"MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "memory.json")}
		u := connectPublished(t, c, "", "file:///x")
		type entity struct {
			Name         string   `json:"name"`
			Type         string   `json:"entityType"`
			Observations []string `json:"observations"`
		}
		type graph struct{ Entities []entity }
		got, err := mcpclient.Call[graph](u.ctx, u.Client, "create_entities", map[string]any{"entities": []entity{{"Ada", "person", []string{"counts"}}}})
		must(t, "create_entities", err)
		same(t, "created", got.Entities, []entity{{"Ada", "person", []string{"counts"}}})
		got, err = mcpclient.Call[graph](u.ctx, u.Client, "search_nodes", map[string]string{"query": "count"})
		must(t, "search_nodes", err)
		same(t, "found", len(got.Entities), 1)
		sub, err := u.Subscribe(u.ctx, mcpclient.Filter{URIs: []string{"memory://knowledge-graph"}})
		if err != nil {
			t.Fatal(err)
		}
		u.say("add_observations", map[string]any{"observations": []any{map[string]any{"entityName": "Ada", "contents": []string{"writes"}}}}, "writes")
		u.changes(sub, "memory://knowledge-graph")
		read, err := u.Read(u.ctx, "memory://knowledge-graph")
		if err != nil || !strings.Contains(read.Text(), "writes") {
			t.Errorf("read %v, %v", read, err)
		}
		must(t, "close", u.Close())
		// The program is started again, and has kept it.
		u = connectPublished(t, c, "", "file:///x")
		u.say("read_graph", nil, `"Ada"`)
		u.lacks("prompts/get", "completion/complete", "logging/setLevel")
	})
}

func useEverything(u *publishedUser) {
	t, ctx := u.t, u.ctx
	tools, err := u.Tools(ctx)
	must(t, "tools", err)
	resources, err := u.Resources(ctx)
	must(t, "resources", err)
	templates, err := u.Templates(ctx)
	must(t, "templates", err)
	prompts, err := u.Prompts(ctx)
	must(t, "prompts", err)
	if len(tools) < 15 || len(resources) < 5 || len(templates) != 2 || len(prompts) != 4 {
		t.Errorf("%d tools, %d resources, %d templates, %d prompts", len(tools), len(resources), len(templates), len(prompts))
	}
	u.say("echo", map[string]string{"message": "sea"}, "Echo: sea")
	weather, err := mcpclient.Call[map[string]any](ctx, u.Client, "get-structured-content", map[string]string{"location": "Chicago"})
	must(t, "get-structured-content", err)
	if weather["conditions"] == nil {
		t.Errorf("structured content %v", weather)
	}
	var steps []float64
	u.say("trigger-long-running-operation", map[string]any{"duration": 0.1, "steps": 3}, "completed",
		mcpclient.WithProgress(func(p mcpclient.Progress) { steps = append(steps, p.Done) }))
	if len(steps) == 0 || !slices.IsSorted(steps) {
		t.Errorf("progress %v", steps)
	}
	short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	_, err = u.Call(short, "trigger-long-running-operation", map[string]any{"duration": 2, "steps": 1})
	stop()
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that was given up: %v", err)
	}
	// The answer contains the defaults of omitted fields.
	u.say("trigger-elicitation-request", nil, "- Name: Ada")
	u.say("trigger-elicitation-request", nil, `"legacyTitledEnum": "pet-1"`)
	u.say("trigger-sampling-request", map[string]any{"prompt": "sea"}, "You said: Resource trigger-sampling-request context: sea")
	u.say("get-roots-list", nil, "URI: file:///x")
	read, err := u.Read(ctx, "demo://resource/dynamic/text/7")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(read.Text(), "7") {
		t.Errorf("read %q", read.Text())
	}
	if read, err = u.Read(ctx, "demo://resource/dynamic/blob/7"); err != nil || len(read.Blob()) == 0 {
		t.Errorf("read of a blob: %v", err)
	}
	prompt, err := u.Prompt(ctx, "args-prompt", map[string]string{"city": "Oslo"})
	if err != nil || !strings.Contains(prompt.Text(), "Oslo") {
		t.Errorf("prompt: %v, %v", prompt, err)
	}
	complete := func(got mcp.Completion, err error, want ...string) {
		t.Helper()
		must(t, "complete", err)
		same(t, "completion", got.Values, want)
	}
	got, err := u.CompletePrompt(ctx, "completable-prompt", "department", "S", nil)
	complete(got, err, "Sales", "Support")
	got, err = u.CompletePrompt(ctx, "completable-prompt", "name", "", map[string]string{"department": "Sales"})
	complete(got, err, "David", "Eve", "Frank")
	got, err = u.CompleteTemplate(ctx, "demo://resource/dynamic/text/{resourceId}", "resourceId", "5", nil)
	complete(got, err, "5")
	must(t, "set the level", u.SetLogLevel(ctx, "info"))
	u.watch("demo://resource/dynamic/text/1")
	must(t, "ping", u.Ping(ctx))
}

// watch subscribes to a resource, which the server logs, and makes the server update it.
func (u *publishedUser) watch(uri string) {
	u.t.Helper()
	sub, err := u.Subscribe(u.ctx, mcpclient.Filter{URIs: []string{uri}})
	if err != nil {
		u.t.Fatal(err)
	}
	for logged := false; !logged; {
		select {
		case line := <-u.logs:
			logged = strings.Contains(line, uri)
		case <-u.ctx.Done():
			u.t.Fatal("the subscription was not logged")
		}
	}
	u.say("toggle-subscriber-updates", nil, "Started")
	u.changes(sub, uri)
	u.say("toggle-subscriber-updates", nil, "Stopped")
}

// changes waits for a change of a resource, and ends the subscription.
func (u *publishedUser) changes(sub *mcpclient.Subscription, uri string) {
	u.t.Helper()
	stop := context.AfterFunc(u.ctx, func() { _ = sub.Close() })
	defer stop()
	changed := false
	for change := range sub.Changes() {
		changed = true
		same(u.t, "change", change, mcpclient.Change{Method: mcpclient.ResourceUpdated, URI: uri})
		break
	}
	if !changed {
		u.t.Error("no change was reported")
	}
	must(u.t, "close of the subscription", sub.Close())
}

// useFilesystem uses a server whose directories are the roots of the client.
func useFilesystem(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	u := connectPublished(t, published(t, "filesystem"), "", "file://"+filepath.ToSlash(first))
	// The server requests the roots by itself, after the first message.
	u.until("list_allowed_directories", first)
	path := filepath.Join(first, "a.txt")
	u.say("write_file", map[string]string{"path": path, "content": "sea"}, "wrote")
	u.say("read_text_file", map[string]string{"path": path}, "sea")
	if text, err := os.ReadFile(path); err != nil || string(text) != "sea" {
		t.Errorf("%q, %v", text, err)
	}
	result, err := u.Call(u.ctx, "read_text_file", map[string]string{"path": filepath.Join(second, "a.txt")})
	if err != nil || !result.IsError {
		t.Errorf("a file elsewhere: %v, %v", result, err)
	}
	roots := "file://" + filepath.ToSlash(second)
	u.roots.Store(&roots)
	must(t, "roots have changed", u.RootsChanged(u.ctx))
	u.until("list_allowed_directories", second)
	u.lacks("resources/read", "prompts/get", "completion/complete", "resources/subscribe", "logging/setLevel")
}
