package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	ours "github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// answers is a client that accepts every form.
type answers struct{}

func (answers) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept", Content: map[string]any{"size": 7}}}, nil
}

// connect connects a client of mcp-go in memory.
func connect(t *testing.T, s *server.MCPServer, revision string) *client.Client {
	t.Helper()
	c, err := client.NewInProcessClientWithOptions(s, client.WithElicitationHandler(answers{}), client.WithProtocolVersion(revision))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	var req mcp.InitializeRequest
	req.Params.ProtocolVersion = revision
	req.Params.ClientInfo = mcp.Implementation{Name: "client", Version: "2"}
	if _, err := c.Initialize(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	return c
}

func call(t *testing.T, c *client.Client, name string, arguments any) string {
	t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, arguments
	r, err := c.CallTool(context.Background(), req)
	if err != nil {
		return "error: " + err.Error()
	}
	text := ""
	for _, block := range r.Content {
		if block, ok := block.(mcp.TextContent); ok {
			text += block.Text
		}
	}
	if r.StructuredContent != nil {
		structured, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		text += " " + string(structured)
	}
	if r.IsError {
		text = "failed: " + text
	}
	return text
}

func tool(name, output string, f func(context.Context, json.RawMessage) (*ours.ToolResult, error)) ours.Feature {
	return ours.NewTool(ours.ToolInfo{Name: name, OutputSchema: output, Hints: ours.ToolHints{ReadOnly: true}}, f)
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func register(r ours.Registrar) {
	r.Register(tool("echo", "", func(_ context.Context, a json.RawMessage) (*ours.ToolResult, error) {
		return ours.TextResult(string(a)), nil
	}))
	r.Register(tool("fail", "", func(context.Context, json.RawMessage) (*ours.ToolResult, error) { return nil, errors.New("broken") }))
	r.Register(tool("list", `{"type":"array"}`, func(context.Context, json.RawMessage) (*ours.ToolResult, error) {
		return &ours.ToolResult{Structured: json.RawMessage(`[1,2]`)}, nil
	}))
	r.Register(tool("ask", "", func(ctx context.Context, _ json.RawMessage) (*ours.ToolResult, error) {
		text := ""
		for _, question := range []string{"one", "two"} {
			a, err := ours.ElicitFields(ctx, question, &ours.FormInfo{Fields: []ours.FormField{{Name: "size", Kind: ours.IntegerField}}})
			if err != nil {
				return nil, err
			}
			text += fmt.Sprint(a.Action, a.Value)
		}
		return ours.TextResult(text), nil
	}))
	r.Register(tool("work", "", func(ctx context.Context, _ json.RawMessage) (*ours.ToolResult, error) {
		ours.Progress(ctx, 1, 2, "half")
		return ours.TextResult("done"), nil
	}))
	r.Register(ours.NewResource(ours.ResourceInfo{URI: "note://one", Name: "one"}, func(context.Context, string) (*ours.ResourceResult, error) {
		return ours.TextContents("a note"), nil
	}))
	r.Register(ours.NewTemplate(ours.TemplateInfo{URITemplate: "note://by/{id}", Name: "by"}, func(_ context.Context, _ string, v map[string]string) (*ours.ResourceResult, error) {
		if v["id"] == "0" {
			return nil, ours.ErrNotFound
		}
		return ours.BlobContents([]byte("note " + v["id"])), nil
	}))
	r.Register(ours.NewPrompt(ours.PromptInfo{Name: "greet", Arguments: []ours.PromptArgument{{Name: "name"}}}, func(_ context.Context, a map[string]string) (*ours.PromptResult, error) {
		return ours.PromptText("Hello " + a["name"]), nil
	}))
}

// newServer returns an mcp-go server with its own tool.
func newServer() *server.MCPServer {
	s := server.NewMCPServer("host", "3", server.WithElicitation(), server.WithResourceCapabilities(true, true))
	s.AddTool(mcp.NewTool("own"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("mine"), nil
	})
	return s
}

func TestMount(t *testing.T) {
	s := newServer()
	unmount, err := Mount(s, register)
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			c := connect(t, s, revision)
			same(t, "echo", call(t, c, "echo", map[string]any{"a": 1}), `{"a":1}`)
			same(t, "own", call(t, c, "own", nil), "mine")
			same(t, "fail", call(t, c, "fail", map[string]any{}), "failed: broken")
			same(t, "list", call(t, c, "list", map[string]any{}), `[1,2] {"result":[1,2]}`)
			same(t, "ask", call(t, c, "ask", map[string]any{}), "acceptmap[size:7]acceptmap[size:7]")
			same(t, "work", call(t, c, "work", map[string]any{}), "done")
			tools, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
			if err != nil || len(tools.Tools) != 6 {
				t.Fatal(err, tools)
			}
			i := slices.IndexFunc(tools.Tools, func(t mcp.Tool) bool { return t.Name == "list" })
			if list := tools.Tools[i]; list.OutputSchema.Type != "object" || !*list.Annotations.ReadOnlyHint {
				t.Errorf("%+v", list)
			}
			var read mcp.ReadResourceRequest
			for uri, want := range map[string]string{"note://one": "a note", "note://by/5": "bm90ZSA1", "note://by/0": "error"} {
				read.Params.URI = uri
				r, err := c.ReadResource(t.Context(), read)
				switch {
				case want == "error":
					if err == nil {
						t.Errorf("%s: %+v", uri, r)
					}
				case err != nil || !strings.Contains(fmt.Sprint(r.Contents), want):
					t.Errorf("%s: %v %+v", uri, err, r)
				}
			}
			var get mcp.GetPromptRequest
			get.Params.Name, get.Params.Arguments = "greet", map[string]string{"name": "Ann"}
			p, err := c.GetPrompt(t.Context(), get)
			if err != nil || p.Messages[0].Content.(mcp.TextContent).Text != "Hello Ann" {
				t.Error(err, p)
			}
		})
	}
	if _, err := Mount(s, register); err == nil || !strings.Contains(err.Error(), `a tool "echo" already`) || !strings.Contains(err.Error(), `a prompt "greet" already`) {
		t.Errorf("mounted twice: %v", err)
	}
	unmount()
	c := connect(t, s, "2025-11-25")
	if got := call(t, c, "echo", nil); !strings.Contains(got, "not found") {
		t.Errorf("after unmount: %s", got)
	}
	same(t, "own", call(t, c, "own", nil), "mine")
}

