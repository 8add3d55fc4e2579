package schema

import (
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// EndlessDefault returns a field below a plan whose default contains a value with the same default,
// so that it is infinite, or nil. read reports that the default is read as JSON: then the value has
// the default before its members are read, even if the default names the member.
func EndlessDefault(root *model.Type) (f *model.Field, read bool) {
	w := &presetWalk{seen: map[*model.Type]bool{}, open: map[*model.Field]bool{}}
	f = w.search(root)
	return f, w.given
}

type presetWalk struct {
	seen  map[*model.Type]bool
	open  map[*model.Field]bool // fields whose default is being examined
	read  bool                  // the examined default is read as JSON
	given bool                  // the default contains the member
}

// search examines the defaults of all fields.
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

// hasNoEnd reports whether the default of a field leads to a default that is being examined.
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
	outer := w.read
	w.open[f], w.read = true, madeByReading(f.Type, v, map[*model.Field]bool{})
	defer func() {
		delete(w.open, f)
		w.read = outer
	}()
	return w.value(f.Type, v)
}

// value is like hasNoEnd, for a value.
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
		member := object[f.Name]
		if (member == nil || w.read) && w.hasNoEnd(f) {
			w.given = w.given || member != nil
			return true
		}
		if member != nil && w.value(f.Type, member) {
			return true
		}
	}
	return false
}

// madeByReading reports whether a method or a function makes a part of a value, so that the value
// is read when the program starts, and not written as an expression.
func madeByReading(t *model.Type, v any, seen map[*model.Field]bool) bool {
	if v == nil {
		return false
	}
	switch t.Kind {
	case model.Text, model.JSON, model.Converted, model.Union, model.Reflect:
		return true
	case model.Pointer, model.Flagged:
		return madeByReading(t.Elem, v, seen)
	}
	switch v := v.(type) {
	case []any:
		return t.Elem != nil && slices.ContainsFunc(v, func(e any) bool { return madeByReading(t.Elem, e, seen) })
	case map[string]any:
		if t.Kind == model.Map {
			return len(v) > 0 && t.Key.Kind == model.Text || slices.ContainsFunc(slices.Collect(maps.Values(v)), func(e any) bool { return madeByReading(t.Elem, e, seen) })
		}
		for _, f := range t.Fields {
			member := v[f.Name]
			if member == nil && f.Default != nil && !seen[f] {
				seen[f] = true
				member, _ = jsontext.Decode(f.Default.JSON)
				if madeByReading(f.Type, member, seen) {
					return true
				}
			} else if member != nil && (f.Quoted || madeByReading(f.Type, member, seen)) {
				return true
			}
		}
	}
	return false
}
