package analyze

import (
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// hintFlags are the flags about behaviour that a directive sets, by key.
type hintFlags map[string]bool

// hintKeys are the keys that speak of behaviour, each with those that it replaces when a nearer
// directive sets it.
var hintKeys = []struct {
	key      string
	replaces []string
}{
	{"readonly", []string{"destructive", "additive", "idempotent"}},
	{"destructive", []string{"additive", "readonly"}},
	{"additive", []string{"destructive", "readonly"}},
	{"idempotent", nil},
	{"openworld", []string{"closedworld"}},
	{"closedworld", []string{"openworld"}},
}

// hintsOf reads the flags of one directive, over those of its group.
func hintsOf(d *directive.Directive) hintFlags {
	if group, own := d.Layers(); group != nil {
		return hintsOf(own).over(hintsOf(group))
	}
	flags := hintFlags{}
	for _, k := range hintKeys {
		if value, set := d.Flag(k.key); set {
			flags[k.key] = value
		}
	}
	return flags
}

// over returns the flags of a nearer directive on top of those of a farther one.
func (f hintFlags) over(base hintFlags) hintFlags {
	merged := hintFlags{}
	for k, v := range base {
		merged[k] = v
	}
	for _, k := range hintKeys {
		if _, set := f[k.key]; !set {
			continue
		}
		for _, other := range k.replaces {
			delete(merged, other)
		}
	}
	for k, v := range f {
		merged[k] = v
	}
	return merged
}

// hints are the four annotations; what no flag settles has the specification's default (2025-11-25
// schema, ToolAnnotations).
func (f hintFlags) hints() model.Hints {
	h := model.Hints{ReadOnly: f["readonly"]}
	h.Destructive = f.either("destructive", "additive", !h.ReadOnly)
	h.Idempotent = f.either("idempotent", "", h.ReadOnly)
	h.OpenWorld = f.either("openworld", "closedworld", true)
	return h
}

// either is the flag yes, or the opposite of the flag no, or the default.
func (f hintFlags) either(yes, no string, otherwise bool) bool {
	if v, set := f[yes]; set {
		return v
	}
	if v, set := f[no]; set {
		return !v
	}
	return otherwise
}

// said reports whether the flags set what a tool does to its environment, and how far it reaches.
// readonly=false alone does not set the former.
func (f hintFlags) said() (effect, reach bool) {
	_, destructive := f["destructive"]
	_, additive := f["additive"]
	_, open := f["openworld"]
	_, closed := f["closedworld"]
	return f["readonly"] || destructive || additive, open || closed
}
