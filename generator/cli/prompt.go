package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/program"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// prompt gets one prompt of a package, built from its source.
func (c *command) prompt(args []string) int {
	f := newFlags("prompt")
	new(serverFlags).define(f)
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if r, others, code, done := c.onServer(f, rest); done || code != exitDone {
		if code != exitDone {
			return code
		}
		return r.prompt(others)
	}
	if len(rest) == 0 {
		return c.usage("prompt", "the package is missing", "")
	}
	p, code, ok := c.load(f, rest[0])
	if !ok {
		return code
	}
	if len(rest) == 1 {
		code := c.usage("prompt", "the prompt is missing", "one of these:")
		c.listPrompts(p.Model)
		return code
	}
	prompt := findPrompt(p.Model, rest[1])
	if prompt == nil {
		return c.unknownPrompt(p.Model, rest[1])
	}
	arguments, code := c.texts(prompt.Input, rest[2:])
	if code != exitDone {
		return code
	}
	built, code, ok := c.build(p, false, false)
	if !ok {
		return code
	}
	defer c.remove(built)
	return c.onBuilt("prompt", built).getPrompt(rest[1], arguments)
}

// texts reads the arguments of a prompt.
func (c *command) texts(input *model.Input, words []string) (arguments map[string]string, code int) {
	text, err := program.Texts(input, words)
	if wrong, ok := errors.AsType[*program.ArgumentError](err); ok {
		return nil, c.usage("prompt", wrong.Message, wrong.Hint)
	}
	if err != nil {
		return nil, c.fail(err)
	}
	if json.Unmarshal(text, &arguments) != nil { // Texts has checked that it is JSON
		return nil, c.usage("prompt", "the arguments of a prompt are not an object of strings", "all values are texts: "+`{"NAME": "VALUE"}`)
	}
	return arguments, exitDone
}

func findPrompt(m *model.Package, name string) *model.Prompt {
	for _, p := range m.Prompts {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (c *command) unknownPrompt(m *model.Package, name string) int {
	var known []published
	for _, f := range m.Prompts {
		known = append(known, published{f.Name, f.Func})
	}
	code := c.unknown("prompt", "prompt", name, known)
	c.listPrompts(m)
	return code
}

// listPrompts lists the prompts, for users who did not name one.
func (c *command) listPrompts(m *model.Package) {
	for _, p := range m.Prompts {
		c.noteln("\t%s%s", p.Name, strings.TrimPrefix(signature(m, &p.Call), "func"))
	}
}

// printPrompt prints the messages. A single text message of the user is printed alone; otherwise
// each message begins with its role.
func (c *command) printPrompt(p *mcp.PromptResult) int {
	c.progress.clear()
	alone := len(p.Messages) == 1 && p.Messages[0].Role == "user"
	for i, m := range p.Messages {
		if i > 0 {
			fmt.Fprintln(c.data)
		}
		if !alone {
			fmt.Fprintf(c.data, "%s:\n", m.Role)
		}
		printContent(c.data, []mcp.Content{m.Content})
	}
	return exitDone
}
