package schema

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// defaultDiscriminator is the member that names the implementation, unless //mcp:union sets
// another.
const defaultDiscriminator = "type"

// implementation is a type that a sealed interface may hold.
type implementation struct {
	obj     *types.TypeName
	pointer bool // only the pointer implements the interface
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

// implementations returns the types that implement a sealed interface, in the order of their
// declarations.
func (r *Resolver) implementations(t *types.Named) (all []implementation, err error) {
	u := t.Underlying().(*types.Interface)
	byValue := func(obj *types.TypeName) bool { return types.Implements(obj.Type(), u) }
	objs, err := declared(r, t.Obj().Pkg(), func(obj *types.TypeName) bool {
		named, ok := obj.Type().(*types.Named)
		return ok && !obj.IsAlias() && named.TypeParams().Len() == 0 && !types.IsInterface(named) &&
			(byValue(obj) || types.Implements(types.NewPointer(named), u))
	})
	for _, obj := range objs {
		all = append(all, implementation{obj: obj, pointer: !byValue(obj)})
	}
	return all, err
}

func (r *Resolver) goodUnionForm(s site, obj *types.TypeName) bool {
	if !sealed(obj.Type()) {
		r.errorf(s, "put it on an interface with an unexported method, which no other package can implement",
			"type %s is not a sealed interface, so its implementations are not known", obj.Name())
		return false
	}
	return true
}

// fillUnion makes the plan of a sealed interface. isUnion is false if it can only be treated like
// any other interface.
func (r *Resolver) fillUnion(s site, plan *model.Type, t *types.Named) (isUnion, ok bool) {
	plan.Tagged, plan.Tags = r.tagging(s.use), int(r.Tags)
	form := r.formOf(t.Obj()).Union
	all, err := r.implementations(t)
	if err != nil {
		r.unread(s, t.Obj().Pkg(), err)
		return true, false
	}
	if form == nil {
		hidden := slices.IndexFunc(all, func(i implementation) bool { return !r.visible(i.obj) })
		if hidden >= 0 {
			r.errorf(s, "export it", "type %s implements the interface %s and is not exported by its package, so generated code cannot name it",
				all[hidden].obj.Name(), r.typeString(t))
			return true, false
		}
		if len(all) == 0 {
			return false, false
		}
		form = &UnionForm{}
		if s.use == Result && r.sources[t.Obj().Pkg()] == nil {
			return r.tryUnion(s, plan, t, form, all), true
		}
	}
	return true, r.fillVariants(s, plan, t, form, all)
}

// tryUnion makes the plan of a sealed interface of another package that is a result and that no
// directive declares a union. Its implementations cannot be changed, and those that are returned
// may all have a JSON form. So it is treated like any other interface if one of them cannot be a
// variant, with a warning that names it, since a schema that allows anything is of little use.
func (r *Resolver) tryUnion(s site, plan *model.Type, t *types.Named, form *UnionForm, all []implementation) bool {
	problem := r.attempt(s.use, func() bool {
		ok := r.fillVariants(s, plan, t, form, all)
		return ok && r.travels(s, plan, map[*model.Type]bool{})
	})
	if problem == nil {
		return true
	}
	plan.Kind, plan.Union = model.Invalid, nil
	name := r.typeString(t)
	if !isError(t) {
		if len(problem.Related) > 0 {
			s.far = problem.Related[0].Pos
		}
		r.warnf(s, fmt.Sprintf("write an //mcp:encode function for it; or describe what encoding/json writes: //mcp:schema %s JSON in the package comment", name),
			"the schema cannot describe %s: %s", name, strings.Replace(problem.Message, "field "+s.path+".", "field ", 1))
	}
	return false
}

// fillVariants makes the plans of the implementations.
func (r *Resolver) fillVariants(s site, plan *model.Type, t *types.Named, form *UnionForm, all []implementation) (ok bool) {
	info := &model.UnionInfo{Discriminator: cmp.Or(form.Discriminator, defaultDiscriminator)}
	plan.Kind, plan.Union = model.Union, info
	if len(all) == 0 {
		r.errorf(s, "declare the implementations in the package of the interface", "no type implements the interface %s", r.typeString(t))
		return false
	}
	r.warnName(s, info.Discriminator)
	var names []string
	for _, i := range all {
		names = append(names, i.obj.Name())
	}
	at := s
	if form.Pos.IsValid() {
		at = site{Place: diag.Place{Pos: form.Pos, Subject: "//mcp:union of " + t.Obj().Name()}}
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
	return ok
}

// variant makes the plan of an implementation, or returns nil after an error.
func (r *Resolver) variant(s site, union *types.Named, i implementation, info *model.UnionInfo) *model.UnionVariant {
	if problem, hint := r.unsuited(union, i, info.Discriminator); problem != "" {
		r.errorf(s, hint, "%s", problem)
		return nil
	}
	plan := r.resolve(r.variantOf(s, union, i.obj.Type()), i.obj.Type())
	if plan == nil {
		return nil
	}
	return &model.UnionVariant{Name: i.obj.Name(), Type: plan, Pointer: i.pointer}
}

// unsuited returns the reason why an implementation cannot be a variant, with a hint, or "" if it
// can.
func (r *Resolver) unsuited(union *types.Named, i implementation, discriminator string) (problem, hint string) {
	t := i.obj.Type()
	if !r.IsObject(t) || methodsOf(t).any() {
		return fmt.Sprintf("type %s implements the interface %s, and is not a struct whose JSON form is an object", r.typeString(t), r.typeString(union)),
			"make it a struct without a JSON form of its own, or give " + r.typeString(union) + " a //mcp:schema"
	}
	for _, m := range members(t) {
		if m.name == discriminator {
			return fmt.Sprintf("the field %s of %s has the name %q, which tells the implementations of %s apart", m.v.Name(), r.typeString(t), m.name, r.typeString(union)),
				"choose another one: //mcp:union discriminator=kind on " + r.typeString(union)
		}
	}
	return "", ""
}

// variantOf moves to an implementation, like a type assertion.
func (r *Resolver) variantOf(s site, union, t types.Type) site {
	if named := union.(*types.Named); s.union == nil && r.sources[named.Obj().Pkg()] == nil {
		s.union = named
	}
	return s.field("(" + t.(*types.Named).Obj().Name() + ")")
}