// A cancelled call ends, and sessions leave no goroutine behind.
func TestCancelAndEnd(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	s := newServer()
	unmount, err := Mount(s, func(r ours.Registrar) {
		register(r)
		r.Register(tool("wait", "", func(ctx context.Context, _ json.RawMessage) (*ours.ToolResult, error) {
			started <- struct{}{}
			<-ctx.Done()
			ended <- struct{}{}
			return nil, ctx.Err()
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer unmount()
	before := 0
	for i := range 50 {
		if i == 5 {
			before = testbed.Goroutines()
		}
		c := connect(t, s, "2025-11-25")
		ctx, cancel := context.WithCancel(t.Context())
		var req mcp.CallToolRequest
		req.Params.Name = "wait"
		failed := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, req)
			failed <- err
		}()
		<-started
		cancel()
		<-ended
		if err := <-failed; err == nil {
			t.Error("no error")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	for testbed.Goroutines() > before { // goroutines inside the library end slightly later
		time.Sleep(5 * time.Millisecond)
	}
}

// Tools of mcp-go on a server of package mcp.
func TestTool(t *testing.T) {
	s := ours.NewServer(ours.ServerInfo{Name: "ours"})
	s.Register(Tool(mcp.NewTool("add", mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b"), mcp.WithReadOnlyHintAnnotation(true)),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(fmt.Sprint(r.GetInt("a", 0) + r.GetInt("b", 0))), nil
		}))
	s.Register(Tool(mcp.NewTool("blocks"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: map[string]any{"a": 1}, Content: []mcp.Content{
			mcp.NewTextContent("one"), mcp.NewImageContent("cG5n", "image/png"), mcp.NewAudioContent("d2F2", "audio/wav"),
			mcp.NewResourceLink("a://b", "b", "", "text/plain"),
			mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "a://c", Text: "text"}),
		}}, nil
	}))
	s.Register(Tool(mcp.NewTool("fail"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("no"), nil
	}))
	s.Register(Tool(mcp.NewTool("none"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil }))
	for _, revision := range mcptest.Revisions() {
		c := mcptest.New(t, s, mcptest.Options{Revision: revision})
		same(t, "add", c.Call("add", map[string]any{"a": 40, "b": 2}).Text(), "42")
		if r := c.Call("blocks", map[string]any{}); len(r.Content) != 5 {
			t.Errorf("%+v", r)
		}
		same(t, "fail", c.CallError("fail", map[string]any{}), "no")
		if text := c.CallError("none", map[string]any{}); !strings.Contains(text, "no result") {
			t.Error(text)
		}
	}
}
