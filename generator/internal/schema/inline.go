package schema

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

func inlines(arg *directive.Directive) bool {
	inline, _ := arg.Flag("inline")
	return inline
}

// pathOf returns the path to the field that a directive names. A member of an inlined argument may
// be named with the argument's name in front, or without it.
func (r *Resolver) pathOf(object *model.Type, arg *directive.Directive, args []*directive.Directive) []string {
	path := strings.Split(arg.Name(), ".")
	if slices.ContainsFunc(object.Fields, func(f *model.Field) bool { return r.called(f, path[0]) }) {
		return path
	}
	for _, f := range object.Fields {
		for _, other := range args {
			inner, _ := memberPlan(f.Type)
			if inlines(other) && r.called(f, other.Name()) && inner != nil &&
				slices.ContainsFunc(slices.Concat(inner.Fields, inner.Hidden), func(f *model.Field) bool { return r.called(f, path[0]) }) {
				return append([]string{other.Name()}, path...)
			}
		}
	}
	return path
}

// inlinable returns the struct whose members can replace a value, or nil for other types.
func inlinable(t *model.Type) *model.Type {
	if t.Kind == model.Pointer {
		t = t.Elem
	}
	if t == nil || t.Kind != model.Struct { // nil behind a pointer whose plan is in progress
		return nil
	}
	return t
}

// memberPlan is like inlinable. It also returns the struct from which a function makes the value,
// and then the plan of the value.
func memberPlan(t *model.Type) (inner, converted *model.Type) {
	if t.Kind == model.Pointer {
		t = t.Elem
	}
	if t == nil || t.Kind != model.Converted || t.Convert.Methods != model.Invalid {
		return inlinable(&model.Type{Kind: model.Pointer, Elem: t}), nil
	}
	if inner = inlinable(t.Elem); inner == nil {
		return nil, nil
	}
	return inner, t
}

// applyInline replaces a struct by its members.
func (r *Resolver) applyInline(object *model.Type, i int, arg *directive.Directive, at diag.Place) bool {
	f := object.Fields[i]
	inner, _ := memberPlan(f.Type)
	s := site{Place: at, use: Argument}
	line, _ := arg.Get("inline")
	switch {
	case inner == nil:
		r.errorf(s, "delete the line", "only the members of a struct can be inlined, and this is %s", r.typeString(f.Type.Go))
		return false
	case isEmptied(inner) && (arg.Far || line.Far):
		return true // the author of the feature did not write the line: see WithoutEmptied
	case isEmptied(inner):
		r.errorf(s, "delete the line", "no member of it is left that could be an argument")
		return false
	case len(inner.Fields) == 0:
		r.errorf(s, "hide it: //mcp:arg "+arg.Name()+" omit", "the struct has no members that could be arguments")
		return false
	case strings.Contains(arg.Name(), "."):
		r.errorf(s, "name the parameter, or a field of the one struct parameter", "a member of an argument cannot be inlined")
		return false
	case len(withoutPart(arg)) > 2: // the name and inline
		r.errorf(s, "delete the rest of the line", "an inlined value is not an argument, so other settings have no effect")
		return false
	case f.Default != nil || f.Nullable || f.Quoted:
		r.errorf(s, "drop the tag, or do not inline the field", "a field with a default or null cannot be inlined")
		return false
	}
	fields, ok := slices.Clone(object.Fields[:i]), true
	for _, m := range inner.Fields {
		j := slices.IndexFunc(object.Fields, func(other *model.Field) bool { return other != f && other.Name == m.Name })
		if j >= 0 {
			r.errorf(s, "give one of them another name: //mcp:arg "+arg.Name()+"."+r.origin(m)+" name=..., or leave it out by omit=",
				"the member %s collides with the argument %s", m.Name, m.Name)
			ok = false
			continue
		}
		fields = append(fields, r.inlined(f, m, object.Go == nil))
	}
	object.Fields = append(fields, object.Fields[i+1:]...)
	for _, m := range inner.Fixed {
		object.Fixed = append(object.Fixed, r.inlined(f, m, object.Go == nil))
	}
	for _, m := range inner.Hidden {
		if !slices.ContainsFunc(slices.Concat(object.Fields, object.Hidden), func(other *model.Field) bool { return other.Name == m.Name }) {
			object.Hidden = append(slices.Clip(object.Hidden), r.inlined(f, m, object.Go == nil))
		}
	}
	return ok
}

// inlined returns a member of a field as a field of the object around it. A parameter that is a
// pointer always points to a struct; any other field is nil until one of its members is set, and is
// not allocated before.
func (r *Resolver) inlined(f, m *model.Field, param bool) *model.Field {
	inner, converted := memberPlan(f.Type)
	m = r.copyField(m)
	path := slices.Clone(f.Path)
	last := &path[len(path)-1]
	last.Inlined, last.Convert = inner.Go, converted
	if !param {
		m.Required = m.Required && f.Required
		if f.Type.Kind == model.Pointer || converted != nil && !f.Required {
			last.Pointer = inner.Go
		}
	}
	m.Path = append(path, m.Path...)
	return m
}
