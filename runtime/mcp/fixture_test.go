package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The tools of the conversations, in the form of generated code.

var errOutOfStock = errors.New("out of stock")

func declared(err error) (string, bool) {
	if errors.Is(err, errOutOfStock) {
		return "no copy is left", true
	}
	return "", false
}

var infoAdd = mcp.ToolInfo{
	Name: "add", Title: "Addition", Description: "Adds two integers.", Symbol: "Add", Groups: []string{"math"},
	Hints:        mcp.ToolHints{ReadOnly: true, Idempotent: true},
	Icons:        []mcp.Icon{{Source: "https://example.com/add.png", MIMEType: "image/png", Sizes: []string{"48x48"}}},
	InputSchema:  `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer","maximum":100,"x-mcp-header":"B"}},"required":["a","b"],"additionalProperties":false}`,
	OutputSchema: `{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false}`,
	Aliases:      []string{"plus"},
}

var fieldsAdd = wire.Fields{{Must: "a"}, {Must: "b"}}

func callAdd(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
	var args struct{ a, b int64 }
	d := mcpimpl.Decoder(req)
	for o := d.Object(fieldsAdd); o.Next(); {
		switch o.Name() {
		case "a":
			wire.Int(d, &args.a)
		case "b":
			wire.Int(d, &args.b)
			wire.Maximum(d, args.b, 100)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	sum := args.a + args.b
	e := mcpimpl.Encoder(req)
	e.Begin()
	e.Name("sum")
	wire.PutInt(e, &sum)
	e.End()
	return mcpimpl.Structured(req, e)
}

var infoWords = mcp.ToolInfo{
	Name: "words", Description: "Lists words.", Symbol: "(*Dictionary).Words",
	InputSchema:  `{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`,
	OutputSchema: `{"type":"array","items":{"$ref":"#/$defs/Word"},"$defs":{"Word":{"type":"string","enum":["#/$defs/Word","x"]}}}`,
	MaxResult:    100, Narrow: []string{"n", "prefix"}, Lenient: true,
}

type dictionary struct{}

func callWords(_ context.Context, req *mcp.Request, _ *dictionary) (*mcp.ToolResult, error) {
	n := 2
	d := mcpimpl.Decoder(req)
	for o := d.Object(wire.Fields{{Name: "n"}}); o.Next(); {
		wire.Int(d, &n)
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	words := make([]string, n)
	for i := range words {
		words[i] = "x"
	}
	e := mcpimpl.Encoder(req)
	wire.PutSlice(e, words, wire.PutString)
	return mcpimpl.Structured(req, e)
}

func empty(name string, hide bool) *mcp.ToolInfo {
	return &mcp.ToolInfo{
		Name: name, Symbol: name, Errors: declared, HideErrors: hide,
		InputSchema: `{"type":"object","properties":{},"additionalProperties":false}`,
	}
}

func noArguments(f func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error)) func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
	return func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		if err := mcpimpl.NoArguments(req); err != nil {
			return nil, err
		}
		return f(ctx, req)
	}
}

func fail(err error) func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
	return noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) { return nil, err })
}

