package emit

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// feature is the kind of feature that a function answers.
type feature int

const (
	toolFeature feature = iota
	resourceFeature
	promptFeature
)

// features are what is common to all resources, templates and prompts.
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

func (l *items) put(name string, value jen.Code, when bool) {
	if when {
		*l = append(*l, keyed(name, value))
	}
}

// flag puts what is true.
func (l *items) flag(name string, on bool) {
	if on {
		*l = append(*l, keyed(name, jen.True()))
	}
}

// identity puts what resources, templates and prompts have in common.
func (g *generator) identity(l *items, f *model.Feature, symbol string) {
	l.put("Name", text(f.Name), true)
	l.put("Title", text(f.Title), f.Title != "")
	l.put("Description", text(f.Description), f.Description != "")
	l.put("Symbol", text(symbol), true)
	l.put("Groups", stringList(f.Groups), len(f.Groups) > 0)
	l.put("Scopes", stringList(f.Scopes), len(f.Scopes) > 0)
}

// behaviour puts what the client must be capable of, how errors are shown, and
// how long it may take.
func (g *generator) behaviour(l *items, f *model.Feature) {
	l.put("Requires", g.capabilities(f.Requires), len(f.Requires) > 0)
	g.putDefaults(l, g.featureDefaults(f))
}

// capabilities is a list of the runtime's constants.
func (g *generator) capabilities(list []model.Capability) code {
	var all []jen.Code
	for _, c := range list {
		all = append(all, g.mcp(string(c)))
	}
	return jen.Index().Add(g.mcp("Capability"), composite(false, all...))
}

// registerFeatures are the statements of RegisterMCP for all but tools.
func (g *generator) registerFeatures() []jen.Code {
	var out []jen.Code
	register := func(f *model.Feature, feature code) {
		out = append(out, call(jen.Add(g.registrar(g.featureDefaults(f))).Dot("Register"), feature))
	}
	for _, r := range g.p.Resources {
		register(&r.Feature, g.resourceFeature("Resource", r))
	}
	for _, r := range g.p.Templates {
		register(&r.Feature, g.resourceFeature("Template", r))
	}
	for _, p := range g.p.Prompts {
		stem := g.plan.Calls[&p.Call].Stem
		register(&p.Feature, g.registered("Prompt", g.withChoices("Prompt", "&mcpPrompt"+stem, &p.Call), "mcpGet"+stem, p.Func.Receiver, g.completers(stem, p.Completions)))
	}
	return out
}

// registered is the feature of a function or method.
func (g *generator) registered(kind string, info code, answer string, recv *model.Receiver, completers []jen.Code) code {
	args := []jen.Code{info}
	maker := g.impl("Func" + kind)
	if recv != nil && recv.Provider == nil {
		maker = g.impl("Method" + kind)
		args = append(args, id(g.locals.user(recv.Param)))
	}
	args = append(append(args, id(answer)), completers...)
	return breakArgs(maker, len("	r.Register()"), args)
}

// priority is a pointer to a number.
func priority(number string) code {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return id(number)
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if f == float64(int(f)) {
		text += ".0"
	}
	return call(id("new"), id(cmp.Or(text, "0.0")))
}
