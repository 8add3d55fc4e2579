package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// A client that is closed while it answers a question sends no answer.
func TestCloseDoesNotAnswer(t *testing.T) {
	const clients = 300 // the end of the client and the answer race
	for range clients {
		asked := make(chan error, 1)
		s := mcp.NewServer(mcp.ServerInfo{Name: "asks", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "ask", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			_, err := mcp.Roots(ctx)
			asked <- err
			return nil, err
		}))
		began := make(chan struct{})
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{
			Revision: "2025-11-25",
			Roots: func(ctx context.Context) ([]mcp.Root, error) {
				close(began)
				<-ctx.Done()
				return nil, context.Cause(ctx)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = c.Call(context.Background(), "ask", nil) }()
		<-began
		c.Close()
		err = <-asked
		if answer, ok := errors.AsType[*mcp.ClientError](err); ok || err == nil {
			t.Fatalf("the server got the answer %v", answer)
		}
	}
}
