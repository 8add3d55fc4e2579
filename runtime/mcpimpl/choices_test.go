package mcpimpl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Registration panics for choices that cannot be published.
func TestChoicesPanic(t *testing.T) {
	returning := func(values ...string) func() {
		return func() { mcpimpl.NewChoices("Regions", func() []string { return values }) }
	}
	good := mcpimpl.NewChoices("Regions", func() []string { return []string{"north", "south"} })
	for name, test := range map[string]struct {
		do   func()
		want string
	}{
		"none":    {returning(), "choices of Regions: there are none"},
		"twice":   {returning("a", "b", "a"), `"a" is there twice`},
		"hidden":  {returning("a\u200bb"), "U+200B"},
		"control": {returning("a\x00"), "U+0000"},
		"bytes":   {returning("a\xff"), "UTF-8"},
		"error": {func() {
			mcpimpl.NewChoicesErr("Regions", func(context.Context) ([]string, error) { return []string{"a"}, errors.New("no database") })
		}, "choices of Regions: no database"},
		"default": {func() { good.For("region", "north", "east") }, `argument region has the default or example "east", which is not one of the choices of Regions`},
		"not given": {func() {
			mcpimpl.ToolChoices(&mcp.ToolInfo{Name: "t", InputSchema: `{"properties":{"a":{"enum":["\u0000Others"]}}}`}, good.For("region"))
		}, "choices that are not given"},
		"function": {func() { mcpimpl.NewChoices("Regions", func() []string { panic("at the disco") }) }, "disco"},
	} {
		if got := panicOf(test.do); !strings.Contains(got, test.want) {
			t.Errorf("%s: panics with %s, want %s", name, got, test.want)
		}
	}
}

func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// All servers of a program share the descriptions: choices are added to copies, and later changes
// of a list do not affect them.
func TestChoicesAreCopied(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string","enum":["\u0000Regions"]},"b":{"enum":["\u0000Regions"]},"c":{"enum":["\u0000RegionsOfAll"]}}}`
	info := &mcp.ToolInfo{Name: "t", InputSchema: schema}
	list := []string{"north", `"<`}
	regions := mcpimpl.NewChoices("Regions", func() []string { return list })
	list[0] = "south"
	all := mcpimpl.NewChoices("RegionsOfAll", func() []string { return []string{"all"} })
	got := mcpimpl.ToolChoices(info, regions.For("a"), regions.For("b"), all.For("c")).InputSchema
	if want := strings.NewReplacer(`["\u0000Regions"]`, `["north","\"<"]`, `["\u0000RegionsOfAll"]`, `["all"]`).Replace(schema); got != want {
		t.Errorf("schema %s, want %s", got, want)
	}
	if info.InputSchema != schema {
		t.Error("the description has changed")
	}
	prompt := &mcp.PromptInfo{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a"}, {Name: "b"}}}
	if got := mcpimpl.PromptChoices(prompt, regions.For("b")).Arguments; fmt.Sprint(got[0].Values, got[1].Values) != `[] [north "<]` || prompt.Arguments[1].Values != nil {
		t.Errorf("arguments %v", got)
	}
	template := &mcp.TemplateInfo{Variables: []mcp.TemplateVariable{{Name: "a", Values: []string{"x"}}}}
	if got := mcpimpl.TemplateChoices(template, regions.For("a"), all.For("b")).Variables; fmt.Sprint(got[0].Values, got[1].Name, got[1].Values) != `[north "<]b[all]` || len(template.Variables) != 1 || template.Variables[0].Values[0] != "x" {
		t.Errorf("variables %v", got)
	}
}

// A description that Override replaces keeps its choices.
func TestChoicesOverridden(t *testing.T) {
	regions := mcpimpl.NewChoices("Regions", func() []string { return []string{"north"} })
	info := mcpimpl.ToolChoices(&mcp.ToolInfo{Name: "t", InputSchema: `{"type":"object","properties":{"region":{"enum":["\u0000Regions"]}}}`}, regions.For("region"))
	s := mcp.NewServer(mcp.ServerInfo{Name: "s", Version: "1"})
	mcp.Override(s, mcp.Overrides{Tool: func(i *mcp.ToolInfo) {
		*i = mcp.ToolInfo{Name: i.Name, Description: "Other.", InputSchema: i.InputSchema}
	}}).Register(mcpimpl.FuncTool(info, func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		var region string
		d := mcpimpl.Decoder(req)
		for o := d.Object(wire.Fields{{Name: "region"}}); o.Next(); {
			wire.StringChoice(d, &region, "Regions")
		}
		if err := d.Finish(); err != nil {
			return nil, err
		}
		return mcp.TextResult(region), nil
	}))
	c := mcptest.New(t, s, mcptest.Options{})
	if got := c.Call("t", map[string]string{"region": "north"}); got.IsError || got.Text() != "north" {
		t.Errorf("%v", got)
	}
	if got := c.Call("t", map[string]string{"region": "south"}); !got.IsError || !strings.Contains(got.Text(), `must be "north"`) {
		t.Errorf("%v", got)
	}
}
