package mcpclient_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestUndeclared checks that a question is refused and reported if its capability was not declared.
func TestUndeclared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v violations
		refused := make(chan int, 1)
		var call message
		s := &scripted{handle: legacy(func(_ int, m message) []string {
			if m.Error != nil {
				refused <- m.Error.Code
				return []string{call.reply(okResult)}
			}
			call = m
			return []string{`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`}
		})}
		c := connect(t, s, mcpclient.Options{OnProtocolError: v.add})
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		if code := <-refused; code != -32601 {
			t.Errorf("code %d", code)
		}
		synctest.Wait()
		if !slices.ContainsFunc(v.texts(), func(s string) bool { return strings.Contains(s, "the server asks for roots/list") }) {
			t.Errorf("reported: %q", v.texts())
		}
	})
}

// TestUndeclaredInRevision checks that a server of an older revision gets no answer if the client
// declares the capability only in newer revisions.
func TestUndeclaredInRevision(t *testing.T) {
	form := `"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}`
	link := `"elicitation/create","params":{"mode":"url","message":"?","url":"https://example.com/","elicitationId":"1"}`
	tools := `"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"tools":[{"name":"x","inputSchema":{"type":"object"}}]}`
	for _, test := range []struct {
		name, revision, question string
		code                     int // 0: the client answers
	}{
		{"form, before there were any", "2024-11-05", form, -32601},
		{"form, before there were any", "2025-03-26", form, -32601},
		{"form", "2025-06-18", form, 0},
		{"form", "2025-11-25", form, 0},
		{"link, before there were questions", "2025-03-26", link, -32601},
		{"link, when there were forms alone", "2025-06-18", link, -32602},
		{"link", "2025-11-25", link, 0},
		{"tools, before there were any", "2025-06-18", tools, -32602},
		{"tools", "2025-11-25", tools, 0},
	} {
		t.Run(test.revision+" "+test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := make(chan int, 1)
				var call message
				s := &scripted{handle: func(_ int, m message) []string {
					switch {
					case m.Method == "initialize":
						return []string{m.reply(strings.Replace(initializeResult, "2025-11-25", test.revision, 1))}
					case m.Error != nil:
						got <- m.Error.Code
						return []string{call.reply(okResult)}
					case m.Result != nil:
						got <- 0
						return []string{call.reply(okResult)}
					case m.Method == "tools/call":
						call = m
						return []string{`{"jsonrpc":"2.0","id":"q","method":` + test.question + `}`}
					}
					return nil
				}}
				asked := 0
				c := connect(t, s, mcpclient.Options{
					Revision: test.revision,
					Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
						asked++
						return mcpclient.Accept(nil), nil
					},
					OpenURL: func(context.Context, *mcpclient.Elicitation) (mcp.ElicitAction, error) {
						asked++
						return mcp.ActionAccept, nil
					},
					Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) {
						asked++
						return mcpclient.TextAnswer("."), nil
					},
					SampleTools:     true,
					OnProtocolError: func(error) {},
				})
				if _, err := c.Call(t.Context(), "x", nil); err != nil {
					t.Fatal(err)
				}
				if code := <-got; code != test.code || (asked == 1) != (code == 0) {
					t.Errorf("code %d, and %d functions were called", code, asked)
				}
			})
		})
	}
}
