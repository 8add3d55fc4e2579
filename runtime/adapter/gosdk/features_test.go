//lint:file-ignore SA1019 Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.

//nolint:staticcheck // Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.
package gosdk

import (
	"bytes"
	"context"
	"encoding/base64"
	encoding "encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Interfaces reach the clients of the SDK's server.
func TestInterfaces(t *testing.T) {
	tool := mcp.NewTool(mcp.ToolInfo{Name: "show", UI: &mcp.ToolUI{ResourceURI: "ui://a"}},
		func(context.Context, encoding.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("done"), nil
		})
	page := mcp.TextResource(&mcp.ResourceInfo{URI: "ui://a", Name: "a", UI: &mcp.ResourceUI{PrefersBorder: new(true)}}, "<!doctype html><title>a</title>")
	everyRevision(t, func(t *testing.T, revision string) {
		c := connect(t, mounted(t, nil, tool, page), revision, nil)
		for listed, err := range c.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if listed.Name == "show" {
				same(t, "tool", fmt.Sprint(listed.Meta["ui"], listed.Meta["ui/resourceUri"]), "map[resourceUri:ui://a]ui://a")
			}
		}
		read, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "ui://a"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "page", fmt.Sprint(read.Contents[0].MIMEType, read.Contents[0].Meta["ui"]), "text/html;profile=mcp-appmap[prefersBorder:true]")
	})
}

func TestStructuredResults(t *testing.T) {
	list := mcp.NewTool(mcp.ToolInfo{
		Name: "list", OutputSchema: `{"type":"array","items":{"type":"integer"}}`, InputSchema: `{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"string"}}}`,
		Hints: mcp.ToolHints{ReadOnly: true}, Title: "A list", Meta: mcp.Meta{"example.com/a": encoding.RawMessage("12345678901234567")},
	}, func(context.Context, encoding.RawMessage) (*mcp.ToolResult, error) {
		return &mcp.ToolResult{Structured: encoding.RawMessage(`[1,20000000000000001]`), Meta: mcp.Meta{"example.com/b": encoding.RawMessage(`"c"`)}}, nil
	})
	everyRevision(t, func(t *testing.T, revision string) {
		c := connect(t, mounted(t, nil, list), revision, nil)
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "list"})
		if err != nil {
			t.Fatal(err)
		}
		structured, err := encoding.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		schema := ""
		var listed *sdk.Tool
		for tool, err := range c.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if tool.Name == "list" {
				listed = tool
			}
		}
		if listed.OutputSchema != nil {
			schema = fmt.Sprint(listed.OutputSchema.(map[string]any)["type"])
		}
		// The SDK's client reads numbers as floating-point numbers.
		got := fmt.Sprintf("%s %s %s", structured, schema, textOf(r))
		switch {
		case revision == modern:
			same(t, "result", got, "[1,20000000000000000] array [1,20000000000000001]")
		case revision >= "2025-06-18":
			same(t, "result", got, `{"result":[1,20000000000000000]} object {"result":[1,20000000000000001]}`)
		default:
			same(t, "result", got, "null  [1,20000000000000001]")
		}
		if revision >= "2025-06-18" {
			same(t, "_meta", r.Meta["example.com/b"], any("c"))
		}
		for key := range r.Meta {
			if key == "io.modelcontextprotocol/serverInfo" && revision == modern {
				same(t, "server", fmt.Sprint(r.Meta[key].(map[string]any)["name"]), "host")
			}
		}
		if revision >= "2025-03-26" && !listed.Annotations.ReadOnlyHint {
			t.Errorf("hints: %+v", listed.Annotations)
		}
	})
}

