package main

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestDeleteNote(t *testing.T) {
	confirm := func(yes bool) mcpclient.ElicitAnswer { return mcpclient.Accept(map[string]any{"confirm": yes}) }
	for _, c := range []struct {
		name   string
		answer *mcpclient.ElicitAnswer // nil: the client cannot ask
		want   string                  // in the error for the model; "" without an error
	}{
		{"agrees", new(confirm(true)), ""},
		{"agrees to nothing", new(confirm(false)), "wants to keep"},
		{"declines", new(mcpclient.Decline()), "wants to keep"},
		{"cancels", new(mcpclient.Cancel()), "wants to keep"},
		{"cannot be asked", nil, ""},
	} {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(c.name+" in "+revision, func(t *testing.T) {
				options := mcptest.Options{Revision: revision}
				if c.answer != nil {
					options.Elicit = func(context.Context, *mcpclient.Elicitation) mcpclient.ElicitAnswer { return *c.answer }
				}
				client, arguments := mcptest.New(t, NewMCPServer(NewNotes()), options), map[string]any{"name": "plan"}
				if c.answer == nil {
					if result, err := client.Start("delete_note", arguments).Result(); err == nil && !result.IsError {
						t.Errorf("deleted without a question: %+v", result)
					}
				} else if c.want != "" {
					if got := client.CallError("delete_note", arguments); !strings.Contains(got, c.want) {
						t.Errorf("got %q", got)
					}
				} else if got := mcptest.Call[[]string](client, "delete_note", arguments); len(got) != 1 || got[0] != "list" {
					t.Errorf("left are %q", got)
				}
			})
		}
	}
}
