package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// ask asks a server one request of revision 2026-07-28.
func ask(s *mcp.Server, method, params string) string {
	client, wait := s.Connect(context.Background())
	_ = client.Write([]byte(request(1, method, `{`+modernMeta+`,`+params+`}`) + "\n"))
	reply, _ := client.Read()
	client.Close()
	_ = wait()
	var r struct {
		Result struct {
			Content []mcp.Text
			Tools   []struct{ Name string }
		}
		Error struct{ Message string }
	}
	_ = json.Unmarshal(reply, &r)
	texts := []string{r.Error.Message}
	for _, c := range r.Result.Content {
		texts = append(texts, c.Text)
	}
	for _, t := range r.Result.Tools {
		texts = append(texts, t.Name)
	}
	return strings.TrimSpace(strings.Join(texts, " "))
}

// Features that the policy does not allow do not exist for clients.
func ExampleWithPolicy() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"}, mcp.WithPolicy(mcp.Policy{
		Deny: []string{"delete_*", "group:admin", "file:///secret/*"},
	}))
	nothing := func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "search"}, nothing))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "delete_book"}, nothing))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "restart", Groups: []string{"admin"}}, nothing))

	fmt.Println(ask(s, "tools/list", `"x":1`))
	fmt.Println(ask(s, "tools/call", `"name":"delete_book"`))
	// Output:
	// search
	// unknown tool: delete_book
}

func ExampleWithTimeout() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"}, mcp.WithTimeout(10*time.Millisecond))
	s.Register(maker("search", func(ctx context.Context) (string, error) {
		<-ctx.Done() // or call anything that takes a context
		return "", ctx.Err()
	}))

	fmt.Println(ask(s, "tools/call", `"name":"search"`))
	// Output: timed out after 10ms
}

func ExampleLogCalls() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "duration" {
				return slog.Attr{} // they differ each time
			}
			return a
		},
	}))
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"}, mcp.WithInterceptors(mcp.LogCalls(logger)))
	s.Register(maker("search", func(context.Context) (string, error) { return "Emma", nil }))

	fmt.Println(ask(s, "tools/call", `"name":"search","arguments":{"password":"1234"}`))
	fmt.Println(ask(s, "tools/call", `"name":"find"`))
	// Output:
	// level=INFO msg=request method=tools/call feature=search outcome=ok
	// Emma
	// level=WARN msg=request method=tools/call feature=find outcome=error code=-32602
	// unknown tool: find
}
