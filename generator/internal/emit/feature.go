package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// feature is the kind of feature that a function implements.
type feature int

const (
	toolFeature feature = iota
	resourceFeature
	promptFeature
)

// features returns the common part of all resources, templates and prompts.
func (g *generator) features() []*model.Feature {
	var all []*model.Feature
	for _, r := range slices.Concat(g.p.Resources, g.p.Templates) {
		all = append(all, &r.Feature)
	}
	for _, p := range g.p.Prompts {
		all = append(all, &p.Feature)
	}
	return all
}

// items are the fields of a composite literal, in order.
type items []jen.Code

// put appends a field, unless its value is nil.
func (l *items) put(name string, value code) {
	if value != nil {
		*l = append(*l, keyed(name, value))
	}
}

// text appends a text that is not empty, over several lines if it is long.
func (l *items) text(name, s string) {
	if s != "" {
		l.put(name, text(s))
	}
}

// quoted appends a text that is not empty, on one line.
func (l *items) quoted(name, s string) {
	if s != "" {
		l.put(name, jen.Lit(s))
	}
}

// count appends a number that is not 0.
func (l *items) count(name, number string) {
	if number != "" && number != "0" {
		l.put(name, verbatim(number))
	}
}

// flag appends true.
func (l *items) flag(name string, on bool) {
	if on {
		l.put(name, jen.True())
	}
}

// list appends a list of strings that is not empty.
func (l *items) list(name string, values []string) {
	if len(values) > 0 {
		l.put(name, stringList(values))
	}
}

// identity puts the fields that resources, templates and prompts share.
func (g *generator) identity(l *items, f *model.Feature, symbol string) {
	l.put("Name", text(f.Name))
	l.text("Title", f.Title)
	l.text("Description", f.Description)
	l.put("Symbol", text(symbol))
	l.list("Groups", f.Groups)
	l.list("Scopes", f.Scopes)
}

// behaviour puts the capabilities that the client needs, the display of errors, and the timeout.
func (g *generator) behaviour(l *items, f *model.Feature) {
	l.put("Requires", g.capabilities(f.Requires))
	g.putDefaults(l, g.featureDefaults(f))
}

// capabilities returns a list of the runtime's constants, or nil if it is empty.
func (g *generator) capabilities(list []model.Capability) code {
	if len(list) == 0 {
		return nil
	}
	var all []jen.Code
	for _, c := range list {
		all = append(all, g.mcp(string(c)))
	}
	return jen.Index().Add(g.mcp("Capability")).Values(all...)
}

// registerFeatures returns the statements of RegisterMCP for all features except tools.
func (g *generator) registerFeatures() []jen.Code {
	var out []jen.Code
	register := func(f *model.Feature, feature code) {
		out = append(out, g.registrar(g.featureDefaults(f)).Dot("Register").Call(feature))
	}
	for _, r := range g.p.Resources {
		register(&r.Feature, g.resourceFeature("Resource", r))
	}
	for _, r := range g.p.Templates {
		register(&r.Feature, g.resourceFeature("Template", r))
	}
	for _, p := range g.p.Prompts {
		stem := g.plan.Calls[&p.Call].Stem
		register(&p.Feature, g.registered("Prompt", g.withChoices("Prompt", "mcpPrompt"+stem, &p.Call), "mcpGet"+stem, p.Func.Receiver, g.completers(stem, p.Completions)))
	}
	return append(out, g.registerSkills()...)
}

// registered returns the feature of a function or method.
func (g *generator) registered(kind string, info code, answer string, recv *model.Receiver, completers []jen.Code) code {
	args := []jen.Code{info}
	maker := g.impl("Func" + kind)
	if recv.Passed() {
		maker = g.impl("Method" + kind)
		args = append(args, jen.Id(g.locals.user(recv.Param)))
	}
	args = append(append(args, jen.Id(answer)), completers...)
	return breakArgs(maker, len("	r.Register("), args)
}
