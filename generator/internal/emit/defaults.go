package emit

import (
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// defaults contains the settings that features can share: the display of their errors, and their
// timeout.
type defaults struct {
	errorsFunc string
	hide       bool
	timeout    time.Duration
}

// usual finds the settings that most features share. If at least two share them, RegisterMCP sets
// them once, and the descriptions of these features omit them.
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

// putDefaults puts the settings of a feature that differ from the shared ones.
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

// applyDefaults returns the statement of RegisterMCP that makes the Registrar for the features with
// the shared settings.
func (g *generator) applyDefaults() code {
	var l items
	g.putFields(&l, g.common)
	return g.local("d").Op(":=").Add(g.impl("ApplyDefaults")).Call(g.local("r"), g.impl("Defaults").Add(composite(true, l...)))
}

// registrar returns the variable with which a feature is registered.
func (g *generator) registrar(d defaults) code {
	if g.isUsual(d) {
		return g.local("d")
	}
	return g.local("r")
}
