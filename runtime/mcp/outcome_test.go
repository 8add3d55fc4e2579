package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Replies and errors that handlers and interceptors should not return.
func TestOddOutcomes(t *testing.T) {
	errEmpty := errors.New("")
	var log testbed.Log
	s := mcp.NewServer(fixtureInfo(), mcp.WithLogger(log.Logger()), mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			switch req.Name {
			case "nothing":
				return nil, nil
			case "asks":
				return &mcp.InputRequired{}, nil
			case "rewritten":
				reply, err := next(ctx, req)
				if result, ok := reply.(*mcp.ToolResult); ok {
					result.Structured = json.RawMessage(strings.Repeat("x", len(result.Structured)))
				}
				return reply, err
			}
			return next(ctx, req)
		}
	}))
	for _, name := range []string{"nothing", "asks"} {
		s.Register(named(name, ""))
		s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: name}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText("text"), nil
		}))
	}
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "not_found"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
		return nil, mcp.ErrNotFound
	}))
	tool(s, "empty_error", func(context.Context) (string, error) { return "", errEmpty })
	tool(s, "empty_tool_error", func(context.Context) (string, error) { return "", mcp.Errorf("") })
	s.Register(mcpimpl.FuncTool(empty("nil_content", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		return &mcp.ToolResult{Content: []mcp.Content{mcp.Text{Text: "a"}, nil}}, nil
	})))
	s.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "rewritten", InputSchema: `{"type":"object"}`, OutputSchema: `{"type":"object"}`}, func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		e := mcpimpl.Encoder(req)
		e.Begin()
		e.Name("x")
		n := 1
		wire.PutInt(e, &n)
		e.End()
		return mcpimpl.Structured(req, e)
	}))
	client := connect(t, s)
	for _, test := range []struct{ method, name, want, log string }{
		{"tools/call", "nothing", `"result":{"content":[`, ""},
		{"prompts/get", "nothing", `"error":{"code":-32603,"message":"internal error, reference `, "handler returned no reply"},
		{"tools/call", "asks", `"isError":true`, "an interceptor has returned"},
		{"prompts/get", "asks", `"error":{"code":-32603,"message":"internal error, reference `, "an interceptor has returned"},
		{"prompts/get", "not_found", `"error":{"code":-32603,`, ""},
		{"tools/call", "empty_error", `"text":"failed with an empty error message"`, ""},
		{"tools/call", "empty_tool_error", `"text":"failed with an empty error message"`, ""},
		{"tools/call", "nil_content", `"isError":true`, "nil content block"},
		{"tools/call", "rewritten", `"isError":true`, "write structured content"},
	} {
		before := len(log.String())
		if got := client(request(1, test.method, `{"name":"`+test.name+`"}`)); !strings.Contains(got, test.want) {
			t.Errorf("%s %s: %s, want %s", test.method, test.name, got, test.want)
		}
		if text := log.String()[before:]; !strings.Contains(text, test.log) {
			t.Errorf("%s %s: the log has %s", test.method, test.name, text)
		}
	}
}

