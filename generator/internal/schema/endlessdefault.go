package schema

import (
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// EndlessDefault returns a field whose default contains a value that has the same default, so that it has no end; nil
// if there is no such field below a plan.
func EndlessDefault(root *model.Type) *model.Field {
	w := &presetWalk{seen: map[*model.Type]bool{}, open: map[*model.Field]bool{}}
	return w.search(root)
}

type presetWalk struct {
	seen map[*model.Type]bool
	open map[*model.Field]bool // whose default is being looked at
}

// search looks at the defaults of all fields.
func (w *presetWalk) search(t *model.Type) *model.Field {
	if t == nil || w.seen[t] {
		return nil
	}
	w.seen[t] = true
	for _, f := range t.Fields {
		if w.hasNoEnd(f) {
			return f
		}
		if found := w.search(f.Type); found != nil {
			return found
		}
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			if found := w.search(v.Type); found != nil {
				return found
			}
		}
	}
	return w.search(t.Elem)
}

// hasNoEnd reports whether the default of a field leads to a default that is being looked at.
func (w *presetWalk) hasNoEnd(f *model.Field) bool {
	if f.Default == nil {
		return false
	}
	if w.open[f] {
		return true
	}
	v, err := jsontext.Decode(f.Default.JSON)
	if err != nil {
		return false
	}
	w.open[f] = true
	defer delete(w.open, f)
	return w.value(f.Type, v)
}

// value is hasNoEnd for a value.
func (w *presetWalk) value(t *model.Type, v any) bool {
	t = base(t)
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if t.Elem != nil && w.value(t.Elem, element) {
				return true
			}
		}
	case map[string]any:
		switch {
		case t.Kind == model.Struct:
			return w.members(t, v)
		case t.Union != nil:
			for _, variant := range t.Union.Variants {
				if v[t.Union.Discriminator] == variant.Name && w.members(variant.Type, v) {
					return true
				}
			}
		case t.Kind == model.Map:
			for _, element := range v {
				if w.value(t.Elem, element) {
					return true
				}
			}
		}
	}
	return false
}

func (w *presetWalk) members(t *model.Type, object map[string]any) bool {
	for _, f := range t.Fields {
		if member := object[f.Name]; member == nil && w.hasNoEnd(f) || member != nil && w.value(f.Type, member) {
			return true
		}
	}
	return false
}
