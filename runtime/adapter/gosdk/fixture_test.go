package gosdk

import (
	"context"
	encoding "encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// revisions contains the revisions with sessions, and the newest one without.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern}

const modern = "2026-07-28"

// everyRevision runs a test once for each revision.
func everyRevision(t *testing.T, test func(t *testing.T, revision string)) {
	t.Helper()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) { test(t, revision) })
	}
}

// newServer returns an SDK server with its own tool and prompt.
func newServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "host", Version: "3"}, Subscribable(nil))
	type none struct{}
	sdk.AddTool(s, &sdk.Tool{Name: "own"}, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "mine"}}}, nil, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "own_prompt"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "mine"}}}}, nil
	})
	return s
}

// connect connects a client of the SDK in memory.
func connect(t *testing.T, s *sdk.Server, revision string, o *sdk.ClientOptions, prepare ...func(*sdk.Client)) *sdk.ClientSession {
	t.Helper()
	near, far := sdk.NewInMemoryTransports()
	serving, err := s.Connect(context.Background(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "2"}, o)
	for _, p := range prepare {
		p(c)
	}
	session, err := c.Connect(context.Background(), near, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = serving.Wait()
	})
	return session
}

// mounted mounts features on a new server.
func mounted(t *testing.T, options []mcp.Option, features ...mcp.Feature) *sdk.Server {
	t.Helper()
	s := newServer()
	unmount, err := Mount(s, registering(features...), append([]mcp.Option{mcp.WithLogger(slog.New(slog.DiscardHandler))}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unmount)
	return s
}

// logTo returns the option that logs to a writer.
func logTo(w io.Writer) mcp.Option { return mcp.WithLogger(slog.New(slog.NewTextHandler(w, nil))) }

func registering(features ...mcp.Feature) func(mcp.Registrar) {
	return func(r mcp.Registrar) {
		for _, f := range features {
			r.Register(f)
		}
	}
}

// tool returns a tool that returns a text.
func tool(name string, f func(ctx context.Context, arguments encoding.RawMessage) (string, error)) mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{Name: name, Description: "Does " + name + "."}, func(ctx context.Context, arguments encoding.RawMessage) (*mcp.ToolResult, error) {
		text, err := f(ctx, arguments)
		if err != nil {
			return nil, err
		}
		return &mcp.ToolResult{Content: []mcp.Content{mcp.Text{Text: text}}}, nil
	})
}

// echo returns a tool that returns its arguments.
func echo(name string) mcp.Feature {
	return tool(name, func(_ context.Context, arguments encoding.RawMessage) (string, error) { return string(arguments), nil })
}

// call calls a tool and returns its only text.
func call(t *testing.T, session *sdk.ClientSession, name string, arguments any) string {
	t.Helper()
	r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return textOf(r)
}

func textOf(r *sdk.CallToolResult) string {
	var texts []string
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			texts = append(texts, text.Text)
		} else {
			texts = append(texts, fmt.Sprintf("%T", c))
		}
	}
	text := strings.Join(texts, "|")
	if r.IsError {
		text = "failed: " + text
	}
	return text
}

// toolNames returns the names of the tools that a client sees.
func toolNames(t *testing.T, session *sdk.ClientSession) (names []string) {
	t.Helper()
	for tool, err := range session.Tools(context.Background(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func sameList(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}
