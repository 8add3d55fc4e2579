package emit

import (
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// defaults is what features can have in common: how their errors are shown, and how long they may
// take.
type defaults struct {
	errorsFunc string
	hide       bool
	timeout    time.Duration
}

// usual finds what most features have in common. RegisterMCP has it once, where at least two have
// it; the descriptions of these features leave it out.
func (g *generator) usual() defaults {
	count := map[defaults]int{}
	var best defaults
	note := func(d defaults) {
		if d == (defaults{}) {
			return
		}
		if count[d]++; count[d] > 1 && count[d] > count[best] {
			best = d
		}
	}
	for _, t := range g.p.Tools {
		note(g.toolDefaults(t))
	}
	for _, f := range g.features() {
		note(g.featureDefaults(f))
	}
	return best
}

func (g *generator) toolDefaults(t *model.Tool) defaults {
	return defaults{g.errorsFunc(t.HideErrors), t.HideErrors, t.Timeout}
}

func (g *generator) featureDefaults(f *model.Feature) defaults {
	return defaults{g.errorsFunc(f.HideErrors), f.HideErrors, f.Timeout}
}

// isUsual reports whether a feature is registered with the defaults.
func (g *generator) isUsual(d defaults) bool { return g.common != (defaults{}) && d == g.common }

// putDefaults puts what a feature does not have in common with most others.
func (g *generator) putDefaults(l *items, d defaults) {
	if g.isUsual(d) {
		return
	}
	g.putFields(l, d)
}

func (g *generator) putFields(l *items, d defaults) {
	if d.errorsFunc != "" {
		l.put("Errors", jen.Id(d.errorsFunc))
	}
	l.flag("HideErrors", d.hide)
	l.put("Timeout", g.positive(d.timeout))
}

// applyDefaults is the statement of RegisterMCP that makes the Registrar for the features that have
// the defaults.
func (g *generator) applyDefaults() code {
	var l items
	g.putFields(&l, g.common)
	return g.local("d").Op(":=").Add(g.impl("ApplyDefaults")).Call(g.local("r"), g.impl("Defaults").Add(composite(true, l...)))
}

// registrar is the variable that a feature is registered by.
func (g *generator) registrar(d defaults) code {
	if g.isUsual(d) {
		return g.local("d")
	}
	return g.local("r")
}
