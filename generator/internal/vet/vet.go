// Package vet checks contracts for faults that the generator accepts and a reviewer would not: a
// tool without a description, a tenant that the model can choose, a question whose error is
// dropped.
//
// One table ([Rules]) contains every rule, for the checks, the help of the command and the
// reference in docs. A finding is suppressed by //mcp:ignore with the rule and a reason, on the
// feature or in the package comment.
package vet

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// Finding is one violation of a rule.
type Finding struct {
	Rule    string
	Pos     token.Position
	Subject string // "tool Search: argument tenant"; empty for the package
	Message string
	Hint    string
	Fix     *Fix // nil if there is no simple edit

	// Word is the word of //mcp:defaults that settles all findings with the same Word.
	Word string

	set *directive.Set // the declaration that it belongs to; nil for the package
	// A finding with a key is also a warning of the generator, once for all findings with the same
	// key, at the position at or, if that is not valid, at Pos.
	key any
	at  token.Position
}

// Fix is an edit of one place in the source.
type Fix struct {
	Message  string // the effect of the edit: "add destructive openworld"
	Pos, End token.Pos
	Text     string // replaces the source from Pos to End
}

// Diagnostic returns the finding as a diagnostic for printing.
func (f *Finding) Diagnostic() *diag.Diagnostic {
	return &diag.Diagnostic{Pos: f.Pos, Subject: f.Subject, Message: f.Message, Hint: f.Hint, Rule: f.Rule}
}

// Package returns the findings in one package, in order of the source. Package analyze must have
// made the model without an error. The error comes from Options.Tokens.
func Package(pkg *load.Package, m *model.Package, o *Options) ([]*Finding, error) {
	c := newChecker(pkg, m, o)
	c.docs = load.NewDocs(c.sources...)
	if o.Tokens != nil && o.enabled("token-budget") {
		var err error
		if c.tokens, err = o.Tokens(m); err != nil {
			return nil, fmt.Errorf("count the tokens of %s: %w", pkg.Path, err)
		}
	}
	for i := range rules {
		if r := &rules[i]; r.check != nil && o.enabled(r.ID) {
			c.rule = r.ID
			r.check(c)
		}
	}
	c.ignore()
	slices.SortStableFunc(c.found, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Message, b.Message))
	})
	return c.found, nil
}

// newChecker returns the state before any rule is checked.
func newChecker(pkg *load.Package, m *model.Package, o *Options) *checker {
	c := &checker{pkg: pkg, m: m, options: o, homes: map[*directive.Set]*load.Package{}, constraints: map[*token.File]string{}, comments: map[*ast.File]map[token.Position]*ast.Comment{}, only64: m.Constraint != "" && excludes32(m.Constraint)}
	c.sources = []*load.Package{pkg}
	for _, path := range slices.Sorted(maps.Keys(pkg.From)) {
		c.sources = append(c.sources, pkg.From[path])
	}
	for _, p := range c.sources {
		sets, _ := p.Directives()
		for _, set := range sets {
			c.sets = append(c.sets, set)
			c.homes[set] = p
		}
	}
	c.collectFeatures()
	return c
}

// checker is the state of one package.
type checker struct {
	pkg      *load.Package
	sources  []*load.Package // pkg, and the packages that its //mcp:from lines name
	m        *model.Package
	options  *Options
	sets     []*directive.Set // directives of all sources
	homes    map[*directive.Set]*load.Package
	features []*feature
	tokens   []int // tokens of the tools, in their order; nil if they are not counted
	rule     string
	found    []*Finding
	docs     *load.Docs
	schemas  schema.Texts
	shown    []text                                        // see texts
	comments map[*ast.File]map[token.Position]*ast.Comment // see comment

	plain       bool                   // types of the sources are written without their package
	constraints map[*token.File]string // see constraint
	only64      bool                   // the package's constraint excludes systems on which int has 32 bits
}

// report adds a finding of the current rule.
func (c *checker) report(set *directive.Set, pos token.Position, subject, hint, format string, args ...any) *Finding {
	f := &Finding{Rule: c.rule, Pos: pos, Subject: subject, Hint: hint, Message: fmt.Sprintf(format, args...), set: set}
	c.found = append(c.found, f)
	return f
}

