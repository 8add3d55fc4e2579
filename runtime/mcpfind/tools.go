package mcpfind

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// mostWhole is how many tools a search describes whole at most, and mostBrief how many more it names.
const (
	mostWhole = 20
	mostBrief = 20
)

var infoSearch = mcp.ToolInfo{
	Name: SearchTools, Title: "Search tools", Symbol: "mcpfind.SearchTools",
	Description: "Finds tools of this server that are not listed. Returns those that fit best, with their arguments and " +
		"the name of the tool by which to call them, and names further ones.",
	Hints: mcp.ToolHints{ReadOnly: true, Idempotent: true},
	InputSchema: `{"type":"object","properties":{` +
		`"query":{"type":"string","maxLength":1000,"description":"What the tool should do, in plain words, or its name. May be left out with a group."},` +
		`"group":{"type":"string","description":"Only tools of this group."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many tools to return with their arguments."}},` +
		`"additionalProperties":false}`,
}

const schemaUse = `{"type":"object","properties":{` +
	`"name":{"type":"string","description":"The name of the tool, as ` + SearchTools + ` returns it."},` +
	`"arguments":{"type":"object","description":"The arguments of the tool, as its schema has them.","additionalProperties":true}},` +
	`"required":["name"],"additionalProperties":false}`

// The hints are true whichever tool is called.
var (
	infoUseReadOnly = mcp.ToolInfo{
		Name: UseReadOnlyTool, Title: "Use a tool that changes nothing", Symbol: "mcpfind.UseReadOnlyTool",
		Description: "Calls a tool that changes nothing, and returns its result. " + SearchTools + " finds the tool.",
		Hints:       mcp.ToolHints{ReadOnly: true, Idempotent: true, OpenWorld: true},
		InputSchema: schemaUse,
	}
	infoUse = mcp.ToolInfo{
		Name: UseTool, Title: "Use a tool", Symbol: "mcpfind.UseTool",
		Description: "Calls a tool, and returns its result. " + SearchTools + " finds the tool.",
		Hints:       mcp.ToolHints{Destructive: true, OpenWorld: true},
		InputSchema: schemaUse,
	}
)

var (
	fieldsSearch = wire.Fields{{Name: "query"}, {Name: "group"}, {Name: "limit"}}
	fieldsUse    = wire.Fields{{Name: "name", Required: true}, {Name: "arguments"}}
)

// registerTools registers the three tools.
func registerTools(s *mcp.Server, f *finder) {
	s.Register(mcpimpl.MethodTool(&infoSearch, f, callSearch))
	s.Register(mcpimpl.FuncTool(&infoUseReadOnly, callUse))
	s.Register(mcpimpl.FuncTool(&infoUse, callUse))
}

func callSearch(ctx context.Context, req *mcp.Request, f *finder) (*mcp.ToolResult, error) {
	var query, group string
	limit := f.results
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

// groupText returns a text with the groups that the request sees.
func (f *finder) groupText(ctx context.Context) string {
	groups := f.groups(ctx)
	if len(groups) == 0 {
		return ""
	}
	return "; the groups of tools are " + cut(strings.Join(groups, ", "), longestInstructions)
}

// callUse runs only if the server has not made the call one of another tool: it names none.
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
