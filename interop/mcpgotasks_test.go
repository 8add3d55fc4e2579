//lint:file-ignore SA1019 The stream of sessions is deprecated from revision 2026-07-28 on, and still to be served.

//nolint:staticcheck // The stream of sessions is deprecated from revision 2026-07-28 on, and still to be served.
package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	mcpgotransport "github.com/mark3labs/mcp-go/client/transport"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// asker answers the questions of a server.
type asker struct{ asked chan string }

func (a asker) Elicit(_ context.Context, r mcpgo.ElicitationRequest) (*mcpgo.ElicitationResult, error) {
	a.asked <- r.Params.Message
	return &mcpgo.ElicitationResult{ElicitationResponse: mcpgo.ElicitationResponse{
		Action: mcpgo.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ada"},
	}}, nil
}

// The client of mcp-go supports the requests of the experimental form.
func TestMCPGoTasks(t *testing.T) {
	for _, kind := range []string{stdio, http} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			var connection mcpgotransport.Interface
			var err error
			if kind == stdio {
				connection = mcpgotransport.NewStdio(tasksServer(), nil)
			} else if connection, err = mcpgotransport.NewStreamableHTTP(serve(t, tasksServer(), http).url, mcpgotransport.WithContinuousListening()); err != nil {
				t.Fatal(err)
			}
			who := asker{make(chan string, 10)}
			c := client.NewClient(connection, client.WithElicitationHandler(who))
			if err := c.Start(ctx); err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var hello mcpgo.InitializeRequest
			hello.Params.ProtocolVersion = links
			hello.Params.ClientInfo = mcpgo.Implementation{Name: "interop", Version: "1"}
			if _, err := c.Initialize(ctx, hello); err != nil {
				t.Fatal(err)
			}
			for tool, want := range map[string]string{"count": "counted", "import": "imported", "ask": "accept Ada"} {
				id := beginMCPGo(ctx, t, c, tool)
				result, err := c.TaskResult(ctx, mcpgo.TaskResultRequest{Params: mcpgo.TaskResultParams{TaskId: id}})
				if err != nil || len(result.Content) != 1 || result.Content[0].(mcpgo.TextContent).Text != want {
					t.Errorf("%s: %+v, %v", tool, result, err)
				}
				task, err := c.GetTask(ctx, mcpgo.GetTaskRequest{Params: mcpgo.GetTaskParams{TaskId: id}})
				if err != nil || task.Status != mcpgo.TaskStatusCompleted {
					t.Errorf("%s: %+v, %v", tool, task, err)
				}
			}
			if <-who.asked; len(who.asked) > 0 {
				t.Error("asked again")
			}
			id := beginMCPGo(ctx, t, c, "wait")
			if task, err := c.CancelTask(ctx, mcpgo.CancelTaskRequest{Params: mcpgo.CancelTaskParams{TaskId: id}}); err != nil || task.Status != mcpgo.TaskStatusCancelled {
				t.Errorf("cancelled: %+v, %v", task, err)
			}
			if _, err := c.GetTask(ctx, mcpgo.GetTaskRequest{Params: mcpgo.GetTaskParams{TaskId: "none"}}); err == nil || !strings.Contains(err.Error(), "unknown taskId") {
				t.Errorf("a task that is not there: %v", err)
			}
		})
	}
}

// beginMCPGo calls a tool as a task, and returns the id. The client's method CallTool sends such
// calls, but treats their results as invalid.
func beginMCPGo(ctx context.Context, t *testing.T, c *client.Client, tool string) string {
	t.Helper()
	params := mcpgo.CallToolParams{Name: tool, Task: &mcpgo.TaskParams{}}
	reply, err := c.GetTransport().SendRequest(ctx, mcpgotransport.JSONRPCRequest{
		JSONRPC: mcpgo.JSONRPC_VERSION, ID: mcpgo.NewRequestId(fmt.Sprint("begin ", begun.Add(1))), Method: string(mcpgo.MethodToolsCall), Params: params,
	})
	if err != nil || reply.Error != nil {
		t.Fatalf("%s: %+v, %v", tool, reply, err)
	}
	var created mcpgo.CreateTaskResult
	if err := json.Unmarshal(reply.Result, &created); err != nil || created.Task.TaskId == "" || created.Task.Status != mcpgo.TaskStatusWorking {
		t.Fatalf("%s: %s, %v", tool, reply.Result, err)
	}
	return created.Task.TaskId
}

var begun atomic.Int32
