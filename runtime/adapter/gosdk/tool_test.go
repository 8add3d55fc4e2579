//lint:file-ignore SA1019 Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.

//nolint:staticcheck // Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.
package gosdk

import (
	"bytes"
	"context"
	encoding "encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

type sumIn struct {
	A int `json:"a" jsonschema:"the first"`
	B int `json:"b"`
}

type sumOut struct {
	Sum int `json:"sum"`
}

// The interface of a tool of the SDK is one of the server's own: clients of every revision get it.
func TestToolInterface(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "ours"})
	s.Register(Tool(&sdk.Tool{Name: "show", Meta: sdk.Meta{"example.com/a": 1, "ui": map[string]any{"resourceUri": "ui://a", "visibility": []string{"model"}}}},
		func(context.Context, *sdk.CallToolRequest, any) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		}))
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "ui://a", Name: "a"}, "<!doctype html><title>a</title>"))
	for _, revision := range mcptest.Revisions() {
		want := mcp.ToolUI{ResourceURI: "ui://a", Visibility: mcp.VisibleToModel}
		if ui := mcptest.New(t, s, mcptest.Options{Revision: revision}).Tools()[0].UI; ui == nil || *ui != want {
			t.Errorf("%s: %+v", revision, ui)
		}
	}
}

// Tools of the SDK on a server of package mcp.
func TestTool(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "ours"})
	s.Register(Tool(&sdk.Tool{Name: "sum", Description: "Adds.", Title: "Sum", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(ctx context.Context, r *sdk.CallToolRequest, in sumIn) (*sdk.CallToolResult, sumOut, error) {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
			_ = r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "warning", Data: "adding"})
			return nil, sumOut{in.A + in.B}, nil
		}))
	s.Register(Tool(&sdk.Tool{Name: "blocks", Meta: sdk.Meta{"example.com/a": 1}}, func(context.Context, *sdk.CallToolRequest, any) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Meta: sdk.Meta{"example.com/b": "c"}, Content: []sdk.Content{
			&sdk.TextContent{Text: "one", Annotations: &sdk.Annotations{Audience: []sdk.Role{"user"}, Priority: 0.5, LastModified: "2026-01-02T03:04:05Z"}},
			&sdk.ImageContent{Data: []byte("png"), MIMEType: "image/png"},
			&sdk.AudioContent{Data: []byte("wav"), MIMEType: "audio/wav"},
			&sdk.ResourceLink{URI: "a://b", Name: "b"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "a://c", Text: "text"}},
		}}, nil, nil
	}))
	s.Register(Tool(&sdk.Tool{Name: "fail"}, func(context.Context, *sdk.CallToolRequest, any) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("broken")
	}))
	s.Register(Tool(&sdk.Tool{Name: "ask"}, func(ctx context.Context, r *sdk.CallToolRequest, _ any) (*sdk.CallToolResult, any, error) {
		_, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "?"})
		return nil, nil, err
	}))
	s.Register(Tool(&sdk.Tool{Name: "who"}, func(_ context.Context, r *sdk.CallToolRequest, _ any) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: r.Extra.TokenInfo.UserID + fmt.Sprint(r.Extra.TokenInfo.Scopes)}}}, nil, nil
	}))
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			c := mcptest.New(t, s, mcptest.Options{
				Revision: revision, Principal: mcp.Principal{ID: "ann", Value: &auth.TokenInfo{UserID: "ann", Scopes: []string{"a"}}}, LogLevel: "info",
			})
			r := c.Call("sum", map[string]any{"a": 40, "b": 2})
			if !strings.Contains(r.Text(), `"sum":42`) || r.IsError {
				t.Errorf("%+v", r)
			}
			if logs := c.Logs(); len(logs) != 1 || logs[0].Level != "warning" {
				t.Errorf("logs: %+v", logs)
			}
			if r := c.Call("sum", map[string]any{"a": "x", "b": 2}); !r.IsError || !strings.Contains(r.Text(), "validating") {
				t.Errorf("%+v", r)
			}
			if r := c.Call("fail", map[string]any{}); !r.IsError || r.Text() != "broken" {
				t.Errorf("%+v", r)
			}
			if r := c.Call("ask", map[string]any{}); !r.IsError || !strings.Contains(r.Text(), "InputRequests") {
				t.Errorf("%+v", r)
			}
			if r := c.Call("who", map[string]any{}); r.Text() != "ann[a]" {
				t.Errorf("%+v", r)
			}
			if r := c.Call("blocks", map[string]any{}); len(r.Content) != 5 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Cancelling a call cancels the handler's context, and leaves nothing behind.
func TestToolCancelled(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	f := Tool(&sdk.Tool{Name: "wait"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ any) (*sdk.CallToolResult, any, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return nil, nil, ctx.Err()
	})
	s := mounted(t, nil, f)
	c := connect(t, s, modern, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "wait"}); err == nil {
		t.Error("no error")
	}
	<-ended
}

// badOut panics when it is written.
type badOut struct{}

func (badOut) MarshalJSON() ([]byte, error) { panic("cannot be written") }

// Package mcp recovers a panic: the SDK would end the program.
func TestToolPanics(t *testing.T) {
	var log bytes.Buffer
	s := mcp.NewServer(mcp.ServerInfo{Name: "ours"}, mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	s.Register(Tool(&sdk.Tool{Name: "handler"}, func(context.Context, *sdk.CallToolRequest, any) (*sdk.CallToolResult, any, error) {
		panic("cannot be done")
	}))
	s.Register(Tool(&sdk.Tool{Name: "result"}, func(context.Context, *sdk.CallToolRequest, any) (*sdk.CallToolResult, any, error) {
		return nil, badOut{}, nil
	}))
	c := mcptest.New(t, s, mcptest.Options{})
	for _, name := range []string{"handler", "result"} {
		if r := c.Call(name, map[string]any{}); !r.IsError || !strings.Contains(r.Text(), "internal error") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, want := range []string{"cannot be done", "cannot be written", "TestToolPanics", "badOut"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, &log)
		}
	}
}

// Progress, and protocol errors with their data, pass through both adapters.
func TestToolThere(t *testing.T) {
	work := Tool(&sdk.Tool{Name: "work"}, func(ctx context.Context, r *sdk.CallToolRequest, _ any) (*sdk.CallToolResult, any, error) {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
		return &sdk.CallToolResult{}, nil, nil
	})
	refuse := Tool(&sdk.Tool{Name: "refuse"}, func(context.Context, *sdk.CallToolRequest, any) (*sdk.CallToolResult, any, error) {
		return nil, nil, &jsonrpc.Error{Code: 77, Message: "no", Data: encoding.RawMessage(`[1]`)}
	})
	everyRevision(t, func(t *testing.T, revision string) {
		got := make(chan string, 1)
		c := connect(t, mounted(t, nil, work, refuse), revision, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			got <- fmt.Sprint(r.Params.ProgressToken, r.Params.Progress, r.Params.Total)
		}})
		p := &sdk.CallToolParams{Name: "work"}
		p.SetProgressToken("t")
		if _, err := c.CallTool(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		same(t, "progress", <-got, "t1 2")
		_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "refuse"})
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != 77 || string(e.Data) != "[1]" {
			t.Errorf("refuse: %v", err)
		}
	})
}
