package main

import (
	"fmt"
	"go/types"
	"strings"
)

// unions finds the sealed interfaces within types, and returns their table for values.Config, with
// the necessary imports other than the package itself, which is "target".
func unions(pkg *types.Package, list []wrapped) (table string, imports []string) {
	names := map[*types.Package]string{pkg: "target"}
	qualifier := func(p *types.Package) string {
		if names[p] == "" {
			names[p] = fmt.Sprintf("imported%d", len(names))
			imports = append(imports, fmt.Sprintf("%s %q", names[p], p.Path()))
		}
		return names[p]
	}
	var b strings.Builder
	seen := map[types.Type]bool{}
	var walk func(types.Type)
	walk = func(t types.Type) {
		if t = types.Unalias(t); seen[t] {
			return
		}
		seen[t] = true
		if named, ok := t.(*types.Named); ok && isSealed(named) {
			if all := implementations(named); len(all) > 0 {
				fmt.Fprintf(&b, "\treflect.TypeFor[%s](): values.Of(\n", types.TypeString(named, qualifier))
				for _, one := range all {
					fmt.Fprintf(&b, "\t\t*new(%s),\n", types.TypeString(one, qualifier))
					walk(one)
				}
				b.WriteString("\t),\n")
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				if f.Exported() || f.Embedded() {
					walk(f.Type())
				}
			}
		case *types.Map:
			walk(u.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays
			walk(u.Elem())
		}
	}
	for _, w := range list {
		walk(pkg.Scope().Lookup(w.name).Type())
	}
	return b.String(), imports
}

// isSealed reports whether only the package of an exported interface can implement it.
func isSealed(t *types.Named) bool {
	u, ok := t.Underlying().(*types.Interface)
	if !ok || !t.Obj().Exported() || t.Obj().Pkg() == nil {
		return false
	}
	for m := range u.Methods() {
		if !m.Exported() {
			return true
		}
	}
	return false
}

// implementations returns the exported structs, or pointers to them, that implement a sealed
// interface.
func implementations(t *types.Named) (all []types.Type) {
	u := t.Underlying().(*types.Interface)
	for _, w := range structs(t.Obj().Pkg()) {
		one := t.Obj().Pkg().Scope().Lookup(w.name).Type()
		switch pointer := types.NewPointer(one); {
		case types.Implements(one, u):
			all = append(all, one)
		case types.Implements(pointer, u):
			all = append(all, pointer)
		}
	}
	return all
}
