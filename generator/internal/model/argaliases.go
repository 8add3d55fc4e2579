package model

import "slices"

// ArgumentAliases lists the former names of arguments and of their members: each entry is the path
// of the present name (filters[].field, labels.* for the values of a map), = and the former name.
func (c *Call) ArgumentAliases() []string {
	w := aliasWalk{has: map[*Type]bool{}, open: map[*Type]bool{}}
	if c.Input != nil && c.Input.Object != nil {
		w.walk(c.Input.Object, "")
	}
	return w.found
}

type aliasWalk struct {
	has, open map[*Type]bool // types with former names below them, and types around the present one
	found     []string
}

func (w *aliasWalk) walk(t *Type, path string) {
	if t == nil || w.open[t] || !w.hasAny(t) {
		return
	}
	w.open[t] = true
	defer delete(w.open, t)
	switch t.Kind {
	case Slice, Array:
		w.walk(t.Elem, path+"[]")
	case Map:
		w.walk(t.Elem, path+".*")
	default:
		w.walk(t.Elem, path)
	}
	for _, f := range t.Fields {
		at := f.Name
		if path != "" {
			at = path + "." + f.Name
		}
		for _, alias := range f.Aliases {
			if line := at + "=" + alias.Name; !slices.Contains(w.found, line) {
				w.found = append(w.found, line)
			}
		}
		w.walk(f.Type, at)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			w.walk(v.Type, path)
		}
	}
}

// hasAny reports whether a type, or one below it, has a former name. Most types have none, and
// there are many paths through them.
func (w *aliasWalk) hasAny(t *Type) bool {
	if t == nil {
		return false
	}
	if has, known := w.has[t]; known {
		return has
	}
	w.has[t] = false // in a cycle, the other types decide
	has := w.hasAny(t.Elem)
	for _, f := range t.Fields {
		has = has || len(f.Aliases) > 0 || w.hasAny(f.Type)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			has = has || w.hasAny(v.Type)
		}
	}
	w.has[t] = has
	return has
}
