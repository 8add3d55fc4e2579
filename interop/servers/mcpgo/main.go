// Mcpgo serves with mcp-go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/interop/servers"
)

func main() {
	s := newServer()
	old := server.NewSSEServer(s)
	servers.Run(func() error { return server.ServeStdio(s) }, map[string]http.Handler{
		"/mcp":     server.NewStreamableHTTPServer(s),
		"/sse":     old.SSEHandler(),
		"/message": old.MessageHandler(),
	})
}

// in and out are arguments and results of the tools.
type (
	in struct {
		Text string `json:"text,omitempty"`
	}
	out struct {
		Text string `json:"text"`
	}
)

// complete completes the argument of the prompt.
type complete struct{}

func (complete) CompletePromptArgument(_ context.Context, _ string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{a.Value + "tics", "math"}, Total: 2}, nil
}

func newServer() *server.MCPServer {
	s := server.NewMCPServer("mcpgo", "1", server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true), server.WithLogging(), server.WithCompletions(), server.WithPromptCompletionProvider(complete{}),
		server.WithElicitation(), server.WithRoots(), server.WithInputSchemaValidation())
	s.EnableSampling()
	add := func(name string, f func(ctx context.Context, r *mcp.CallToolRequest, text string) (string, error)) {
		s.AddTool(mcp.NewTool(name, mcp.WithInputSchema[in](), mcp.WithOutputSchema[out]()),
			mcp.NewStructuredToolHandler(func(ctx context.Context, r mcp.CallToolRequest, a in) (out, error) {
				text, err := f(ctx, &r, a.Text)
				return out{text}, err
			}))
	}
	add("echo", func(_ context.Context, _ *mcp.CallToolRequest, text string) (string, error) {
		return servers.Echo(text)
	})
	add("wait", func(ctx context.Context, _ *mcp.CallToolRequest, _ string) (string, error) { return servers.Wait(ctx) })
	add("cancelled", func(ctx context.Context, _ *mcp.CallToolRequest, _ string) (string, error) {
		return servers.Cancelled(ctx)
	})
	add("once", func(ctx context.Context, _ *mcp.CallToolRequest, _ string) (string, error) { return servers.Once(ctx) })
	add("pid", func(context.Context, *mcp.CallToolRequest, string) (string, error) { return servers.PID(), nil })
	add("proceed", func(context.Context, *mcp.CallToolRequest, string) (string, error) { return servers.Proceed(), nil })
	add("touch", func(context.Context, *mcp.CallToolRequest, string) (string, error) {
		s.SendNotificationToAllClients(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": "test://a"})
		return "touched", nil
	})
	add("grow", func(_ context.Context, _ *mcp.CallToolRequest, name string) (string, error) {
		add(name, func(context.Context, *mcp.CallToolRequest, string) (string, error) { return "new", nil })
		return "grown", nil
	})
	add("steps", func(ctx context.Context, r *mcp.CallToolRequest, _ string) (string, error) {
		for i := range 3 {
			if r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
				break
			}
			if err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": r.Params.Meta.ProgressToken, "progress": i + 1, "total": 3,
			}); err != nil {
				return "", err
			}
		}
		for _, level := range []mcp.LoggingLevel{mcp.LoggingLevelInfo, mcp.LoggingLevelWarning} {
			if err := s.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(level, "steps", "slippery")); err != nil {
				return "", err
			}
		}
		return servers.Stay(ctx)
	})
	s.AddTool(mcp.NewTool("ask", mcp.WithInputSchema[in](), mcp.WithOutputSchema[out]()), ask)
	s.AddResource(mcp.NewResource("test://a", "a"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://a", Text: "A"}}, nil
	})
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://{x}", "x"), func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: r.Params.URI, Blob: "AQID"}}, nil
	})
	s.AddPrompt(mcp.NewPrompt("p", mcp.WithArgument("subject", mcp.RequiredArgument())), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("About "+r.Params.Arguments["subject"]))}), nil
	})
	return s
}

// ask asks every kind of question to the client. The SDK sends requests in revisions that support
// them.
func ask(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	answers := r.Params.InputResponses
	if answers == nil {
		return server.NewInputRequestBuilder("state").
			Elicit("form", mcp.ElicitationParams{Message: "How many?", RequestedSchema: json.RawMessage(
				`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}).
			Sample("message", mcp.CreateMessageParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("Hi")}}}).
			Roots("roots").ToolResult(), nil
	}
	form, message, roots := server.ElicitationResponse(answers, "form"), server.SamplingResponse(answers, "message"), server.RootsResponse(answers, "roots")
	if form == nil || message == nil || roots == nil || len(roots.Roots) != 1 || r.Params.RequestState != "state" {
		return nil, fmt.Errorf("answers %v, state %q", answers, r.Params.RequestState)
	}
	content, ok := form.Content.(map[string]any)
	said, err := textOf(message.Content)
	if !ok || err != nil {
		return nil, fmt.Errorf("an answer of another shape: %v, %w", form.Content, err)
	}
	text := fmt.Sprintf("%s %v %s %s", form.Action, content["n"], said, roots.Roots[0].URI)
	return mcp.NewToolResultStructured(out{text}, `{"text":"`+text+`"}`), nil
}

// textOf returns the text in a message, which is a map if it arrives in a round.
func textOf(content any) (string, error) {
	if m, ok := content.(map[string]any); ok {
		parsed, err := mcp.ParseContent(m)
		if err != nil {
			return "", err
		}
		content = parsed
	}
	text, ok := mcp.AsTextContent(content)
	if !ok {
		return "", fmt.Errorf("content %T", content)
	}
	return text.Text, nil
}
