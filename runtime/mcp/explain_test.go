package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The answer for a violated pattern has an example or the description of the argument, as clients
// have read them.
func TestPatternsAreExplained(t *testing.T) {
	const pattern = `^[0-9]+\.[0-9]+$`
	long := strings.Repeat("ä", 200)
	expr := string(wire.AppendString(nil, pattern))
	property := func(more string) string { return `{"type":"string","pattern":` + expr + more + `}` }
	s := mcp.NewServer(mcp.ServerInfo{Name: "s", Version: "1"})
	read := func(names ...string) func(context.Context, *mcp.Request) error {
		var fields wire.Fields
		for _, name := range names {
			fields = append(fields, wire.Field{Name: name})
		}
		p := wire.NewPattern(pattern)
		return func(_ context.Context, req *mcp.Request) error {
			d := mcpimpl.Decoder(req)
			for o := d.Object(fields); o.Next(); {
				var v string
				wire.String(d, &v)
				wire.Pattern(d, v, p)
			}
			return d.Finish()
		}
	}
	post := read("ts", "thread", "note", "bare")
	mcp.Override(s, mcp.Overrides{Tool: func(i *mcp.ToolInfo) {
		i.InputSchema = strings.Replace(i.InputSchema, "The thread.", "The first\\n  message.", 1)
	}}).Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "post", InputSchema: `{"type":"object","properties":{"ts":` + property(`,"description":"A time.","examples":["1.2"]`) +
		`,"thread":` + property(`,"description":"The thread."`) + `,"note":` + property(`,"description":"`+long+`"`) + `,"bare":` + property("") + `}}`},
		func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			return mcp.TextResult("posted"), post(ctx, req)
		}))
	s.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "label", InputSchema: `{"type":"object","properties":{"labels":{"type":"object","description":"Set by people.","propertyNames":{"pattern":` + expr + `}}}}`},
		func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			d := mcpimpl.Decoder(req)
			for o := d.Object(wire.Fields{{Name: "labels"}}); o.Next(); {
				var v map[string]string
				wire.Map(d, &v, wire.String)
				wire.KeyPattern(d, v, wire.NewPattern(pattern))
			}
			return mcp.TextResult("labelled"), d.Finish()
		}))
	ask := read("ts")
	s.Register(mcpimpl.FuncPrompt(&mcp.PromptInfo{Name: "ask", Arguments: []mcp.PromptArgument{{Name: "ts", Description: "A time."}}},
		func(ctx context.Context, req *mcp.Request) (*mcp.PromptResult, error) {
			return mcp.PromptText("asked"), ask(ctx, req)
		}))
	c := mcptest.New(t, s, mcptest.Options{})
	for name, want := range map[string]string{
		"ts":     `ts: must match the pattern ` + pattern + `, got "x"; an example is "1.2"`,
		"thread": `thread: must match the pattern ` + pattern + `, got "x"; its description is: The first message.`,
		"note":   `note: must match the pattern ` + pattern + `, got "x"; its description is: ` + strings.Repeat("ä", 150) + `…`,
		"bare":   `bare: must match the pattern ` + pattern + `, got "x"`,
	} {
		got := c.Call("post", map[string]string{name: "x"})
		if text := got.Text(); !got.IsError || text != "1 problem with the arguments of post:\n- "+want {
			t.Errorf("%s: %s", name, text)
		}
		// Programs get the same text.
		_, message, _ := strings.Cut(want, ": ")
		if meta := string(got.Meta["io.github.mcpgen/problems"]); !strings.Contains(meta, string(wire.AppendString(nil, message))) {
			t.Errorf("%s: _meta has %s", name, meta)
		}
	}
	if got, want := c.Call("label", map[string]any{"labels": map[string]string{"x": ""}}).Text(), `labels.x: the name must match the pattern `+pattern+`; its description is: Set by people.`; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	if got := c.Call("post", map[string]string{"ts": "1.5"}); got.IsError {
		t.Error(got.Text())
	}
	_, err := c.Request("prompts/get", map[string]any{"name": "ask", "arguments": map[string]string{"ts": "x"}})
	if want := `prompt ask: ts must match the pattern ` + pattern + `, got "x"; its description is: A time.`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