// register adds all tools of the fixture.
func register(r mcp.Registrar) {
	r.Register(mcpimpl.FuncTool(&infoAdd, callAdd))
	r.Register(mcpimpl.MethodTool(&infoWords, (*dictionary)(nil), callWords))
	r.Register(mcp.NewTool(mcp.ToolInfo{Name: "echo", Description: "Returns its arguments."},
		func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Structured: args}, nil
		}))
	r.Register(mcpimpl.FuncTool(empty("hello", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		return mcp.TextResult("hello \"world\" <&>"), nil
	})))
	r.Register(mcpimpl.FuncTool(empty("nothing", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		return nil, nil
	})))
	r.Register(mcpimpl.FuncTool(empty("whoami", false), noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
		call := mcp.CallFrom(ctx)
		return mcp.TextResult(fmt.Sprintf("%s %s id %s, revision %s, client %v, forms %v, trace %s",
			call.Method(), call.Feature(), call.ID(), call.Revision(), call.Client(),
			call.Can(mcp.CapabilityElicitation), string(call.Meta("traceparent")))), nil
	})))
	r.Register(mcpimpl.FuncTool(empty("fail", false), fail(errors.New("disk on fire"))))
	r.Register(mcpimpl.FuncTool(empty("fail_hidden", true), fail(errors.New("secret path"))))
	r.Register(mcpimpl.FuncTool(empty("fail_declared", true), fail(fmt.Errorf("book 7: %w", errOutOfStock))))
	r.Register(mcpimpl.FuncTool(empty("fail_tool", true), fail(mcp.Errorf("try %q", "later"))))
	r.Register(mcpimpl.FuncTool(empty("fail_protocol", true), fail(fmt.Errorf("wrapped: %w",
		&mcp.ProtocolError{Code: 7, Message: "quota", Data: json.RawMessage("{\n\"left\": 0}")}))))
	r.Register(mcpimpl.FuncTool(empty("fail_reserved", true), fail(&mcp.ProtocolError{Code: -32022, Message: "mine"})))
	r.Register(mcpimpl.FuncTool(empty("fail_resource", true), fail(&mcp.ProtocolError{Code: -32002, Message: "no such file"})))
	r.Register(mcpimpl.FuncTool(empty("panic", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		panic("secret in a panic")
	})))
	r.Register(mcpimpl.FuncTool(empty("goexit", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		runtime.Goexit()
		return nil, nil
	})))
	r.Register(mcpimpl.FuncTool(empty("bad_content", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		var t *mcp.Text
		return &mcp.ToolResult{Content: []mcp.Content{t}}, nil
	})))
	r.Register(mcpimpl.FuncTool(empty("bad_structured", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		return &mcp.ToolResult{Structured: json.RawMessage(`{"a":1,"a":2}`)}, nil
	})))
	r.Register(mcpimpl.FuncTool(empty("content", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		note := &mcp.Annotations{
			Audience: []mcp.Role{mcp.RoleUser}, Priority: new(0.5),
			LastModified: time.Date(2025, 1, 12, 15, 0, 58, 0, time.UTC),
		}
		return &mcp.ToolResult{Content: []mcp.Content{
			mcp.Text{Text: "text", Annotations: note, Meta: mcp.Meta{"com.example/k": json.RawMessage("[1,\n2]")}},
			mcp.Image{Data: []byte("png"), MIMEType: "image/png"},
			mcp.Audio{Data: []byte("wav"), MIMEType: "audio/wav"},
			mcp.ResourceLink{URI: "file:///a", Name: "a", Title: "A", Size: 3, Icons: []mcp.Icon{{Source: "https://example.com/a.png"}}},
			mcp.EmbeddedResource{URI: "file:///b", MIMEType: "text/plain", Text: "b"},
			mcp.EmbeddedResource{URI: "file:///c", Blob: []byte("c"), Annotations: note},
		}, Meta: mcp.Meta{"com.example/r": json.RawMessage("1")}}, nil
	})))
	r.Register(mcpimpl.FuncTool(empty("titled", false), noArguments(func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		e := mcpimpl.Encoder(req)
		n := 42
		wire.PutInt(e, &n)
		return mcpimpl.StructuredWith(req, e, "forty-two", mcp.Text{Text: "more"})
	})))
	r.Register(mcpimpl.FuncTool(empty("block", false), noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})))
	r.Register(mcpimpl.FuncTool(empty("sample", true), noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
		if !mcp.CallFrom(ctx).Can(mcp.CapabilitySamplingTools) {
			return nil, fmt.Errorf("ask the model: %w", &mcp.CapabilityError{Capability: mcp.CapabilitySamplingTools})
		}
		return mcp.TextResult("done"), nil
	})))
	slow := empty("slow", false)
	slow.Timeout = 2 * time.Second
	r.Register(mcpimpl.FuncTool(slow, noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})))
	ignoring := empty("ignoring", false)
	ignoring.Timeout = 2 * time.Second
	r.Register(mcpimpl.FuncTool(ignoring, noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		time.Sleep(time.Minute)
		return mcp.TextResult("too late"), nil
	})))
	r.Register(mcpimpl.FuncTool(empty("nap", false), noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
		select {
		case <-time.After(time.Second):
			return mcp.TextResult("done"), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})))
}

func fixtureInfo() mcp.ServerInfo {
	return mcp.ServerInfo{
		Name: "fixture", Title: "Fixture", Version: "1.2.3", Description: "For tests.",
		Instructions: "Call add.", Website: "https://example.com", ListTTL: 5 * time.Minute,
		Icons: []mcp.Icon{{Source: "https://example.com/i.svg", Theme: "dark"}},
	}
}

// newFixture returns the server of the conversations.
func newFixture(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), options...)
	register(s)
	return s
}

// small returns a server with few tools, for readable lists.
func small(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), options...)
	r := mcp.Select(s, func(f mcp.FeatureInfo) bool { return f.Name == "add" || f.Name == "words" })
	register(r)
	return s
}

var request = func(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func call(id int, tool, arguments string) string {
	return request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

func initialize(version string) string {
	return request(0, "initialize", fmt.Sprintf(
		`{"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}`, version))
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }
