package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The reason of a cancellation is logged, truncated and without characters that a terminal
// interprets; the handler gets the same text.
func TestReasonsAreLogged(t *testing.T) {
	spec.Holds(t, "S176")
	for _, test := range []struct{ reason, logged string }{
		{"the user gave up", "the user gave up"},
		{"größer", "größer"},
		{strings.Repeat("x", 10_000), strings.Repeat("x", 256) + "…"},
		{strings.Repeat("é", 10_000), strings.Repeat("é", 128) + "…"},
		{"a\nlevel=ERROR", `"a\nlevel=ERROR"`},
		{"\x1b[2J", `"\x1b[2J"`},
		{"a\u202eb", `"a\u202eb"`},
		{"", ""},
	} {
		eachWay(t, func(t *testing.T, way string) {
			var logged bytes.Buffer
			s := mcp.NewServer(fixtureInfo(), mcp.WithLogger(slog.New(slog.NewJSONHandler(&logged, nil))))
			var cause error
			tool(s, "block", func(ctx context.Context) (string, error) {
				<-ctx.Done()
				cause = context.Cause(ctx)
				return "", cause
			})
			p := dial(t, s, way)
			defer p.hangUp()
			reason, _ := json.Marshal(test.reason)
			p.send(lines(initialize("2025-11-25"), initialized, call(1, "block", "{}")))
			synctest.Wait()
			p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":` + string(reason) + "}}\n" +
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9,"reason":"of none"}}` + "\n")
			synctest.Wait()
			want := mcp.ErrCancelled.Error()
			if test.logged != "" {
				want += ": " + test.logged
			}
			if !errors.Is(cause, mcp.ErrCancelled) || cause.Error() != want {
				t.Errorf("the cause is %v, want %s", cause, want)
			}
			var line struct{ Msg, Method, Name, Reason string }
			if test.logged == "" {
				if logged.Len() > 0 {
					t.Errorf("logged %s", &logged)
				}
				return
			}
			if err := json.Unmarshal(logged.Bytes(), &line); err != nil {
				t.Fatalf("logged %s: %v", &logged, err)
			}
			if line.Method != "tools/call" || line.Name != "block" || line.Reason != test.logged {
				t.Errorf("logged %+v, want %q", line, test.logged)
			}
		})
	}
}
