package analyze

import (
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// hintFlags are the flags about behaviour that a directive sets, by key.
type hintFlags map[string]bool

// hintKeys are the keys for behaviour, each with the keys that it replaces when a nearer directive
// sets it.
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

// hintsOf reads the flags of one directive, over its group's flags.
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

// over returns the flags of a nearer directive on top of those in base.
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

// hints returns the four annotations. Without a flag, the specification's default applies
// (2025-11-25 schema, ToolAnnotations).
func (f hintFlags) hints() model.Hints {
	h := model.Hints{ReadOnly: f["readonly"]}
	h.Destructive = f.either("destructive", "additive", !h.ReadOnly)
	h.Idempotent = f.either("idempotent", "", h.ReadOnly)
	h.OpenWorld = f.either("openworld", "closedworld", true)
	return h
}

// either returns the flag yes, or the opposite of the flag no, or the default.
func (f hintFlags) either(yes, no string, otherwise bool) bool {
	if v, set := f[yes]; set {
		return v
	}
	if v, set := f[no]; set {
		return !v
	}
	return otherwise
}

// said reports whether the flags determine the tool's effect on its environment, and its reach.
// readonly=false alone does not determine the effect.
func (f hintFlags) said() (effect, reach bool) {
	_, destructive := f["destructive"]
	_, additive := f["additive"]
	_, open := f["openworld"]
	_, closed := f["closedworld"]
	return f["readonly"] || destructive || additive, open || closed
}
