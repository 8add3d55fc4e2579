package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// talk prints the messages of a server in reply to messages of a client, until it has answered or
// asks a question.
func talk(s *mcp.Server, sent ...string) {
	client, wait := s.Connect(context.Background())
	client.Write([]byte(initialize("2025-11-25") + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
	client.Read()
	for _, text := range sent {
		client.Write([]byte(text + "\n"))
		for {
			said, err := client.Read()
			if err != nil {
				break
			}
			fmt.Println(string(said))
			if m, _ := jsonrpc.Parse(said); m.Kind != jsonrpc.Notification {
				break
			}
		}
	}
	client.Close()
	wait()
}

// answer is the client's answer to a question of the server.
func answer(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// maker returns a tool that calls a function without arguments.
func maker(name string, f func(ctx context.Context) (string, error)) mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{Name: name}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		text, err := f(ctx)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(text), nil
	})
}

func greet(_ context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
	var args struct{ Name string }
	if err := json.Unmarshal(arguments, &args); err != nil {
		return nil, err
	}
	if args.Name == "" {
		return nil, mcp.Errorf("say whom to greet")
	}
	return mcp.TextResult("Hello, " + args.Name + "!"), nil
}

// A hand-written tool with its schema. Generated code does this for annotated functions.
func ExampleNewTool() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "greeter", Version: "1.0.0"})
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name:        "greet",
		Description: "Greets somebody by name.",
		InputSchema: `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`,
		Hints:       mcp.ToolHints{ReadOnly: true},
	}, greet))
	talk(s, call(1, "greet", `{"name":"Ada"}`), call(2, "greet", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"say whom to greet"}],"isError":true}}
}

// A program that a client starts: it exits when the client closes its input.
func ExampleServer_ServeStdio() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "greeter"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "greet"}, greet))
	if err := s.ServeStdio(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// An interceptor sees every request, and the error of a tool before the client does.
func ExampleWithInterceptors() {
	log := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			reply, err := next(ctx, req)
			fmt.Println(strings.TrimSpace(req.Method+" "+req.Name), err)
			return reply, err
		}
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "greeter"}, mcp.WithInterceptors(log))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "greet"}, greet))
	talk(s, call(1, "greet", `{}`))
	// Output:
	// initialize <nil>
	// tools/call greet say whom to greet
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"say whom to greet"}],"isError":true}}
}

// A feature that only some callers see.
func ExampleVisible() {
	visible := func(ctx context.Context, f mcp.FeatureInfo) bool {
		return f.Name != "admin" || mcp.CallFrom(ctx).Client().Name == "console"
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"}, mcp.WithAccess(mcp.Visible(visible)))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "admin"}, greet))
	talk(s, call(1, "admin", `{"name":"Ada"}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool: admin"}}
}

// Features of several packages on one server.
func ExamplePrefix() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	register := func(r mcp.Registrar) { r.Register(mcp.NewTool(mcp.ToolInfo{Name: "greet"}, greet)) }
	register(s)
	register(mcp.Prefix(s, "billing"))
	for _, f := range s.Features() {
		fmt.Println(f.Kind, f.Name)
	}
	// Output:
	// tool greet
	// tool billing_greet
}

func ExampleSelect() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	readers := mcp.Select(s, func(f mcp.FeatureInfo) bool { return f.Hints.ReadOnly })
	readers.Register(mcp.NewTool(mcp.ToolInfo{Name: "read", Hints: mcp.ToolHints{ReadOnly: true}}, greet))
	readers.Register(mcp.NewTool(mcp.ToolInfo{Name: "delete", Hints: mcp.ToolHints{Destructive: true}}, greet))
	for _, f := range s.Features() {
		fmt.Println(f.Name)
	}
	// Output:
	// read
}

// Blocks of several kinds in one result.
func ExampleContentResult() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "report"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.ContentResult(
			mcp.Text{Text: "See the report.", Annotations: &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}}},
			mcp.ResourceLink{URI: "file:///report.pdf", Name: "report", MIMEType: "application/pdf"},
		), nil
	}))
	talk(s, call(1, "report", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"See the report.","annotations":{"audience":["user"]}},{"type":"resource_link","uri":"file:///report.pdf","name":"report","mimeType":"application/pdf"}]}}
}

// Structured content, which the model also gets as text.
func ExampleToolResult() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "count"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return &mcp.ToolResult{Structured: json.RawMessage(`{"count": 3}`)}, nil
	}))
	talk(s, call(1, "count", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"count\": 3}"}],"structuredContent":{"count": 3}}}
}

func ExampleProtocolError() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "pay"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return nil, &mcp.ProtocolError{Code: 402, Message: "no credit", Data: json.RawMessage(`{"left":0}`)}
	}))
	talk(s, call(1, "pay", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"code":402,"message":"no credit","data":{"left":0}}}
}

func ExampleCallFrom() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "who"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		call := mcp.CallFrom(ctx)
		return mcp.TextResult(fmt.Sprint(call.Client().Name, " ", call.Revision(), " ", call.Can(mcp.CapabilityElicitation))), nil
	}))
	talk(s, call(7, "who", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"c 2025-11-25 true"}]}}
}

func ExampleLogger() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"}, mcp.WithLogger(log))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "work"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		mcp.Logger(ctx).Info("half done", "percent", 50)
		return mcp.TextResult("done"), nil
	}))
	talk(s, call(7, "work", `{}`))
	// Output:
	// level=INFO msg="half done" tool=work id=7 percent=50
	// {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"work","data":{"message":"half done","percent":50}}}
	// {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}]}}
}

// The cause of a context's cancellation.
func ExampleErrCancelled() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "wait", Timeout: time.Millisecond}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		<-ctx.Done()
		cause := context.Cause(ctx)
		fmt.Println(errors.Is(cause, mcp.ErrCancelled), errors.Is(cause, mcp.ErrTimeout))
		return nil, cause
	}))
	talk(s, call(1, "wait", `{}`))
	// Output:
	// false true
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"timed out after 1ms"}],"isError":true}}
}
