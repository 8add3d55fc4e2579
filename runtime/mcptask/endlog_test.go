package mcptask_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// An error that a handler returns because its task was cancelled, or belongs to another process, is
// logged at level debug; another failure is an error. Each line names the tool.
func TestEndsInLog(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		fails func(ctx context.Context) error
		level string
	}{
		"the cause":     {context.Cause, "DEBUG"},
		"the error":     {context.Context.Err, "DEBUG"},
		"wrapped":       {func(ctx context.Context) error { return fmt.Errorf("query: %w", ctx.Err()) }, "DEBUG"},
		"wrapped cause": {func(ctx context.Context) error { return fmt.Errorf("query: %w", context.Cause(ctx)) }, "DEBUG"},
		"a failure":     {func(context.Context) error { return broken }, "ERROR"},
		"a timeout":     {func(context.Context) error { return context.DeadlineExceeded }, "ERROR"},
	} {
		for _, end := range []string{"cancelled", "lease lost", "by itself"} {
			t.Run(name+" "+end, func(t *testing.T) {
				within(t, func(t *testing.T) {
					var log testbed.Log
					logger := mcp.WithLogger(log.Logger())
					before := 0 // length of the log before
					store := mcptask.NewMemory()
					mine := &dying{Store: store}
					mine.life, mine.end = context.WithCancel(context.Background())
					s := newServer(key, logger, mcptask.WithStore(mine, mcptask.WithConcurrency(1)))
					defer mcptask.Shutdown(t.Context(), s)
					addInfo(s, mcp.ToolInfo{Name: "work", InputSchema: schema, HideErrors: true}, mcptask.Support{Restart: true}, func(ctx context.Context) (string, error) {
						if end != "by itself" {
							<-ctx.Done()
						}
						err := c.fails(ctx)
						if err == nil {
							err = broken
						}
						return "", err
					})
					client := connect(t, s)
					id := client.begin("work")
					wait()
					switch end {
					case "cancelled":
						client.ask("tasks/cancel", `"taskId":"`+id+`"`)
					case "lease lost":
						mine.failing("renew", true)
						time.Sleep(10 * time.Second)
						before = len(log.String())
						other := newProcess(t, store)
						add(other.Server, "work", mcptask.Support{Restart: true}, func(context.Context) (string, error) { return "done", nil })
						connect(t, other.Server)
						time.Sleep(6 * time.Second)
						mine.failing("renew", false)
					}
					time.Sleep(time.Minute)
					want := c.level
					if end == "by itself" {
						want = "ERROR"
					}
					failed := 0
					for line := range strings.Lines(log.String()[before:]) {
						switch {
						case strings.Contains(line, `msg="tool failed"`):
							if failed++; !strings.Contains(line, "level="+want) || !strings.Contains(line, "feature=work") {
								t.Errorf("want level %s: %s", want, line)
							}
						case strings.Contains(line, "level=ERROR") && !strings.Contains(line, "cannot be renewed"), strings.Contains(line, "task=") && !strings.Contains(line, "tool=work"):
							t.Errorf("a line besides: %s", line)
						case strings.Contains(line, "run of a task ends") && end != "lease lost":
							t.Errorf("a lease is lost: %s", line)
						}
					}
					if failed != 1 || end == "lease lost" && !strings.Contains(log.String()[before:], "run of a task ends") {
						t.Errorf("the tool fails %d times: %s", failed, log.String()[before:])
					}
				})
			})
		}
	}
}
