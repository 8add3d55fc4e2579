package gosdk

import (
	"context"
	encoding "encoding/json"
	"testing"
	"testing/fstest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
)

// A skill is its files, as resources that can be read: SKILL.md is listed. A caller who may not see
// the skill reads none of them.
func TestSkills(t *testing.T) {
	skill := mcpskill.New(mcpskill.Info{URI: "skill://acme/refunds", Frontmatter: encoding.RawMessage(`{"name":"refunds","description":"Refunds."}`)}, fstest.MapFS{
		"SKILL.md": {Data: []byte("---\nname: refunds\ndescription: Refunds.\n---\n")},
		"notes.md": {Data: []byte("# Notes\n")},
	})
	everyRevision(t, func(t *testing.T, revision string) {
		for _, hidden := range []bool{false, true} {
			access := mcp.WithAccess(mcp.Visible(func(context.Context, mcp.FeatureInfo) bool { return !hidden }))
			c := connect(t, mounted(t, []mcp.Option{access}, skill), revision, nil)
			var listed []string
			for r, err := range c.Resources(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				listed = append(listed, r.URI)
			}
			if want := map[bool]int{false: 1, true: 0}[hidden]; len(listed) != want {
				t.Errorf("hidden %v: listed %q", hidden, listed)
			}
			for _, file := range []string{"SKILL.md", "notes.md"} {
				r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "skill://acme/refunds/" + file})
				if hidden != (err != nil) || !hidden && r.Contents[0].Text == "" {
					t.Errorf("hidden %v: %s: %v", hidden, file, err)
				}
			}
			if declared := c.InitializeResult().Capabilities.Extensions["io.modelcontextprotocol/skills"]; declared != nil {
				t.Errorf("the SDK's server declares %v", declared)
			}
		}
	})
}
