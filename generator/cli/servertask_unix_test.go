//go:build unix

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// TestInterruptCancelsTask checks that an interrupt cancels the task that a call has become, in
// both forms.
func TestInterruptCancelsTask(t *testing.T) {
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			server := mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1"})
			causes := make(chan error, 1)
			server.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "wait", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
				mcp.Progress(ctx, 1, 3, "waiting")
				<-ctx.Done()
				causes <- context.Cause(ctx)
				return nil, ctx.Err()
			}), mcptask.Support{Required: true}))
			front := httptest.NewServer(mcphttp.NewHandler(server))
			defer front.Close()
			cmd, _, _ := startCommand(t, "1 of 3: waiting", nil, "call", "-revision", revision, front.URL, "wait")
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 130 {
				t.Errorf("exit code %d, want 130", code)
			}
			if cause := <-causes; !errors.Is(cause, mcp.ErrCancelled) {
				t.Errorf("the handler ends by %v", cause)
			}
		})
	}
}
