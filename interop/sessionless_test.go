package interop

import (
	"context"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Clients of the revisions with sessions work without sessions.
func TestTypeScriptSessionless(t *testing.T) {
	node(t)
	for _, of := range []struct{ sdk, revision string }{{sdk1, links}, {sdk2, links}, {sdk2, "2025-03-26"}} {
		t.Run(of.sdk+"/"+of.revision, func(t *testing.T) {
			t.Parallel()
			f := follow(t, of.sdk, talker, way{http, of.revision}, plan{Walk: "sessionless"}, "-sessionless")
			f.same("hello", of.revision)
			f.same("session", "none")
			f.same("tools", 16)
			if of.revision >= forms {
				f.same("add", map[string]any{"sum": 3})
			} else {
				f.same("add", nil)
			}
			f.same("meet", "met")
			f.contains("feast", "failed: the client lacks the capability elicitation")
			f.failed("stumble", 4711, "fell")
			f.same("ping", map[string]any{})
			f.same("complaints", []string{})
			f.same("wire", []string{"GET 405", "POST 200", "POST 202"})
			f.same("compressed", false)
			f.end(talker)
		})
	}
}

func TestGoSDKSessionless(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	url := serve(t, talker, http, "-sessionless").url
	over, wire := httpClient(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: over},
		&mcp.ClientSessionOptions{ProtocolVersion: links})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "session", session.ID(), "")
	same(t, "climb", say(t, ctx, session, "climb"), "up")
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "stumble"})
	if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != 4711 {
		t.Errorf("stumble: %v", err)
	}
	if err := session.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if ends := wire.all(func(e *exchange) bool { return e.request == "DELETE" }); len(ends) > 0 {
		t.Errorf("there is no session to end: %+v", ends[0])
	}
}
