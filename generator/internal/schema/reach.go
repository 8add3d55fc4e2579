package schema

import (
	"go/types"
	"slices"
	"strings"
)

// AddRoot adds a type in the signatures of features. All of these types determine which aliases can
// name types without another name. AddRoot must be called before the first type is resolved.
func (r *Resolver) AddRoot(t types.Type) { r.roots = append(r.roots, t) }

// near returns the packages that are read as source and the packages whose types the features
// reach, if generated code can import them, beginning with the package that is generated for. Other
// imports of the packages do not count: an import that no feature needs must not change the
// generated file.
func (r *Resolver) near() []*types.Package {
	w := &walk{r: r, types: map[types.Type]bool{}, packages: map[*types.Package]bool{}}
	for _, t := range r.roots {
		if named, ok := types.Unalias(t).(*types.Named); ok {
			if u, ok := named.Underlying().(*types.Interface); ok {
				for m := range u.Methods() { // methods of a receiver are features
					w.visit(m.Type())
				}
			}
		}
		w.visit(t)
	}
	for source := range r.sources {
		w.packages[source] = true
	}
	delete(w.packages, r.pkg.Types)
	others := make([]*types.Package, 0, len(w.packages))
	for p := range w.packages {
		// An unreadable package is reported when one of its types is resolved.
		if Importable(r.pkg.Types.Path(), p.Path()) && (r.sources[p] != nil || r.pkg.Complete(p) == nil) {
			others = append(others, p)
		}
	}
	slices.SortFunc(others, func(x, y *types.Package) int { return strings.Compare(x.Path(), y.Path()) })
	return append([]*types.Package{r.pkg.Types}, others...)
}

// walk finds the packages of the types and aliases in values.
type walk struct {
	r        *Resolver
	types    map[types.Type]bool
	packages map[*types.Package]bool
}

func (w *walk) visit(t types.Type) {
	if w.types[t] || len(w.types) > 1e5 { // generic types may be infinite
		return
	}
	w.types[t] = true
	switch t := t.(type) {
	case *types.Alias:
		w.declared(t.Obj(), t.TypeArgs())
		w.visit(t.Rhs())
	case *types.Named:
		w.declared(t.Obj(), t.TypeArgs())
		w.visit(t.Underlying())
		if !sealed(t) {
			return
		}
		all, _ := w.r.implementations(t) // the error is reported where the type is resolved
		for _, i := range all {
			w.visit(i.obj.Type())
		}
	case *types.Map:
		w.visit(t.Key())
		w.visit(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			if v.Exported() || v.Embedded() {
				w.visit(v.Type())
			}
		}
	case *types.Signature:
		w.visit(t.Params())
		w.visit(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.visit(v.Type())
		}
	case interface{ Elem() types.Type }:
		w.visit(t.Elem())
	}
}

func (w *walk) declared(obj *types.TypeName, args *types.TypeList) {
	if obj.Pkg() != nil {
		w.packages[obj.Pkg()] = true
	}
	for arg := range args.Types() {
		w.visit(arg)
	}
}
