package mcptask_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"time"
)

// A tool that answers in time costs at most two allocations more than without tasks, and no access to
// the store.
func TestAllocationsInTime(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	allocations := func(name string) float64 {
		store := &counting{Store: mcptask.NewMemory()}
		s := newServer(mcptask.WithStore(store))
		defer mcptask.Shutdown(context.Background(), s)
		f := func(context.Context) (string, error) { return "done", nil }
		add(s, "optional", mcptask.Support{Inline: time.Minute}, f)
		s.Register(plainTool("plain", f))
		conn, wait := s.Connect(context.Background())
		defer wait()
		defer conn.Close()
		message := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":` + withTasks + `}}}` + "\n")
		n := testing.AllocsPerRun(500, func() {
			if err := conn.Write(message); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Read(); err != nil {
				t.Fatal(err)
			}
		})
		if store.created > 0 {
			t.Errorf("%d records are created", store.created)
		}
		return n
	}
	plain, optional := allocations("plain"), allocations("optional")
	t.Logf("%v allocations, %v without tasks", optional, plain)
	if optional > plain+2 {
		t.Errorf("%v allocations, %v without tasks", optional, plain)
	}
}

// counting counts what is created.
type counting struct {
	mcptask.Store
	created int
}

func (c *counting) Create(ctx context.Context, r *mcptask.Record, q mcptask.Quota, lease time.Duration) error {
	c.created++
	return c.Store.Create(ctx, r, q, lease)
}

func plainTool(name string, f func(ctx context.Context) (string, error)) mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{Name: name, InputSchema: schema}, handler(f))
}
