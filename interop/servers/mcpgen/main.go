// Mcpgen serves with this project.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/mcpgen/mcpgen/interop/servers"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func main() {
	s := newServer()
	servers.Run(func() error { return s.ServeStdio(context.Background()) }, map[string]http.Handler{
		"/mcp": mcphttp.NewHandler(s),
		"/sse": mcphttp.NewSSEHandler(s),
	})
}

func newServer() *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "mcpgen", Version: "1"})
	add := func(name string, f func(ctx context.Context, text string) (string, error)) {
		s.Register(mcp.NewTool(mcp.ToolInfo{
			Name:         name,
			InputSchema:  `{"type":"object","properties":{"text":{"type":"string"}}}`,
			OutputSchema: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`,
		}, func(ctx context.Context, raw json.RawMessage) (*mcp.ToolResult, error) {
			var a struct{ Text string }
			if err := json.Unmarshal(raw, &a); err != nil {
				return nil, err
			}
			text, err := f(ctx, a.Text)
			if err != nil {
				return nil, err
			}
			structured, err := json.Marshal(map[string]string{"text": text})
			return &mcp.ToolResult{Structured: structured}, err
		}))
	}
	add("echo", func(_ context.Context, text string) (string, error) { return servers.Echo(text) })
	add("wait", func(ctx context.Context, _ string) (string, error) { return servers.Wait(ctx) })
	add("cancelled", func(ctx context.Context, _ string) (string, error) { return servers.Cancelled(ctx) })
	add("once", func(ctx context.Context, _ string) (string, error) { return servers.Once(ctx) })
	add("pid", func(context.Context, string) (string, error) { return servers.PID(), nil })
	add("proceed", func(context.Context, string) (string, error) { return servers.Proceed(), nil })
	add("touch", func(context.Context, string) (string, error) {
		s.ResourceUpdated("test://a")
		return "touched", nil
	})
	add("grow", func(_ context.Context, name string) (string, error) {
		add(name, func(context.Context, string) (string, error) { return "new", nil })
		return "grown", nil
	})
	add("steps", func(ctx context.Context, _ string) (string, error) {
		for i := range 3 {
			mcp.Progress(ctx, float64(i+1), 3, "")
		}
		log := mcp.Logger(ctx)
		log.Info("slippery")
		log.Warn("slippery")
		return servers.Stay(ctx)
	})
	add("ask", ask)
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "test://a", Name: "a"}, "A"))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "test://{x}", Name: "x"},
		func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.BlobContents([]byte{1, 2, 3}), nil
		}))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "p", Arguments: []mcp.PromptArgument{{Name: "subject", Required: true, Complete: complete}}},
		func(_ context.Context, arguments map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText("About " + arguments["subject"]), nil
		}))
	return s
}

func complete(_ context.Context, typed string, _ map[string]string) (mcp.Completion, error) {
	return mcp.Candidates([]string{typed + "tics", "math"}), nil
}

var form = mcp.FormInfo{Fields: []mcp.FormField{{Name: "n", Kind: mcp.IntegerField, Required: true}}}

// ask asks every kind of question to the client.
func ask(ctx context.Context, _ string) (string, error) {
	answer, err := mcp.ElicitFields(ctx, "How many?", &form)
	if err != nil {
		return "", err
	}
	message, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage("Hi")}, MaxTokens: 10})
	if err != nil {
		return "", err
	}
	roots, err := mcp.Roots(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %v %s %s", answer.Action, answer.Value["n"], message.Text(), roots[0].URI), nil
}
