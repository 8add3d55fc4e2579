package codec

import (
	"go/types"
	"strings"
)

// guard records a struct whose shape the generated file asserts. It ignores structs of other
// modules: a field that a later version adds must not break the build.
func (b *builder) guard(t types.Type) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return
	}
	id := types.TypeString(named, nil)
	if b.guarded[id] {
		return
	}
	b.guarded[id] = true
	u, ok := named.Underlying().(*types.Struct)
	if !ok || !b.inModule(named.Obj().Pkg()) || u.NumFields() == 0 || !nameable(u, b.pkg.Types, map[types.Type]bool{}) {
		return
	}
	b.plan.Guards = append(b.plan.Guards, named)
}

func (b *builder) inModule(p *types.Package) bool {
	if p == b.pkg.Types || p.Path() == b.pkg.Path {
		return true
	}
	m := b.pkg.Module
	return m != "" && (p.Path() == m || strings.HasPrefix(p.Path(), m+"/"))
}

// nameable reports whether a package can spell the type.
func nameable(t types.Type, from *types.Package, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	visible := func(o types.Object) bool {
		switch p := o.Pkg(); {
		case p == nil:
			return true
		case p == from:
			return !strings.HasPrefix(o.Name(), "_C") // a type of cgo
		default:
			return o.Exported() && importable(from.Path(), p.Path())
		}
	}
	list := func(l *types.TypeList) bool {
		for a := range l.Types() {
			if !nameable(a, from, seen) {
				return false
			}
		}
		return true
	}
	switch t := t.(type) {
	case *types.Named:
		return visible(t.Obj()) && list(t.TypeArgs())
	case *types.Alias:
		return visible(t.Obj()) && list(t.TypeArgs())
	case *types.Struct:
		for f := range t.Fields() {
			if !visible(f) || !nameable(f.Type(), from, seen) {
				return false
			}
		}
	case *types.Map:
		return nameable(t.Key(), from, seen) && nameable(t.Elem(), from, seen)
	case *types.Signature:
		for v := range t.Params().Variables() {
			if !nameable(v.Type(), from, seen) {
				return false
			}
		}
		for v := range t.Results().Variables() {
			if !nameable(v.Type(), from, seen) {
				return false
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if !visible(m) || !nameable(m.Type(), from, seen) {
				return false
			}
		}
	case interface{ Elem() types.Type }:
		return nameable(t.Elem(), from, seen)
	}
	return true
}

// importable reports whether one package may import another, by the rule for directories named
// internal.
func importable(from, path string) bool {
	elems := strings.Split(path, "/")
	for i := len(elems) - 1; i >= 0; i-- {
		if elems[i] == "internal" {
			parent := strings.Join(elems[:i], "/")
			return from == parent || strings.HasPrefix(from, parent+"/")
		}
	}
	return true
}
