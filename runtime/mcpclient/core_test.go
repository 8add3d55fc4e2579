package mcpclient_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

func TestConnectInMemory(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "test"})
	for _, revision := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{Revision: revision})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(c.Revision())
			if err := c.Ping(context.Background()); err != nil {
				t.Error(err)
			}
			tools, err := c.Tools(context.Background())
			t.Log(tools, err)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
