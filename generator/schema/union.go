package schema

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/model"
)

// defaultDiscriminator is the member that names the implementation, where
// //mcp:union says no other.
const defaultDiscriminator = "type"

// implementation is a type that a sealed interface may hold.
type implementation struct {
	obj     *types.TypeName
	pointer bool // only the pointer to it implements the interface
}

// sealed reports whether only the package itself can implement the interface.
func sealed(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	u, ok := named.Underlying().(*types.Interface)
	if !ok || !u.IsMethodSet() {
		return false
	}
	for m := range u.Methods() {
		if !m.Exported() && m.Pkg() == named.Obj().Pkg() {
			return true
		}
	}
	return false
}

// implementations returns the types that implement a sealed interface, in the
// order of their declarations.
func (r *Resolver) implementations(t *types.Named) []implementation {
	u := t.Underlying().(*types.Interface)
	scope := t.Obj().Pkg().Scope()
	var all []implementation
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() {
			continue
		}
		named, ok := obj.Type().(*types.Named)
		if !ok || named.TypeParams().Len() > 0 || types.IsInterface(named) {
			continue
		}
		switch {
		case types.Implements(named, u):
			all = append(all, implementation{obj: obj})
		case types.Implements(types.NewPointer(named), u):
			all = append(all, implementation{obj: obj, pointer: true})
		}
	}
	slices.SortFunc(all, func(a, b implementation) int {
		x, y := r.pkg.Fset.PositionFor(a.obj.Pos(), false), r.pkg.Fset.PositionFor(b.obj.Pos(), false)
		return cmp.Or(strings.Compare(x.Filename, y.Filename), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column), strings.Compare(a.obj.Name(), b.obj.Name()))
	})
	return all
}

func (r *Resolver) goodUnionForm(s site, obj *types.TypeName) bool {
	if !sealed(obj.Type()) {
		r.errorf(s, "put it on an interface with an unexported method, which no other package can implement",
			"type %s is no sealed interface, so its implementations are not known", obj.Name())
		return false
	}
	return true
}

// fillUnion makes the plan of a sealed interface. isUnion is false where it can
// only be treated as an interface like any other.
func (r *Resolver) fillUnion(s site, plan *model.Type, t *types.Named) (isUnion, ok bool) {
	form := r.formOf(t.Obj()).Union
	all := r.implementations(t)
	if form == nil {
		hidden := slices.IndexFunc(all, func(i implementation) bool { return !r.visible(i.obj) })
		if hidden >= 0 && r.sources[t.Obj().Pkg()] != nil {
			r.errorf(s, "export it", "type %s implements the interface %s and is not exported by its package, so generated code cannot name it",
				all[hidden].obj.Name(), r.typeString(t))
			return true, false
		}
		if len(all) == 0 || hidden >= 0 {
			return false, false
		}
		form = &UnionForm{}
	}
	info := &model.UnionInfo{Discriminator: cmp.Or(form.Discriminator, defaultDiscriminator)}
	plan.Kind, plan.Union = model.Union, info
	if len(all) == 0 {
		r.errorf(s, "declare the implementations in the package of the interface", "no type implements the interface %s", r.typeString(t))
		return true, false
	}
	r.warnName(s, info.Discriminator)
	var names []string
	for _, i := range all {
		names = append(names, i.obj.Name())
	}
	at := s
	if form.Pos.IsValid() {
		at = site{at: Place{Pos: form.Pos, Subject: "//mcp:union of " + t.Obj().Name()}, pos: form.Pos}
	}
	ok = r.known(at, form.Names, names, "type that implements the interface")
	texts := map[string]string{}
	for _, i := range all {
		v := r.variant(s, t, i, info)
		if v == nil {
			ok = false
			continue
		}
		if text, renamed := textOf(form.Names, i.obj.Name()); renamed {
			v.Name = text
		}
		if other := texts[v.Name]; other != "" {
			r.errorf(at, "give one of them another name: "+i.obj.Name()+"=text", "%s and %s have the same name %q", other, i.obj.Name(), v.Name)
			ok = false
		}
		texts[v.Name] = i.obj.Name()
		info.Variants = append(info.Variants, v)
	}
	return true, ok
}

// variant makes the plan of an implementation, nil after an error.
func (r *Resolver) variant(s site, union *types.Named, i implementation, info *model.UnionInfo) *model.UnionVariant {
	t := i.obj.Type()
	if !r.IsObject(t) || methodsOf(t).any() {
		r.errorf(s, "make it a struct without a JSON form of its own, or give "+r.typeString(union)+" a //mcp:schema",
			"type %s implements the interface %s, and is no struct whose JSON form is an object", r.typeString(t), r.typeString(union))
		return nil
	}
	for _, m := range members(t) {
		if m.name == info.Discriminator {
			r.errorf(s, "choose another one: //mcp:union discriminator=kind on "+r.typeString(union),
				"the field %s of %s has the name %q, which tells the implementations of %s apart", m.v.Name(), r.typeString(t), m.name, r.typeString(union))
			return nil
		}
	}
	plan := r.resolve(s, t)
	if plan == nil {
		return nil
	}
	return &model.UnionVariant{Name: i.obj.Name(), Type: plan, Pointer: i.pointer}
}
