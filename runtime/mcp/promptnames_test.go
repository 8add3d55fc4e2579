package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// An unknown argument of a prompt is answered with the one that was probably meant.
func TestPromptNames(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "s", Version: "1"})
	s.Register(mcpimpl.FuncPrompt(&mcp.PromptInfo{Name: "ask", Arguments: []mcp.PromptArgument{
		{Name: "namespace", Required: true}, {Name: "text", Required: true}, {Name: "public_channel"},
	}}, func(context.Context, *mcp.Request) (*mcp.PromptResult, error) { return mcp.PromptText("asked"), nil }))
	c := mcptest.New(t, s, mcptest.Options{})
	for _, test := range []struct {
		names string
		want  string // behind the name of the prompt, "" if it is answered
	}{
		{"namespace text", ""},
		{"ns text", "unknown argument ns (did you mean namespace?); missing argument namespace"},
		{"namespace message", "unknown argument message (did you mean text?); missing argument text"},
		{"namespace text public", "unknown argument public (did you mean public_channel?)"},
		{"namespace text textt", "unknown argument textt"},
		{"namespace namespaces", "unknown argument namespaces (did you mean text?); missing argument text"},
		{"message body", "unknown argument body; unknown argument message; missing argument namespace; missing argument text"},
		{"message", "unknown argument message; missing argument namespace; missing argument text"},
	} {
		arguments := map[string]string{}
		for name := range strings.FieldsSeq(test.names) {
			arguments[name] = "x"
		}
		_, err := c.Request("prompts/get", map[string]any{"name": "ask", "arguments": arguments})
		switch {
		case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.HasSuffix(err.Error(), "prompt ask: "+test.want+" (-32602)")):
			t.Errorf("%s: %v, want %s", test.names, err, test.want)
		}
	}
}
