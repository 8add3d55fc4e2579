package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// scripted returns a function that connects to a server which sends the texts before its reply to
// tools/call, and answers the handshake of a session.
func scripted(texts ...string) func(context.Context) (jsonrpc.Conn, func() error) {
	return func(ctx context.Context) (jsonrpc.Conn, func() error) {
		client, server := jsonrpc.Pipe()
		done := make(chan struct{})
		stop := context.AfterFunc(ctx, func() { _ = server.Close() })
		go func() {
			defer close(done)
			defer stop()
			for {
				data, err := server.Read()
				if err != nil {
					return
				}
				var m struct {
					ID     json.RawMessage
					Method string
				}
				if json.Unmarshal(data, &m) != nil || m.ID == nil {
					continue
				}
				result := `{"content":[],"resultType":"complete"}`
				switch m.Method {
				case "initialize":
					result = `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`
				case "tools/call":
					for _, text := range texts {
						if text == "end" {
							_ = server.Close()
							return
						}
						_ = server.Write([]byte(strings.ReplaceAll(text, "ID", string(m.ID)) + "\n"))
						if strings.Contains(text, "ID") {
							m.ID = nil // it was the reply
						}
					}
				}
				if m.ID == nil {
					continue
				}
				_ = server.Write(fmt.Appendf(nil, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result))
			}
		}()
		return client, func() error { <-done; return nil }
	}
}

// TestStrict checks that protocol violations of a server fail the test.
func TestStrict(t *testing.T) {
	const session, modern = "2025-11-25", newestRevision
	for _, c := range []struct{ name, revision, sends, want string }{
		{"nothing", session, ``, ``},
		{"unknown request", modern, `{"jsonrpc":"2.0","id":99,"result":{}}`, `mcptest: the server breaks the protocol: a reply to a request that`},
		{"no JSON", session, `{"jsonrpc":`, `mcptest: the server breaks the protocol: `},
		{"request without sessions", modern, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `mcptest: the server breaks the protocol: a request, which`},
		{"undeclared", session, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, `mcptest: the server asks for roots/list, which the client does not support: {`},
		{"progress", session, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}`, `mcptest: the server breaks the protocol: progress`},
		{"log", session, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":5}}`, `mcptest: the server breaks the protocol: a log message`},
		{"an array", session, `[]`, `mcptest: the server breaks the protocol: `},
		{"no result", modern, `{"jsonrpc":"2.0","id":ID}`, `mcptest: tools/call x: the server breaks the protocol: `},
		{"no object", modern, `{"jsonrpc":"2.0","id":ID,"result":5}`, `mcptest: tools/call x: the server breaks the protocol: a result that is not an object`},
		{"content", modern, `{"jsonrpc":"2.0","id":ID,"result":{"content":null}}`, `mcptest: the server breaks the protocol: tools/call: content is null`},
		{"undeclared input", modern, `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}}`,
			`mcptest: tools/call x: the server asks for roots/list as input request "a", which the client does not support`},
		{"the end", session, `end`, `mcptest: tools/call x: the server has ended the connection`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := Failure(func(t testing.TB) { open(t, scripted(c.sends), Options{Revision: c.revision}).Call("x", nil) })
				if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		})
	}
}

// TestOrder checks that requests are sent in the order of the test, and that each was passed to the
// connection when Start returns.
func TestOrder(t *testing.T) {
	for _, revision := range Revisions() {
		synctest.Test(t, func(t *testing.T) {
			var sent []string
			s := silentServer(func(ctx context.Context) { <-ctx.Done() })
			c := New(t, s, Options{Revision: revision, OnMessage: func(fromServer bool, message json.RawMessage) {
				var m struct {
					ID     int
					Method string
					Params struct {
						Arguments struct{ N *int }
						Reason    string
						RequestID int `json:"requestId"`
					}
				}
				if fromServer || json.Unmarshal(message, &m) != nil {
					return
				}
				if m.Params.Arguments.N != nil {
					sent = append(sent, fmt.Sprintf("%d: %d", m.ID, *m.Params.Arguments.N))
				}
				if m.Method == "notifications/cancelled" {
					sent = append(sent, fmt.Sprintf("%d cancelled: %s", m.Params.RequestID, m.Params.Reason))
				}
			}})
			first := 1
			if revision != newestRevision {
				first = 3 // after initialize and ping
			}
			var want []string
			var running []*Running[mcp.ToolResult]
			for i := range 20 {
				running = append(running, c.Start("run", map[string]int{"n": i}))
				if want = append(want, fmt.Sprintf("%d: %d", first+i, i)); !slices.Equal(sent, want) {
					t.Fatalf("%s: after Start %d: %q", revision, i, sent)
				}
			}
			for i, r := range running {
				r.Cancel(fmt.Sprint("reason ", i))
				if want = append(want, fmt.Sprintf("%d cancelled: reason %d", first+i, i)); !slices.Equal(sent, want) {
					t.Fatalf("%s: after Cancel %d: %q", revision, i, sent)
				}
			}
		})
	}
}

// TestWrongOnPurpose checks that a test can send invalid values.
func TestWrongOnPurpose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := silentServer(func(ctx context.Context) {
			_, err := mcp.ElicitFields(ctx, "x", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "x", Kind: mcp.BooleanField, Required: true}}})
			if err == nil || !strings.Contains(err.Error(), "x") {
				t.Errorf("an answer that does not fit: %v", err)
			}
		})
		asked := 0
		options := Options{Revision: "2025-11-25", Elicit: func(context.Context, *mcpclient.Elicitation) mcpclient.ElicitAnswer {
			asked++
			return mcpclient.Accept(map[string]any{"x": "no boolean"})
		}}
		New(t, s, options).Call("run", nil)
		if asked == 0 {
			t.Error("not asked")
		}
		c := New(t, s, Options{})
		for _, wrong := range []struct {
			method, params string
			code           int
		}{
			{"logging/setLevel", `{"level":"info"}`, jsonrpc.CodeMethodNotFound},
			{"prompts/list", `{}`, jsonrpc.CodeMethodNotFound},
			{"tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}`, -32022},
			{"tools/call", `{"name":"run","arguments":5}`, jsonrpc.CodeInvalidParams},
		} {
			_, err := c.Request(wrong.method, json.RawMessage(wrong.params))
			if e, ok := err.(*jsonrpc.Error); !ok || e.Code != wrong.code {
				t.Errorf("%s %s: %v, want code %d", wrong.method, wrong.params, err, wrong.code)
			}
		}
		_, err := c.Start("run", []int{1}).Result()
		if e, ok := err.(*jsonrpc.Error); !ok || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("arguments that are an array: %v", err)
		}
	})
}