func TestProgressAndLog(t *testing.T) {
	work := tool("work", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
		for i := range 3 {
			mcp.Progress(ctx, float64(i+1), 3, fmt.Sprint("step ", i+1))
			mcp.Logger(ctx).Warn("working", "step", i+1)
		}
		mcp.Logger(ctx).Debug("not this")
		return "done", nil
	})
	everyRevision(t, func(t *testing.T, revision string) {
		got := make(chan string, 20)
		c := connect(t, mounted(t, []mcp.Option{mcp.WithLimits(mcp.Limits{ProgressRate: 100})}, work), revision, &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				got <- fmt.Sprint("progress ", r.Params.ProgressToken, r.Params.Progress, r.Params.Total)
			},
			LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
				got <- fmt.Sprint("log ", r.Params.Level, r.Params.Data.(map[string]any)["step"])
			},
		})
		p := &sdk.CallToolParams{Name: "work"}
		p.SetProgressToken("t1")
		if revision == modern {
			p.Meta["io.modelcontextprotocol/logLevel"] = "warning"
		} else if err := c.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "warning"}); err != nil {
			t.Fatal(err)
		}
		r, err := c.CallTool(t.Context(), p)
		if err != nil || textOf(r) != "done" {
			t.Fatal(err, r)
		}
		var all []string
		for range 6 {
			all = append(all, <-got)
		}
		slices.Sort(all) // the client of the SDK handles notifications concurrently
		sameList(t, "notifications", all, "log warning1", "log warning2", "log warning3", "progress t11 3", "progress t12 3", "progress t13 3")
	})
}

func TestCancel(t *testing.T) {
	everyRevision(t, func(t *testing.T, revision string) {
		started, ended := make(chan struct{}), make(chan error, 1)
		wait := tool("wait", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
			close(started)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return "", ctx.Err()
		})
		c := connect(t, mounted(t, nil, wait), revision, nil)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-started
			cancel()
		}()
		if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "wait"}); err == nil {
			t.Error("no error")
		}
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "cancelled") {
			t.Errorf("the handler ended with %v", err)
		}
		same(t, "afterwards", call(t, c, "own", map[string]any{}), "mine")
	})
}

// asking answers every question.
func asking(revision string) *sdk.ClientOptions {
	o := &sdk.ClientOptions{
		CreateMessageHandler: func(_ context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			asked := r.Params.Messages[0].Content.(*sdk.TextContent).Text
			return &sdk.CreateMessageResult{Role: "assistant", Model: "m", Content: &sdk.TextContent{Text: asked + "!"}}, nil
		},
	}
	if revision >= "2025-06-18" {
		o.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"size": 7}}, nil
		}
	}
	return o
}

func TestQuestions(t *testing.T) {
	ask := tool("ask", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
		var out []string
		if mcp.CallFrom(ctx).Can(mcp.CapabilityElicitation) {
			form := &mcp.FormInfo{Fields: []mcp.FormField{{Name: "size", Kind: mcp.IntegerField, Required: true}}}
			for _, question := range []string{"first", "second"} {
				a, err := mcp.ElicitFields(ctx, question, form)
				if err != nil {
					return "", err
				}
				out = append(out, fmt.Sprint(question, " ", a.Action, " ", a.Value))
			}
		}
		s, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage("hi")}})
		if err != nil {
			return "", err
		}
		roots, err := mcp.Roots(ctx)
		if err != nil {
			return "", err
		}
		return strings.Join(append(out, s.Text(), roots[0].URI), ", "), nil
	})
	everyRevision(t, func(t *testing.T, revision string) {
		c := connect(t, mounted(t, nil, ask), revision, asking(revision), func(c *sdk.Client) { c.AddRoots(&sdk.Root{URI: "file:///home"}) })
		want := "hi!, file:///home"
		if revision >= "2025-06-18" {
			want = "first accept map[size:7], second accept map[size:7], " + want
		}
		same(t, "ask", call(t, c, "ask", map[string]any{}), want)
	})
}

