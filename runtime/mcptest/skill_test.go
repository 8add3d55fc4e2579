package mcptest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestSkills(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "test"}, mcp.WithLimits(mcp.Limits{PageSize: 2}))
	for i := range 3 {
		name := fmt.Sprint("skill-", i)
		s.Register(mcpskill.New(mcpskill.Info{URI: "skill://many/" + name, Frontmatter: json.RawMessage(`{"name":"` + name + `","description":"d"}`)}, fstest.MapFS{
			"SKILL.md": {Data: []byte("---\nname: " + name + "\ndescription: d\n---\n")}, "a.md": {Data: []byte("a")},
		}))
	}
	s.Register(mcpskill.Dynamic(mcpskill.Info{URI: "skill://daily", Frontmatter: json.RawMessage(`{"name":"daily","description":"d"}`)}, func(context.Context) (string, error) { return "", nil }))
	c := mcptest.New(t, s, mcptest.Options{})
	all := c.Skills()
	if len(all) != 4 || len(all[0].Files) != 2 || all[0].Files[1].Size != 1 || all[3].Files != nil {
		t.Errorf("%+v", all)
	}
	if one := c.Skill("skill://many/skill-1/SKILL.md"); one.URI != all[1].URI || string(one.Frontmatter) != `{"name":"skill-1","description":"d"}` || one.Files[0] != all[1].Files[0] {
		t.Errorf("%+v", one)
	}
	if d := c.Directory("skill://many"); len(d) != 3 || d[2].URI != "skill://many/skill-2" || d[2].MIMEType != "inode/directory" {
		t.Errorf("%+v", d)
	}
}
