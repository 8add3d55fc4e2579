package vet

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/skills"
)

// SkillTool is the rule for names of tools in skills. The generator warns of them, too.
const SkillTool = "skill-tool"

// SkillWarnings adds the findings about the files of skills, without those that //mcp:ignore
// suppresses.
func SkillWarnings(pkg *load.Package, m *model.Package, diags *diag.List) {
	if len(m.Skills) == 0 {
		return
	}
	rules := []string{skills.RuleLink, skills.RuleFiles, SkillTool}
	c := newChecker(pkg, m, &Options{Rules: rules})
	for i, check := range []func(*checker){(*checker).skillLinks, (*checker).skillFiles, (*checker).skillTools} {
		c.rule = rules[i]
		check(c)
	}
	c.ignore()
	for _, f := range c.found {
		if !slices.Contains(rules, f.Rule) {
			continue // about a directive
		}
		d := f.Diagnostic()
		d.Severity = diag.Warning
		diags.Add(d)
	}
}

// skillLinks checks the rule skill-link.
func (c *checker) skillLinks() { c.skillWarnings(skills.RuleLink) }

// skillFiles checks the rule skill-files.
func (c *checker) skillFiles() { c.skillWarnings(skills.RuleFiles) }

func (c *checker) skillWarnings(rule string) {
	for _, s := range c.m.Skills {
		for _, w := range s.Warnings {
			if w.Rule == rule {
				c.report(c.setAt(s.Pos), w.Pos, w.Subject, w.Hint, "%s", w.Message)
			}
		}
	}
}

// setAt returns the declaration of a directive.
func (c *checker) setAt(pos token.Position) *directive.Set {
	for _, set := range c.sets {
		for _, d := range set.Directives {
			if d.Pos == pos {
				return set
			}
		}
	}
	return nil
}

// skillTools checks the rule skill-tool.
func (c *checker) skillTools() {
	known := c.knownNames()
	var tools []string
	ends := map[string]bool{} // first and last words of tools
	for _, t := range c.m.Tools {
		tools = append(tools, t.Name)
		words := strings.Split(t.Name, "_")
		ends[words[0]], ends[words[len(words)-1]] = true, true
	}
	for _, s := range c.m.Skills {
		for _, name := range s.Mentions {
			words := strings.Split(name.Name, "_")
			alike := ends[words[0]] || ends[words[len(words)-1]] || diag.Nearest(name.Name, tools) != ""
			switch {
			case known[name.Name], name.Server != "" && !c.isServer(name.Server), !alike && !name.Called && name.Server == "":
				continue
			}
			hint := "name a tool of the server, or write " + ignoreLine(SkillTool) + " above the directive if it is none"
			if near := diag.Nearest(name.Name, tools); near != "" {
				hint = "did you mean " + near + "?"
			}
			c.report(c.setAt(s.Pos), name.Pos, "skill "+s.Symbol, hint, "the text names %s, and the server has no such tool", name.Name)
		}
	}
}

func ignoreLine(rule string) string { return fmt.Sprintf("//mcp:ignore %s REASON", rule) }

// isServer reports whether hosts may call the server so.
func (c *checker) isServer(name string) bool { return c.m.Server != nil && c.m.Server.Name == name }

// knownNames returns the names that a text may use: of features, their arguments and results, and
// values of enumerations.
func (c *checker) knownNames() map[string]bool {
	known := map[string]bool{}
	seen := map[*model.Type]bool{}
	var visit func(t *model.Type)
	visit = func(t *model.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		if t.Enum != nil {
			for _, v := range t.Enum.Values {
				known[strings.Trim(v.JSON, `"`)] = true
			}
		}
		for _, field := range t.Fields {
			known[field.Name] = true
			for _, v := range field.Rules.Enum {
				known[strings.Trim(v, `"`)] = true
			}
			visit(field.Type)
		}
		if t.Union != nil {
			for _, v := range t.Union.Variants {
				visit(v.Type)
			}
		}
		visit(t.Elem)
		visit(t.Key)
	}
	for _, f := range c.features {
		known[f.name] = true
		for _, v := range f.variables {
			known[v] = true
		}
		if f.tool != nil {
			for _, alias := range f.tool.Aliases {
				known[alias] = true
			}
		}
		if f.call == nil {
			continue
		}
		if f.call.Input != nil {
			visit(f.call.Input.Object)
		}
		visit(f.call.Result.Output)
		if s := f.call.Result.Short; s != nil {
			visit(s.Of)
		}
	}
	return known
}
