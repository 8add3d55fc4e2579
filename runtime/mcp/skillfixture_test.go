package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
)

// newSkilled returns a server with skills: one in another one, one of a function that fails, and
// one that only the boss sees, who may use its tool.
func newSkilled(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), append(options, mcp.WithAccess(mcp.Visible(func(ctx context.Context, f mcp.FeatureInfo) bool {
		return f.Kind != mcp.KindTool || mcp.CallFrom(ctx).Client().Name == "boss"
	})))...)
	text := func(name string) string { return "---\nname: " + name + "\ndescription: Does it.\n---\n" }
	front := func(name string) string { return `{"name":"` + name + `","description":"Does it."}` }
	fsys := fstest.MapFS{
		"refunds/SKILL.md":           {Data: []byte(text("refunds"))},
		"refunds/letters/late.md":    {Data: []byte("Dear reader\n")},
		"refunds/letters/seal.bin":   {Data: []byte{0, 1, 0xff}},
		"refunds/abroad/SKILL.md":    {Data: []byte(text("abroad"))},
		"refunds/abroad/customs.txt": {Data: []byte("none\n")},
	}
	info := &mcpskill.TreeInfo{URI: "skill://acme/"}
	for path, name := range map[string]string{"refunds": "refunds", "refunds/abroad": "abroad"} {
		block, _ := skill.Block([]byte(text(name)))
		info.Blocks = append(info.Blocks, mcpskill.Block{Path: path, Frontmatter: front(name), Hash: skill.Hash(block)})
	}
	for _, f := range mcpskill.Tree(info, fsys) {
		s.Register(f)
	}
	s.Register(mcpskill.Dynamic(mcpskill.Info{URI: "skill://acme/daily", Frontmatter: json.RawMessage(front("daily"))}, func(context.Context) (string, error) {
		return "", errors.New("the report is not written yet")
	}))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "order"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("ok"), nil }))
	s.Register(mcpskill.New(mcpskill.Info{URI: "skill://acme/order", Frontmatter: json.RawMessage(front("order")), Tools: []string{"order"}}, fstest.MapFS{"SKILL.md": {Data: []byte(text("order"))}}))
	return s
}
