package vet

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
)

// ignored is one //mcp:ignore.
type ignored struct {
	rule string
	set  *directive.Set
	dir  *directive.Directive
	used bool
}

// covers reports whether a directive applies to the subject of a finding. The comment of the
// package itself covers everything; the comment of a package whose features are emitted here covers
// the findings in that package.
func (c *checker) covers(i *ignored, f *Finding) bool {
	if i.rule != f.Rule {
		return false
	}
	if i.set.Target != directive.Package {
		return f.set == i.set
	}
	home := c.homes[i.set]
	return home == c.pkg || home == c.home(f.Pos)
}

// directives returns the //mcp:ignore directives of all sources.
func (c *checker) directives() (all []*ignored) {
	for _, set := range c.sets {
		for _, d := range set.All("ignore") {
			rule, _, _ := strings.Cut(d.Text, " ")
			rule, _, _ = strings.Cut(rule, "\t")
			all = append(all, &ignored{rule: rule, set: set, dir: d})
		}
	}
	return all
}

// ignores reports whether a directive suppresses a finding.
func (c *checker) ignores(f *Finding) bool {
	return slices.ContainsFunc(c.directives(), func(i *ignored) bool { return c.covers(i, f) })
}

// ignore drops the findings that //mcp:ignore suppresses, and reports the directives that suppress
// none. A directive for a rule that is not checked may be useful in another run.
func (c *checker) ignore() {
	all := c.directives()
	var left []*Finding
	for _, f := range c.found {
		silent := false
		for _, i := range all {
			if c.covers(i, f) {
				i.used, silent = true, true
			}
		}
		if !silent {
			left = append(left, f)
		}
	}
	c.found, c.rule = left, unusedIgnore
	if !c.options.enabled(unusedIgnore) {
		return
	}
	for _, i := range all {
		subject := "//mcp:ignore " + i.rule
		if c.homes[i.set] != c.pkg {
			continue // another package may emit its subject
		}
		switch {
		case !known(i.rule):
			c.report(i.set, i.dir.TextPos, subject, suggest(i.rule), "there is no such rule")
		case i.rule == unusedIgnore:
			c.report(i.set, i.dir.TextPos, subject, "delete the other directive", "this rule cannot be ignored")
		case !i.used && c.options.enabled(i.rule):
			f := c.report(i.set, i.dir.Pos, subject, "delete the line", "the rule finds nothing here")
			f.Fix = c.deleteLine(i)
		}
	}
}

// deleteLine removes the line of a directive.
func (c *checker) deleteLine(i *ignored) *Fix {
	comment := c.comment(i.set, i.dir)
	if comment == nil {
		return nil
	}
	file := c.pkg.Fset.File(comment.Slash)
	line := file.Line(comment.Slash) // the real line, independent of //line comments
	if line >= file.LineCount() {
		return nil
	}
	return &Fix{Message: "delete the directive", Pos: file.LineStart(line), End: file.LineStart(line + 1)}
}

// comment returns the comment that contains a directive, or nil.
func (c *checker) comment(set *directive.Set, d *directive.Directive) *ast.Comment {
	if set == nil {
		return nil
	}
	known := c.comments[set.File]
	if known == nil {
		known = map[token.Position]*ast.Comment{}
		c.comments[set.File] = known
		for _, g := range set.File.Comments {
			for _, comment := range g.List {
				if at := c.pkg.Position(comment.Slash); known[at] == nil {
					known[at] = comment
				}
			}
		}
	}
	return known[d.Pos]
}

// behindWord returns the position for inserting arguments of a directive.
func (c *checker) behindWord(set *directive.Set, at token.Position, word string) token.Pos {
	if set == nil {
		return token.NoPos
	}
	for _, d := range set.All(word) {
		if comment := c.comment(set, d); comment != nil && d.Pos == at {
			return comment.Slash + token.Pos(len("//mcp:")+len(word))
		}
	}
	return token.NoPos
}
