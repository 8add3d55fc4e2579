package schema

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Take removes a member from a copy of the arguments object of a feature: it is not published,
// nothing is read into it, and a client that sends it receives the error for unknown arguments.
// Take returns the copy and the fields that lead to the member. Both are nil if the member does not
// exist; problem is the reason if it cannot be set from outside.
func (r *Resolver) Take(object *model.Type, feature string, path []string) (changed *model.Type, chain []*model.Field, problem string) {
	object = r.copyOf(object, feature)
	inner := object
	if inner.Kind == model.Pointer {
		inner.Elem = r.copyOf(inner.Elem, feature)
		inner = inner.Elem
	}
	if inner.Kind != model.Struct {
		return nil, nil, r.inside(inner, path)
	}
	is := func(f *model.Field) bool { return r.called(f, path[0]) }
	i := slices.IndexFunc(inner.Fields, is)
	if hidden := slices.IndexFunc(inner.Hidden, is); i < 0 && hidden >= 0 {
		if len(path) == 1 {
			return object, []*model.Field{unhide(inner, hidden)}, ""
		}
		f := inner.Hidden[hidden] // its members can still be filled
		_, chain, problem := r.Take(f.Type, feature, path[1:])
		if chain == nil {
			return nil, nil, problem
		}
		return object, append([]*model.Field{f}, chain...), ""
	}
	if i < 0 {
		return nil, nil, ""
	}
	f := inner.Fields[i]
	if len(path) == 1 {
		inner.Fields = slices.Delete(inner.Fields, i, i+1)
		return object, []*model.Field{f}, ""
	}
	t, chain, problem := r.Take(f.Type, feature, path[1:])
	if chain == nil {
		return nil, nil, problem
	}
	f.Type = t
	return object, append([]*model.Field{f}, chain...), ""
}

// inside returns the reason why a member of a type other than a struct cannot be set, or "" if it
// does not exist.
func (r *Resolver) inside(t *model.Type, path []string) string {
	for t.Elem != nil && t.Kind != model.Struct {
		t = t.Elem
	}
	if t.Kind != model.Struct || !slices.ContainsFunc(t.Fields, func(f *model.Field) bool { return r.called(f, path[0]) }) {
		return ""
	}
	return "it is a member of the elements of a list or map, or behind several pointers"
}

// Origin returns the name that a field had before //mcp:arg renamed it.
func (r *Resolver) Origin(f *model.Field) string { return r.origin(f) }

// HasMembers reports whether encoding/json sees a field in a struct.
func HasMembers(t types.Type) bool { return len(members(t)) > 0 }

// HasMember reports whether a struct, or a pointer's target, has a member with the JSON names of a
// path. Every type has the empty path.
func HasMember(t types.Type, path []string) bool {
	if len(path) == 0 {
		return true
	}
	t = pointedTo(t)
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return false
	}
	for _, m := range members(t) {
		if m.name == path[0] && HasMember(m.v.Type(), path[1:]) {
			return true
		}
	}
	return false
}

// Member finds a member by its name in JSON or Go, at any depth, in types that encoding/json reads
// without generated code. It returns the member's path, or nil.
func Member(t types.Type, is func(name string) bool) []string {
	return findMember(t, is, &typeutil.Map{})
}

func findMember(t types.Type, is func(name string) bool, seen *typeutil.Map) []string {
	t = pointedTo(t)
	if seen.Set(t, true) != nil || methodsOf(t).unmarshalJSON || methodsOf(t).unmarshalText {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return findMember(u.Elem(), is, seen)
	case *types.Slice:
		return findMember(u.Elem(), is, seen)
	case *types.Array:
		return findMember(u.Elem(), is, seen)
	case *types.Map:
		return findMember(u.Elem(), is, seen)
	case *types.Struct:
		for _, m := range members(t) {
			if is(m.name) || is(m.v.Name()) {
				return []string{m.name}
			}
			if below := findMember(m.v.Type(), is, seen); below != nil {
				return append([]string{m.name}, below...)
			}
		}
	}
	return nil
}
