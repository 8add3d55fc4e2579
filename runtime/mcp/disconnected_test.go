package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// Errors of handlers whose client has gone are logged at level debug; other hidden errors at level
// error.
func TestDisconnectedIsNoError(t *testing.T) {
	for name, test := range map[string]struct {
		fail func(ctx context.Context) error
		logs bool
	}{
		"gone":    {func(ctx context.Context) error { return fmt.Errorf("wait: %w", context.Cause(ctx)) }, false},
		"another": {func(context.Context) error { return fmt.Errorf("disk full") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				s := newFixture(mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))), mcp.WithLimits(mcp.Limits{DrainTime: time.Second}))
				s.Register(mcpimpl.FuncTool(empty("wait", true), noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
					<-ctx.Done()
					return nil, test.fail(ctx)
				})))
				p := limited(t, s)
				p.send(lines(call(1, "wait", "{}")))
				synctest.Wait()
				p.eof()
				<-p.done
				synctest.Wait()
				if logged := strings.Contains(log.String(), "level=ERROR"); logged != test.logs {
					t.Errorf("logged %s", &log)
				}
				p.gone()
			})
		})
	}
}
