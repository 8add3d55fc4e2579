package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// A blank argument that must not be blank counts as left out of a form; if it is required, that is
// an error.
func TestBlankPromptArguments(t *testing.T) {
	s := mcp.NewServer(fixtureInfo(), quiet)
	var got string
	s.Register(mcpimpl.FuncPrompt(&mcp.PromptInfo{Name: "p", Arguments: []mcp.PromptArgument{
		{Name: "must", Required: true, NotBlank: true}, {Name: "n", NotBlank: true}, {Name: "t"}, {Name: `"q"`, NotBlank: true},
	}}, func(_ context.Context, req *mcp.Request) (*mcp.PromptResult, error) {
		got = string(req.Arguments)
		return mcp.PromptText("x"), nil
	}))
	client := connect(t, s)
	for _, test := range []struct{ send, want string }{
		{`{"must":"","n":"","t":""}`, `{"must":"","t":""}`},
		{`{"n":"","must":"1","t":"2"}`, `{"must":"1","t":"2"}`},
		{`{"must":"1", "n":"", "\"q\"":"", "t":"ü\n"}`, `{"must":"1","t":"ü\n"}`},
		{`{"must": "1", "n": " "}`, `{"must": "1", "n": " "}`},
		{`{"must":"1","\"q\"":"a","n":""}`, `{"must":"1","\"q\"":"a"}`},
	} {
		reply := client(request(1, "prompts/get", `{"name":"p","arguments":`+test.send+`}`))
		if got != test.want || !strings.Contains(reply, `"result"`) {
			t.Errorf("%s became %s, want %s: %s", test.send, got, test.want, reply)
		}
	}
}
