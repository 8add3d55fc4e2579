package codec

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// way returns the path to a field of an object, from the object's value or, if a function makes a
// value of this field and others, from that function's variable.
func (o *Object) way(b *builder, t *model.Type, f *model.Field) (m *Made, path []Step) {
	i := slices.IndexFunc(f.Path, func(s model.Selector) bool { return s.Convert != nil })
	if i < 0 {
		return nil, b.steps(t, f)
	}
	at := f.Path[i]
	target := slices.Clone(f.Path[:i+1])
	target[i].Pointer, target[i].Inlined = nil, nil
	m = &Made{Go: at.Inlined, Path: b.steps(t, &model.Field{Name: f.Name, Path: target}), Optional: at.Pointer != nil, Convert: at.Convert.Convert.Decode}
	path = b.steps(&model.Type{Kind: model.Struct, Go: at.Inlined}, &model.Field{Name: f.Name, Path: f.Path[i+1:]})
	for _, other := range o.Made {
		if fmt.Sprint(other.Path) == fmt.Sprint(m.Path) {
			return other, path
		}
	}
	b.guard(at.Inlined)
	m.Pointer = at.Convert.Elem.Kind == model.Pointer
	if field := b.fieldType(t, target); field != nil && !types.Identical(field, at.Convert.Go) {
		m.Behind = at.Convert.Go
	}
	m.Ident = "mcp" + Camel(at.Name) + "Members"
	for n := 2; slices.ContainsFunc(o.Made, func(other *Made) bool { return other.Ident == m.Ident }); n++ {
		m.Ident = fmt.Sprintf("mcp%sMembers%d", Camel(at.Name), n)
	}
	o.Made = append(o.Made, m)
	return m, path
}

// Subject returns the beginning of messages about the value: the members that it is made of, and a
// verb.
func (o *Object) Subject(m *Made) string {
	const most = 4
	var names []string
	for _, member := range o.Members {
		if member.Made == m {
			names = append(names, member.Name)
		}
	}
	switch n := len(names); {
	case n > most:
		return strings.Join(names[:most-1], ", ") + " and others are"
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " are"
	}
	return strings.Join(names, "") + " is"
}

// fieldType returns the type of the field at the end of a path, or nil for an argument.
func (b *builder) fieldType(t *model.Type, path []model.Selector) types.Type {
	cur := t.Go
	for _, s := range path {
		switch {
		case s.Inlined != nil:
			cur = s.Inlined
			continue
		case cur == nil:
			return nil
		}
		obj, _, _ := types.LookupFieldOrMethod(cur, true, b.pkg.Types, s.Name)
		v, ok := obj.(*types.Var)
		if !ok {
			return nil
		}
		cur = v.Type()
	}
	return cur
}
