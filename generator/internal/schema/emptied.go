package schema

import (
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// WithoutEmptied removes structs from the arguments object of a feature if their members are all
// filled, fixed or omitted: a client would have to send an empty object for them. It returns object
// itself if it contains no such struct. Constants move to the struct around, and fills lead through
// the removed struct, which is allocated if it is a pointer. A struct without own members is
// published, since an empty object may be its value.
func (r *Resolver) WithoutEmptied(object *model.Type, feature string, fills []*model.Fill) *model.Type {
	e := &emptied{Resolver: r, root: object, feature: feature, fills: fills, within: map[*model.Type]bool{}}
	return e.take(object, nil)
}

type emptied struct {
	*Resolver
	root    *model.Type
	feature string
	fills   []*model.Fill
	within  map[*model.Type]bool
}

// isEmptied reports whether directives have removed all members of a struct. Only copies that they
// have changed have a variant.
func isEmptied(t *model.Type) bool {
	return t != nil && t.Kind == model.Struct && t.Variant != "" && len(t.Fields) == 0
}

// take removes such structs from the fields of a struct, or of a pointer's target. path leads to it
// from the root.
func (e *emptied) take(t *model.Type, path []model.Selector) *model.Type {
	object := inlinable(t)
	if object == nil || object.Variant == "" || e.within[object] {
		return t
	}
	e.within[object] = true
	defer delete(e.within, object)
	for i := 0; i < len(object.Fields); i++ {
		f := object.Fields[i]
		at := slices.Concat(path, f.Path)
		inner := e.take(f.Type, at)
		gone := isEmptied(inlinable(inner)) && f.Default == nil
		if inner == f.Type && !gone {
			continue
		}
		t = e.copyOf(t, e.feature)
		if object = t; t.Kind == model.Pointer {
			t.Elem = e.copyOf(t.Elem, e.feature)
			object = t.Elem
		}
		f = object.Fields[i]
		if f.Type = inner; !gone {
			continue
		}
		object.Fields = slices.Delete(object.Fields, i, i+1)
		i--
		for _, m := range inlinable(inner).Fixed {
			m = e.inlined(f, m, object.Go == nil && len(f.Path) == 1)
			m.Name = f.Name + "." + m.Name // for lists of constants
			object.Fixed = append(object.Fixed, m)
		}
		e.join(at)
	}
	return t
}

// join merges two steps into one for a fill that leads through a removed struct.
func (e *emptied) join(path []model.Selector) {
	for _, fill := range e.fills {
		var at []model.Selector
		for k := 1; k < len(fill.Chain); k++ {
			holder := fill.Chain[k-1]
			if at = append(at, holder.Path...); samePath(at, path) {
				joined := e.inlined(holder, fill.Chain[k], e.root.Go == nil && len(at) == 1)
				fill.Chain = slices.Concat(fill.Chain[:k-1], []*model.Field{joined}, fill.Chain[k+1:])
				break
			}
		}
	}
}

func samePath(a, b []model.Selector) bool {
	return slices.EqualFunc(a, b, func(x, y model.Selector) bool { return x.Name == y.Name })
}
