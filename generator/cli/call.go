package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/program"
)

// call calls one tool of a package, built from its source.
func (c *command) call(args []string) int {
	f := newFlags("call")
	new(serverFlags).define(f)
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if r, others, code, done := c.onServer(f, rest); done || code != exitDone {
		if code != exitDone {
			return code
		}
		return r.call(others)
	}
	if len(rest) == 0 {
		return c.usage("call", "the package is missing", "")
	}
	p, code, ok := c.load(f, rest[0])
	if !ok {
		return code
	}
	if len(rest) == 1 {
		code := c.usage("call", "the tool is missing", "one of these:")
		c.listTools(p.Model)
		return code
	}
	tool := findTool(p.Model, rest[1])
	if tool == nil {
		return c.unknownTool(p.Model, rest[1])
	}
	arguments, err := program.Arguments(tool.Input, rest[2:])
	if wrong, ok := errors.AsType[*program.ArgumentError](err); ok {
		return c.usage("call", wrong.Message, wrong.Hint)
	}
	if err != nil {
		return c.fail(err)
	}
	built, code, ok := c.build(p, false, false)
	if !ok {
		return code
	}
	defer c.remove(built)
	return c.onBuilt("call", built).callTool(rest[1], arguments)
}

// findTool finds a tool by its present or a former name.
func findTool(m *model.Package, name string) *model.Tool {
	for _, t := range m.Tools {
		if t.Name == name || slices.Contains(t.Aliases, name) {
			return t
		}
	}
	return nil
}

func (c *command) unknownTool(m *model.Package, name string) int {
	var known []published
	for _, f := range m.Tools {
		known = append(known, published{f.Name, f.Func})
	}
	code := c.unknown("call", "tool", name, known)
	c.listTools(m)
	return code
}

// listTools lists the tools, for users who did not name one.
func (c *command) listTools(m *model.Package) {
	for _, t := range m.Tools {
		c.noteln("\t%s%s", t.Name, strings.TrimPrefix(signature(m, &t.Call), "func"))
	}
}
