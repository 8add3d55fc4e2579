package analyze

import (
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

func TestHints(t *testing.T) {
	const yes, no = true, false
	for _, c := range []struct {
		name  string
		base  hintFlags
		flags hintFlags
		want  model.Hints
	}{
		{"the specification's defaults", nil, nil, model.Hints{Destructive: true, OpenWorld: true}},
		{"readonly implies two others", nil, hintFlags{"readonly": yes}, model.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		{"additive", nil, hintFlags{"additive": yes}, model.Hints{OpenWorld: true}},
		{"closedworld", nil, hintFlags{"closedworld": yes}, model.Hints{Destructive: true}},
		{"negated", nil, hintFlags{"openworld": no, "destructive": no}, model.Hints{}},
		{"the default holds", hintFlags{"closedworld": yes, "readonly": yes}, nil, model.Hints{ReadOnly: true, Idempotent: true}},
		{"destructive over a readonly default", hintFlags{"readonly": yes}, hintFlags{"destructive": yes}, model.Hints{Destructive: true, OpenWorld: true}},
		{"readonly over a destructive default", hintFlags{"destructive": yes}, hintFlags{"readonly": yes}, model.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		{"openworld over a closedworld default", hintFlags{"closedworld": yes}, hintFlags{"openworld": yes}, model.Hints{Destructive: true, OpenWorld: true}},
		{"idempotent beside destructive", nil, hintFlags{"destructive": yes, "idempotent": yes}, model.Hints{Destructive: true, Idempotent: true, OpenWorld: true}},
		{"readonly but not idempotent", nil, hintFlags{"readonly": yes, "idempotent": no}, model.Hints{ReadOnly: true, OpenWorld: true}},
	} {
		if got := c.flags.over(c.base).hints(); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestSaid(t *testing.T) {
	const yes, no = true, false
	for _, c := range []struct {
		flags         hintFlags
		effect, reach bool
	}{
		{nil, no, no},
		{hintFlags{"readonly": yes}, yes, no},
		{hintFlags{"readonly": no, "idempotent": yes}, no, no},
		{hintFlags{"destructive": no}, yes, no},
		{hintFlags{"additive": yes, "openworld": no}, yes, yes},
		{hintFlags{"closedworld": yes}, no, yes},
	} {
		if effect, reach := c.flags.said(); effect != c.effect || reach != c.reach {
			t.Errorf("%v: effect %v, reach %v", c.flags, effect, reach)
		}
	}
}
