package cli

import (
	"fmt"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/typescript"
)

const helpApp = `usage: mcpgen app types [flags] [PACKAGES]

Writes types of TypeScript for the pages that hosts show (MCP Apps): of the
arguments and results of the tools that a page may call, all but those with
visibility=model. The file ends with the interface Tools, which has both by the
name of the tool. Several packages are one server; without one, the package in
the current directory is meant. The file depends on the source alone.

	-o FILE     write that file, and not to standard output. A file that
	            mcpgen has not written is not overwritten
	-check      write nothing; exit 1 with a diff if the file of -o is not
	            current
` + helpFlags

// app writes files for the pages that hosts show.
func (c *command) app(args []string) int {
	f := newFlags("app")
	file := f.String("o", "", "write that `file`")
	check := f.Bool("check", false, "write nothing; exit 1 with a diff if the file is not current")
	rest, code, ok := c.parse(f, args)
	switch {
	case !ok:
		return code
	case len(rest) == 0:
		return c.usage("app", "the action is missing", "to write types of TypeScript: "+c.invoked+" app types -o FILE")
	case rest[0] != "types":
		return c.usage("app", "unknown action "+rest[0], "the action is types: "+c.invoked+" app types -o FILE")
	case *check && *file == "":
		return c.usage("app", "flag -check has no meaning without -o", "name the file that is checked")
	}
	packages, code := c.documented(f, rest[1:])
	if code != exitDone {
		return code
	}
	all := models(packages)
	// The contract refuses two tools of one name, and several packages that are servers.
	if _, err := publishedBy(c.ctx, all); err != nil {
		return c.fail(err)
	}
	var tools []*model.Tool
	for _, m := range all {
		for _, t := range m.Tools {
			if callableByPages(t) {
				tools = append(tools, t)
			}
		}
	}
	if len(tools) == 0 {
		c.diagnostic(diag.Diagnostic{
			Message: "a page may call no tool of these packages",
			Hint:    "name the package with the tools; a tool with visibility=model is for the model alone",
		})
		return exitFound
	}
	text := typescript.File(tools)
	if *file == "" {
		if _, err := c.data.Write(text); err != nil {
			return c.fail(fmt.Errorf("write types: %w", err))
		}
		return exitDone
	}
	return c.outputFile(&outputFile{
		name: *file, what: "types", text: text, check: *check, verbose: f.verbose, isOurs: typescript.IsGenerated,
	})
}

// callableByPages reports whether the pages of a server may call a tool.
func callableByPages(t *model.Tool) bool { return t.UI == nil || t.UI.Visibility != "model" }
