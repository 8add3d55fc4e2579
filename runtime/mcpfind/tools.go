package mcpfind

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/internal/findtools"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// usualWhole is the default number of tools that a search describes in full, mostWhole limits that
// number, and mostBrief limits the further tools that it names.
const (
	usualWhole = 5
	mostWhole  = 20
	mostBrief  = 20
)

// The hints hold for every tool that can be called.
var (
	infoSearch      = info(findtools.Search, "Search tools", mcp.ToolHints{ReadOnly: true, Idempotent: true})
	infoUseReadOnly = info(findtools.UseReadOnly, "Use a tool that changes nothing", mcp.ToolHints{ReadOnly: true, Idempotent: true, OpenWorld: true})
	infoUse         = info(findtools.Use, "Use a tool", mcp.ToolHints{Destructive: true, OpenWorld: true})
)

func info(d findtools.Definition, title string, hints mcp.ToolHints) mcp.ToolInfo {
	return mcp.ToolInfo{Name: d.Name, Title: title, Description: d.Description, Symbol: "mcpfind.New", Hints: hints, InputSchema: d.InputSchema}
}

var (
	fieldsSearch = wire.Fields{{Name: "query"}, {Name: "group"}, {Name: "limit"}}
	fieldsUse    = wire.Fields{{Must: "name"}, {Name: "arguments"}}
)

// registerTools registers the three tools.
func registerTools(s *mcp.Server, f *finder) {
	s.Register(mcpimpl.MethodTool(&infoSearch, f, callSearch))
	s.Register(mcpimpl.FuncTool(&infoUseReadOnly, callUse))
	s.Register(mcpimpl.FuncTool(&infoUse, callUse))
}

func callSearch(ctx context.Context, req *mcp.Request, f *finder) (*mcp.ToolResult, error) {
	var query, group string
	limit := usualWhole
	d := mcpimpl.Decoder(req)
	for o := d.Object(fieldsSearch); o.Next(); {
		switch o.Name() {
		case "query":
			wire.String(d, &query)
			wire.MaxLength(d, query, MaxQuery)
		case "group":
			wire.String(d, &group)
		case "limit":
			wire.Int(d, &limit)
			wire.Minimum(d, limit, 1)
			wire.Maximum(d, limit, mostWhole)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	query = strings.TrimSpace(cut(query, MaxQuery))
	if query == "" && group == "" {
		return nil, mcp.Errorf("a search needs a query or a group%s", f.groupText(ctx))
	}
	result, err := f.search(ctx, query, group, limit+mostBrief)
	if err != nil {
		return nil, err
	}
	if len(result.tools) == 0 {
		return mcp.TextResult("No tool was found" + f.groupText(ctx) + "."), nil
	}
	return mcp.TextResult(searchResult(result, limit)), nil
}

// groupText returns a text with the groups that the request can see.
func (f *finder) groupText(ctx context.Context) string {
	groups := f.groups(ctx)
	if len(groups) == 0 {
		return ""
	}
	return "; the groups of tools are " + listed(groups, longestInstructions)
}

// callUse runs only if the server has not turned the call into a call of another tool: the
// arguments name no tool.
func callUse(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
	var name string
	var arguments any
	d := mcpimpl.Decoder(req)
	for o := d.Object(fieldsUse); o.Next(); {
		switch o.Name() {
		case "name":
			wire.String(d, &name)
		case "arguments":
			wire.Any(d, &arguments)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	return nil, mcp.Errorf("%s needs the name of a tool, and its arguments as an object", req.Name)
}
