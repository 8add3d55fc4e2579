//lint:file-ignore SA1019 Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be answered.

//nolint:staticcheck // Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be answered.
package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// writeLog logs two messages, of which the client may request only the second.
func writeLog(ctx context.Context, r *mcp.CallToolRequest) error {
	for _, level := range []mcp.LoggingLevel{"info", "warning"} {
		if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Logger: "steps", Data: "slippery"}); err != nil {
			return err
		}
	}
	return nil
}

// addAsk adds a tool that asks every kind of question to the client.
func addAsk(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(_ context.Context, r *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, out, error) {
		// The SDK sends requests in revisions that support them.
		if r.Params.InputResponses == nil {
			return &mcp.CallToolResult{RequestState: "state", InputRequests: mcp.InputRequestMap{
				"form": &mcp.ElicitParams{Message: "How many?", RequestedSchema: map[string]any{
					"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}, "required": []any{"n"},
				}},
				"message": &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Hi"}}}},
				"roots":   &mcp.ListRootsParams{},
			}}, out{}, nil
		}
		form, _ := r.Params.InputResponses["form"].(*mcp.ElicitResult)
		message, _ := r.Params.InputResponses["message"].(*mcp.CreateMessageWithToolsResult)
		roots, _ := r.Params.InputResponses["roots"].(*mcp.ListRootsResult)
		if form == nil || message == nil || roots == nil || r.Params.RequestState != "state" {
			return nil, out{}, fmt.Errorf("answers %v, state %q", r.Params.InputResponses, r.Params.RequestState)
		}
		return nil, out{fmt.Sprintf("%s %v %s %s", form.Action, form.Content["n"], message.Content[0].(*mcp.TextContent).Text, roots.Roots[0].URI)}, nil
	})
}
