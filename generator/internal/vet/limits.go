package vet

import (
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// clientNames checks the rule client-name. Without a server in the package the server name is
// unknown, and only the tool's counts.
func (c *checker) clientNames() {
	for _, f := range c.features {
		if f.tool == nil {
			continue
		}
		if strings.Contains(f.name, ".") {
			c.report(f.set, f.pos, f.subject, "write "+strings.ReplaceAll(f.name, ".", "_")+": name= on the directive sets it",
				"the name %q has a dot, which APIs of models refuse", f.name)
		}
		name := f.name
		if c.m.Server != nil {
			name = "mcp__" + c.m.Server.Name + "__" + f.name
		}
		if len(name) > maxClientName {
			c.report(f.set, f.pos, f.subject, "take "+count(len(name)-maxClientName, "character")+
				" from it: name= on the directive sets the tool's name, and on //mcp:server the server's",
				"clients call it %s, which has %d characters, and %d are allowed", name, len(name), maxClientName)
		}
	}
}

// commonNames checks the rule common-name.
func (c *checker) commonNames() {
	for _, f := range c.features {
		if f.tool == nil {
			continue
		}
		switch f.name {
		case "search", "get", "list", "fetch", "read", "query", "run":
			c.report(f.set, f.pos, f.subject, "write prefix= in //mcp:defaults, or name="+f.name+"_ and what, on the directive",
				"tools of other servers are called %s, too", f.name)
		}
	}
}

// tokenBudget checks the rule token-budget.
func (c *checker) tokenBudget() {
	for i, n := range c.tokens {
		if c.options.MaxTokens <= 0 || n <= c.options.MaxTokens {
			continue
		}
		f := c.features[i] // the features begin with the tools, in the same order
		c.report(f.set, f.pos, f.subject, "shorten its descriptions, or take fewer arguments; mcpgen list shows what each tool costs",
			"it costs about %d tokens of each conversation, and %d are allowed", n, c.options.MaxTokens)
	}
}

// tooManyTools checks the rule too-many-tools.
func (c *checker) tooManyTools() {
	if n := len(c.m.Tools); c.options.MaxTools > 0 && n > c.options.MaxTools {
		c.report(nil, c.packagePos(), "", "join tools that differ in one argument, give them group= and let mcp.Select pick, or let clients search (docs/serve/many-tools.md); -max-tools sets the number",
			"the package has %d tools, and %d are allowed: some clients drop the rest", n, c.options.MaxTools)
	}
}

// largeSchemas checks the rule large-schema.
func (c *checker) largeSchemas() {
	for _, f := range c.features {
		if f.tool == nil {
			continue
		}
		if w := c.schemas.Weight(f.tool); w.Total() > schema.LargeSchema {
			c.report(f.set, f.pos, f.subject, w.Hint(f.tool), "%s", w)
		}
	}
}