// packagePos returns the position of findings about the whole package: the server, if there is one,
// otherwise the first feature.
func (c *checker) packagePos() token.Position {
	if s := c.m.Server; s != nil && s.Pos.IsValid() {
		return s.Pos
	}
	if all := c.inSource(); len(all) > 0 {
		return all[0].pos
	}
	return token.Position{}
}

// inSource returns the features in order of the source.
func (c *checker) inSource() []*feature {
	all := slices.Clone(c.features)
	slices.SortStableFunc(all, func(a, b *feature) int {
		return cmp.Or(cmp.Compare(a.pos.Filename, b.pos.Filename), cmp.Compare(a.pos.Line, b.pos.Line))
	})
	return all
}

// feature contains the fields of any feature that the rules need.
type feature struct {
	subject            string // "tool Search"
	name               string // published name
	title, description string
	pos                token.Position
	set                *directive.Set
	call               *model.Call // nil for a value
	errorsSaid         bool
	tool               *model.Tool     // nil for others
	prompt             *model.Prompt   // nil for others
	resource           *model.Resource // nil for others
	variables          []string        // of a template
}

// collectFeatures lists the features of the package in the order of the model.
func (c *checker) collectFeatures() {
	at := map[token.Position]*directive.Set{}
	for _, set := range c.sets {
		for _, d := range set.Directives {
			at[d.Pos] = set
		}
	}
	for _, t := range c.m.Tools {
		c.features = append(c.features, &feature{
			subject: "tool " + t.Func.Name, name: t.Name, title: t.Title, description: t.Description, pos: t.Pos, set: at[t.Pos],
			call: &t.Call, errorsSaid: t.ErrorsSaid, tool: t,
		})
	}
	for _, r := range slices.Concat(c.m.Resources, c.m.Templates) {
		f := &feature{
			name: r.Name, title: r.Title, description: r.Description, pos: r.Pos, set: at[r.Pos],
			errorsSaid: r.ErrorsSaid, resource: r, variables: r.Variables,
		}
		if r.Value != nil {
			f.subject = "resource " + r.Value.Name
		} else {
			f.subject, f.call = "resource "+r.Func.Name, &r.Call
		}
		c.features = append(c.features, f)
	}
	for _, p := range c.m.Prompts {
		c.features = append(c.features, &feature{
			subject: "prompt " + p.Func.Name, name: p.Name, title: p.Title, description: p.Description, pos: p.Pos, set: at[p.Pos],
			call: &p.Call, errorsSaid: p.ErrorsSaid, prompt: p,
		})
	}
}

// arguments returns the fields of the object that a client sends.
func (f *feature) arguments() []*model.Field {
	if f.call == nil || f.call.Input == nil || f.call.Input.Object == nil {
		return nil
	}
	return f.call.Input.Object.Fields
}

// needed returns the feature that an argument belongs to. If an inject function needs it, that is
// the function, for all features that need it; again is set for all but the first of them.
func (c *checker) needed(f *feature, field *model.Field, seen map[token.Position]bool) (at *feature, again bool) {
	by, _ := f.call.NeededBy(field)
	if by == nil {
		return f, false
	}
	again = seen[field.Pos]
	seen[field.Pos] = true
	inject := *f
	inject.subject = "inject " + by.Func
	for _, set := range c.sets {
		if set.Pos == by.Pos || slices.ContainsFunc(set.Directives, func(d *directive.Directive) bool { return d.Pos == by.Pos }) {
			inject.set = set
		}
	}
	return &inject, again
}

// fieldPos returns the position of a field if it is in the package, otherwise the position of the
// feature.
func (c *checker) fieldPos(f *feature, field *model.Field) token.Position {
	if field.Pos.IsValid() && c.home(field.Pos) != nil {
		return field.Pos
	}
	return f.pos
}

// home returns the source that contains a position, or nil.
func (c *checker) home(pos token.Position) *load.Package {
	for _, p := range c.sources {
		for _, file := range p.Files {
			if p.Position(file.Package).Filename == pos.Filename {
				return p
			}
		}
	}
	return nil
}