func TestResourcesAndPrompts(t *testing.T) {
	everyRevision(t, func(t *testing.T, revision string) {
		s := mounted(t, nil,
			mcp.NewResource(mcp.ResourceInfo{URI: "note://one", Name: "one", MIMEType: "text/plain"}, func(context.Context, string) (*mcp.ResourceResult, error) {
				return mcp.TextContents("a note"), nil
			}),
			mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "note://by/{id}", Name: "by", List: func(context.Context) ([]mcp.ResourceInfo, error) {
				return []mcp.ResourceInfo{{URI: "note://by/1", Name: "n1"}, {URI: "note://by/2", Name: "n2"}, {URI: "note://by/3", Name: "n3"}}, nil
			}}, func(_ context.Context, _ string, v map[string]string) (*mcp.ResourceResult, error) {
				if v["id"] == "0" {
					return nil, mcp.ErrNotFound
				}
				return mcp.BlobContents([]byte("note " + v["id"])), nil
			}),
			mcp.NewPrompt(mcp.PromptInfo{Name: "greet", Arguments: []mcp.PromptArgument{{Name: "name", Required: true}}}, func(_ context.Context, a map[string]string) (*mcp.PromptResult, error) {
				return mcp.PromptText("Hello " + a["name"]), nil
			}))
		c := connect(t, s, revision, nil)
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "note://one"})
		if err != nil || r.Contents[0].Text != "a note" || r.Contents[0].MIMEType != "text/plain" {
			t.Error(err, r)
		}
		r, err = c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "note://by/5"})
		if err != nil || string(r.Contents[0].Blob) != "note 5" || r.Contents[0].URI != "note://by/5" {
			t.Error(err, r)
		}
		if _, err = c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "note://by/0"}); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Error(err)
		}
		p, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "greet", Arguments: map[string]string{"name": "Ann"}})
		if err != nil || p.Messages[0].Content.(*sdk.TextContent).Text != "Hello Ann" {
			t.Error(err, p)
		}
		if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "greet"}); err == nil {
			t.Error("a prompt without its argument")
		}
		var uris []string
		for r, err := range c.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			uris = append(uris, r.URI)
		}
		sameList(t, "resources", uris, "note://one", "note://by/1", "note://by/2", "note://by/3")
	})
}

// Pages after the SDK's pages, from two mounts.
func TestPagesOfListedResources(t *testing.T) {
	listing := func(prefix string, n int) mcp.Feature {
		return mcp.NewTemplate(mcp.TemplateInfo{URITemplate: prefix + "://{id}", Name: prefix, List: func(context.Context) (all []mcp.ResourceInfo, err error) {
			for i := range n {
				all = append(all, mcp.ResourceInfo{URI: fmt.Sprintf("%s://%03d", prefix, i), Name: fmt.Sprint(i)})
			}
			return all, nil
		}}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents(""), nil
		})
	}
	static := mcp.NewResource(mcp.ResourceInfo{URI: "b://static", Name: "s"}, func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents("x"), nil })
	s := mounted(t, []mcp.Option{mcp.WithLimits(mcp.Limits{PageSize: 7})}, listing("a", 20))
	unmount, err := Mount(s, registering(listing("b", 9), static), mcp.WithLimits(mcp.Limits{PageSize: 4}))
	if err != nil {
		t.Fatal(err)
	}
	defer unmount()
	for _, revision := range []string{"2025-11-25", modern} {
		c := connect(t, s, revision, nil)
		count := map[string]int{}
		for r, err := range c.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			count[r.URI]++
		}
		same(t, "resources", len(count), 30)
		for uri, n := range count {
			same(t, uri, n, 1)
		}
	}
}

