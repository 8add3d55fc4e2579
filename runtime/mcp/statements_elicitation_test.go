package mcp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Only the client that was asked is notified that the user has been to the URL.
func TestEndOfAnElicitation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2025-11-25")
		tool(s, "link", func(ctx context.Context) (string, error) {
			answer, err := mcp.ElicitURL(ctx, "Open this", "https://example.com/a")
			if err == nil {
				answer.Complete(ctx)
			}
			return "", err
		})
		c.dial(t, s)
		other, _ := clientIn(t, "2025-11-25")
		other.dial(t, s)
		asked := c.one("tools/call", `"name":"link"`)
		c.send(`{"jsonrpc":"2.0","id":` + string(membersOf(t, asked)["id"]) + `,"result":{"action":"accept"}}` + "\n")
		synctest.Wait()
		spec.Holds(t, "S322", "S323")
		if said := strings.Join(c.received(), "\n"); !strings.Contains(said, `"method":"notifications/elicitation/complete","params":{"elicitationId":"e-1"}`) {
			t.Errorf("who was asked hears %s", said)
		}
		if said := other.received(); len(said) != 0 {
			t.Errorf("the other client hears %q", said)
		}
		c.hangUp()
		other.hangUp()
	})
}
