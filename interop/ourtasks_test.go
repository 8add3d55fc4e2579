package interop

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
)

// The server of mcp-go supports the experimental form of tasks. mcpgen's client runs its tools: one
// that requires a task with Call, one that allows it with CallTask.
func TestOurTasksMCPGo(t *testing.T) {
	s := mcpgoserver.NewMCPServer("tasks", "1", mcpgoserver.WithTaskCapabilities(true, true, true))
	cancelled := make(chan error, 1)
	for name, support := range map[string]mcpgo.TaskSupport{"import": mcpgo.TaskSupportRequired, "count": mcpgo.TaskSupportOptional} {
		s.AddTool(mcpgo.NewTool(name, mcpgo.WithTaskSupport(support)), func(ctx context.Context, r mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
			if r.GetBool("wait", false) {
				<-ctx.Done()
				cancelled <- context.Cause(ctx)
				return nil, ctx.Err()
			}
			time.Sleep(100 * time.Millisecond)
			return mcpgo.NewToolResultText("done"), nil
		})
	}
	front := httptest.NewServer(mcpgoserver.NewStreamableHTTPServer(s))
	defer front.Close()
	o := mcpclient.Options{Revision: legacy}
	mcptaskclient.Enable(&o)
	c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: front.URL}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 { // the list of tools is known in the second round
		result, err := c.Call(t.Context(), "import", nil)
		if err != nil || result.Text() != "done" {
			t.Errorf("%+v, %v", result, err)
		}
	}
	task, err := mcptaskclient.CallTask(t.Context(), c, "count", nil)
	if err != nil || task.ID() == "" {
		t.Fatalf("%+v, %v", task, err)
	}
	found, err := mcptaskclient.Find(t.Context(), c, task.ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []*mcptaskclient.Task{task, found} {
		if result, err := one.Wait(t.Context()); err != nil || result.Text() != "done" {
			t.Errorf("%+v, %v", result, err)
		}
	}
	why := errors.New("why")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, why)
	defer cancel()
	if _, err := c.Call(ctx, "import", map[string]any{"wait": true}); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	select {
	case <-cancelled:
	case <-time.After(10 * time.Second):
		t.Error("the task goes on")
	}
	if _, err := mcptaskclient.Find(t.Context(), c, "none"); err == nil {
		t.Error("a task that is not there was found")
	}
}