// A cursor after the pages of the SDK must be one that the server has sent, unchanged.
func TestCursors(t *testing.T) {
	key := mcp.WithStateKeys(bytes.Repeat([]byte("k"), 32))
	server := func(key mcp.Option) *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "host", Version: "3"}, &sdk.ServerOptions{PageSize: 2})
		for i := range 5 {
			s.AddResource(&sdk.Resource{URI: fmt.Sprintf("own:///%d", i), Name: "own"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{}, nil
			})
		}
		unmount, err := Mount(s, registering(everything()...), key, mcp.WithLimits(mcp.Limits{PageSize: 2}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(unmount)
		return s
	}
	s := server(key)
	var cursors []string
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if r, ok := req.(*sdk.ListResourcesRequest); ok {
				cursors = append(cursors, r.Params.Cursor)
			}
			return next(ctx, method, req)
		}
	})
	c := connect(t, s, modern, nil)
	page := func(c *sdk.ClientSession, cursor string) (uris []string, next string, err error) {
		r, err := c.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		for _, resource := range r.Resources {
			uris = append(uris, resource.URI)
		}
		return uris, r.NextCursor, nil
	}
	var all, sent []string
	for cursor, first := "", true; first || cursor != ""; first = false {
		uris, next, err := page(c, cursor)
		if err != nil {
			t.Fatal(err)
		}
		all, sent, cursor = append(all, uris...), append(sent, next), next
	}
	sameList(t, "resources", all, "own:///0", "own:///1", "own:///2", "own:///3", "own:///4", "x:///one", "x:///by/0", "x:///by/1", "x:///by/2", "x:///by/3", "x:///by/4")
	sameList(t, "cursors that middleware has seen", cursors, append([]string{""}, sent[:len(sent)-1]...)...)

	last := sent[len(sent)-2]
	number, sealed, _ := strings.Cut(strings.TrimPrefix(last, "mcpgen."), ".")
	if number != "1" || len(sealed) < 40 {
		t.Fatalf("the cursor is %q", last)
	}
	other := byte('A')
	if sealed[30] == other {
		other = 'B'
	}
	forged := []string{
		"mcpgen.", "mcpgen.0.", "mcpgen.1", "mcpgen.1.", "mcpgen.x.y", "mcpgen.1.zzz", "mcpgen.99.", "nonsense",
		"mcpgen.1." + base64.RawURLEncoding.EncodeToString([]byte(`{"SDK":"","Mount":1,"Cursor":""}`)),
		"mcpgen.0." + sealed, "mcpgen.01." + sealed, "mcpgen.+1." + sealed, "mcpgen.2." + sealed,
		"mcpgen.1." + sealed[:30] + string(other) + sealed[31:], "mcpgen.1." + sealed[:30] + "\n" + sealed[30:], "mcpgen.1." + sealed + "=", sealed,
	}
	for _, cursor := range forged {
		if uris, _, err := page(c, cursor); err == nil {
			t.Errorf("the cursor %q is taken: %q", cursor, uris)
		}
	}
	if uris, _, err := page(connect(t, server(key), modern, nil), last); err != nil || len(uris) == 0 {
		t.Errorf("at a replica with the same key: %q, %v", uris, err)
	}
	if uris, _, err := page(connect(t, server(mcp.WithStateKeys(bytes.Repeat([]byte("o"), 32))), modern, nil), last); err == nil {
		t.Errorf("at a server with another key: %q", uris)
	}
}

func TestChanges(t *testing.T) {
	everyRevision(t, func(t *testing.T, revision string) {
		changed, updated := make(chan struct{}, 9), make(chan string, 9)
		var inner *mcp.Server
		s := newServer()
		c := connect(t, s, revision, &sdk.ClientOptions{
			ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
			ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		})
		other := connect(t, s, revision, nil) // an existing session with the same subscription
		note := mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "note://{id}", Name: "note"}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("x"), nil
		})
		unmount, err := Mount(s, func(r mcp.Registrar) {
			inner = r.(*mcp.Server)
			r.Register(echo("a"))
			r.Register(note)
		})
		if err != nil {
			t.Fatal(err)
		}
		defer unmount()
		for _, c := range []*sdk.ClientSession{c, other} {
			if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "note://1"}); err != nil {
				t.Fatal(err)
			}
		}
		<-changed // by Mount
		inner.Register(echo("later"))
		<-changed
		waitFor(func() bool { return slices.Contains(toolNames(t, c), "later") })
		same(t, "later", call(t, c, "later", map[string]any{}), "{}")
		inner.Unregister(mcp.KindTool, "a")
		<-changed
		waitFor(func() bool { return !slices.Contains(toolNames(t, c), "a") })
		inner.ResourceUpdated("note://1")
		inner.ResourceUpdated("note://2")
		same(t, "updated", <-updated, "note://1")
		select {
		case uri := <-updated:
			if uri != "note://1" { // both sessions report it, on a busy machine not at the same time
				t.Errorf("another update, of %s", uri)
			}
		case <-time.After(50 * time.Millisecond):
		}
	})
}

// waitFor waits for a condition without notification.
func waitFor(done func() bool) {
	for !done() {
		time.Sleep(5 * time.Millisecond)
	}
}
