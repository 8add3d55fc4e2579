package interop

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK's client finds and calls an unlisted tool, in every revision.
func TestFindTools(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		ctx, session := start(t, w, many, nil)
		var names []string
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != "search_tools use_readonly_tool use_tool" {
			t.Errorf("listed: %s", got)
		}
		say := func(tool string, arguments map[string]any, failed bool) string {
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil {
				t.Fatal(err)
			}
			if result.IsError != failed {
				t.Errorf("%s: failed %v", tool, result.IsError)
			}
			return text(t, result)
		}
		if got := say("search_tools", map[string]any{"query": "let a reader have a book"}, false); !strings.HasPrefix(got, "borrow (by use_tool)\n") {
			t.Errorf("found: %s", got)
		}
		if got := say("use_tool", map[string]any{"name": "borrow", "arguments": map[string]any{"title": "Emma"}}, false); !strings.Contains(got, "14") {
			t.Errorf("called: %s", got)
		}
		if got := say("use_readonly_tool", map[string]any{"name": "room_7"}, false); got != "room 7" {
			t.Errorf("called: %s", got)
		}
		if got := say("use_readonly_tool", map[string]any{"name": "borrow"}, true); !strings.Contains(got, "use_tool") {
			t.Errorf("refused: %s", got)
		}
	})
}

// The clients of the TypeScript SDK do the same, in the revisions that they support.
func TestTypeScriptFindTools(t *testing.T) {
	everyScript(t, func(t *testing.T, sdk string, w way) {
		f := follow(t, sdk, many, w, plan{Walk: "many"})
		f.same("tools", []string{"search_tools", "use_readonly_tool", "use_tool"})
		f.same("found", "borrow (by use_tool)")
		borrowed := map[string]any{"days": 14}
		if w.revision < "2025-06-18" { // only the text contains it
			borrowed = map[string]any{}
		}
		f.same("borrowed", borrowed)
		f.same("room", "room 7")
		f.same("refused", "borrow may change something: call it by use_tool")
		f.same("complaints", []string{})
		f.take("wire")
		f.take("compressed")
		f.end(many)
	})
}