// If a tool has an output schema, the schema decides whether its results are wrapped, since it is
// wrapped too.
func TestWrappedObjects(t *testing.T) {
	s := mcp.NewServer(fixtureInfo(), quiet)
	for name, schema := range map[string]string{"union": `{"anyOf":[{"type":"object"},{"type":"string"}]}`, "object": `{"type":"object"}`, "none": ""} {
		s.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`, OutputSchema: schema}, func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Structured: json.RawMessage(`{"a":1}`)}, nil
		}))
	}
	client := connect(t, s)
	for name, want := range map[string]string{
		"union": `"structuredContent":{"result":{"a":1}}`, "object": `"structuredContent":{"a":1}`, "none": `"structuredContent":{"a":1}`,
	} {
		if got := client(request(1, "tools/call", `{"name":"`+name+`"}`)); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A result that is too long is refused before all of its blocks are written.
func TestBlocksOfATooLongResult(t *testing.T) {
	block := mcp.Text{Text: strings.Repeat("x", 1<<20)}
	reply, allocated := answers(t, mcp.Limits{ResultBytes: 1 << 20}, mcp.NewTool(mcp.ToolInfo{Name: "f"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		result := new(mcp.ToolResult)
		for range 200 {
			result.Content = append(result.Content, block)
		}
		return result, nil
	}), "tools/call", `{"name":"f"}`)
	if !strings.Contains(reply, `"isError":true`) || allocated > 32<<20 {
		t.Errorf("%d MB are allocated: %.300s", allocated>>20, reply)
	}
	// The bytes around the texts count, too.
	for name, block := range map[string]mcp.Content{
		"text": mcp.Text{Text: "x"}, "image": mcp.Image{Data: []byte("x"), MIMEType: "image/png"}, "link": mcp.ResourceLink{URI: "x:y", Name: "z"},
	} {
		reply, _ := answers(t, mcp.Limits{ResultBytes: 10_000}, mcp.NewTool(mcp.ToolInfo{Name: "f"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.ContentResult(slices.Repeat([]mcp.Content{block}, 1000)...), nil
		}), "tools/call", `{"name":"f"}`)
		if !strings.Contains(reply, `"isError":true`) {
			t.Errorf("%s: %d bytes: %.300s", name, len(reply), reply)
		}
	}
}

// The attributes of a record are bounded together.
func TestLogRecordsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet)
		tool(s, "logs", func(ctx context.Context) (string, error) {
			var attrs []any
			for i := range 200 {
				attrs = append(attrs, slog.String("a"+strings.Repeat("b", i), strings.Repeat("x", 10<<10)))
			}
			mcp.Logger(ctx).Error("many", attrs...)
			return "done", nil
		})
		p := limited(t, s)
		p.send(call(1, "logs", "{}") + "\n")
		synctest.Wait()
		if got := p.received(); len(got) != 2 || len(got[0]) > 300<<10 || len(got[0]) < 200<<10 {
			t.Errorf("%d messages, the first of %d bytes", len(got), len(got[0]))
		}
		p.hangUp()
	})
}

// A tool that has timed out returns that error, even if its errors are hidden. The context of a
// tool that was quick is cancelled, but not by a timeout.
func TestTimeoutsOfTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var own context.Context
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				reply, err := next(ctx, req)
				if req.Name == "quick" {
					if own.Err() == nil {
						t.Error("the context of the tool goes on")
					}
					time.Sleep(time.Minute)
				}
				return reply, err
			}
		}))
		slow := empty("slow", true)
		slow.Timeout = time.Second
		s.Register(mcpimpl.FuncTool(slow, noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})))
		quick := empty("quick", true)
		quick.Timeout = time.Second
		s.Register(mcpimpl.FuncTool(quick, noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
			own = ctx
			return mcp.TextResult("done"), nil
		})))
		p := limited(t, s)
		p.send(call(1, "slow", "{}") + "\n")
		time.Sleep(time.Minute)
		if got := strings.Join(p.received(), ""); !strings.Contains(got, `"text":"timed out after 1s"`) {
			t.Errorf("slow: %s", got)
		}
		p.send(call(2, "quick", "{}") + "\n")
		time.Sleep(2 * time.Minute)
		if got := strings.Join(p.received(), ""); !strings.Contains(got, `"text":"done"`) {
			t.Errorf("quick: %s", got)
		}
		p.hangUp()
	})
}

// A sequence ends when its call is cancelled.
func TestSequenceOfACancelledCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		yielded := 0
		s := mcp.NewServer(fixtureInfo(), quiet)
		s.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "stream", InputSchema: `{"type":"object"}`, OutputSchema: `{}`}, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			return mcpimpl.Stream(ctx, req, func(yield func(string) bool) {
				<-ctx.Done()
				for range 100 {
					yielded++
					if !yield("item") {
						return
					}
				}
			}, wire.PutString[string])
		}))
		p := limited(t, s)
		p.send(call(1, "stream", "{}") + "\n")
		synctest.Wait()
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
		synctest.Wait()
		if yielded != 1 {
			t.Errorf("%d items", yielded)
		}
		p.hangUp()
	})
}
