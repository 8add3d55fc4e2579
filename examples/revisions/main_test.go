package main

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestDescribe(t *testing.T) {
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			c := mcptest.New(t, NewMCPServer(), mcptest.Options{
				Revision: revision,
				Client:   mcp.ClientInfo{Name: "desk", Version: "1"},
				Elicit:   func(context.Context, *mcpclient.Elicitation) mcpclient.ElicitAnswer { return mcpclient.Decline() },
			})
			// Elicitation came with 2025-06-18. Revisions are dates, so they compare as strings.
			want := Description{Revision: revision, Client: "desk", CanAsk: revision >= "2025-06-18"}
			if got := mcptest.Call[Description](c, "describe", nil); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			// Structured content came with 2025-06-18 too; every revision contains the text.
			result := c.Call("describe", nil)
			if (result.Structured != nil) != (revision >= "2025-06-18") || len(result.Content) != 1 {
				t.Errorf("result %+v", result)
			}
		})
	}
}
