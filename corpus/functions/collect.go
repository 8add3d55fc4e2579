package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// wrapper wraps one function or method of a package in generated source.
type wrapper struct {
	symbol string      // of the original: "Contains", "(*Client).Get"
	fn     *types.Func // the original
	recv   *types.Named
	kind   kind
	doc    string
	name   string // of the function or method in the generated source
	result string // of //mcp:result, as the generator advises, or ""
}

// kind is the treatment of the receiver.
type kind int

const (
	plain    kind = iota // no receiver
	argument             // it is the first parameter
	handle               // a field of a type that is passed to RegisterMCP
	contract             // it is an interface, which is passed to RegisterMCP
)

// collected contains the functions of a package to wrap.
type collected struct {
	pkg        *types.Package
	wrappers   []*wrapper
	unwritable []string // symbols that no other package can call by name, with the reason
}

// load type-checks a package from source, for its comments, and its dependencies from export data.
func load(path string) (*packages.Package, error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesInfo |
		packages.NeedSyntax | packages.NeedExportFile
	pkgs, err := packages.Load(&packages.Config{Mode: mode}, path)
	if err != nil {
		return nil, err
	}
	if len(pkgs) != 1 || pkgs[0].Types == nil || len(pkgs[0].Errors) > 0 {
		return nil, fmt.Errorf("load %s: %v", path, pkgs[0].Errors)
	}
	return pkgs[0], nil
}

// collect walks the exported functions and methods of a package.
func collect(src source) (*collected, error) {
	pkg, err := load(src.path)
	if err != nil {
		return nil, err
	}
	out := &collected{pkg: pkg.Types}
	docs := comments(pkg)
	add := func(w *wrapper) {
		w.doc = docs[w.fn]
		if why := unwritable(w, pkg.Types); why != "" {
			out.unwritable = append(out.unwritable, w.symbol+": "+why)
			return
		}
		out.wrappers = append(out.wrappers, w)
	}
	scope := pkg.Types.Scope()
	for _, name := range src.types {
		if _, ok := scope.Lookup(name).(*types.TypeName); !ok {
			return nil, fmt.Errorf("%s has no type %s", src.path, name)
		}
	}
	for _, name := range scope.Names() {
		switch obj := scope.Lookup(name).(type) {
		case *types.Func:
			if obj.Exported() && src.types == nil {
				add(&wrapper{symbol: name, fn: obj})
			}
		case *types.TypeName:
			if !obj.Exported() || obj.IsAlias() || src.types != nil && !slices.Contains(src.types, name) {
				continue
			}
			for _, w := range methods(obj.Type().(*types.Named), src.types != nil) {
				add(w)
			}
		}
	}
	rename(out.wrappers)
	return out, nil
}

// methods returns the exported methods of a type, including promoted ones.
func methods(t *types.Named, named bool) []*wrapper {
	k := argument
	set := types.NewMethodSet(types.NewPointer(t))
	switch {
	case types.IsInterface(t):
		if !named {
			return nil // for callers to implement, or a parameter type
		}
		k, set = contract, types.NewMethodSet(t)
	case isHandle(t):
		k = handle
	}
	var all []*wrapper
	for sel := range set.Methods() {
		fn := sel.Obj().(*types.Func)
		if !fn.Exported() {
			continue
		}
		all = append(all, &wrapper{symbol: t.Obj().Name() + "." + fn.Name(), fn: fn, recv: t, kind: k})
	}
	return all
}

// isHandle recognises a type with more state than its JSON: a struct without JSON methods that has
// unexported fields, or embeds an interface.
func isHandle(t *types.Named) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	set := types.NewMethodSet(types.NewPointer(t))
	if set.Lookup(nil, "UnmarshalJSON") != nil || set.Lookup(nil, "UnmarshalText") != nil {
		return false
	}
	for f := range st.Fields() {
		if !f.Exported() || f.Embedded() && types.IsInterface(f.Type()) {
			return true
		}
	}
	return false
}

// rename gives every wrapper that is a function a unique name.
func rename(all []*wrapper) {
	slices.SortStableFunc(all, func(x, y *wrapper) int { return cmp.Compare(x.kind, y.kind) })
	taken := map[string]bool{}
	for _, w := range all {
		if w.recv != nil && w.kind != argument {
			taken[w.recv.Obj().Name()] = true
			taken["New"+w.recv.Obj().Name()] = true
		}
	}
	for _, w := range all {
		w.name = w.fn.Name()
		switch w.kind {
		case handle, contract:
			continue
		case argument:
			w.name = w.recv.Obj().Name() + w.fn.Name()
		}
		for taken[w.name] {
			w.name += "Method"
		}
		taken[w.name] = true
	}
}

// comments returns the doc comments of a package's functions and methods.
func comments(pkg *packages.Package) map[*types.Func]string {
	docs := map[*types.Func]string{}
	note := func(name *ast.Ident, doc *ast.CommentGroup) {
		if fn, ok := pkg.TypesInfo.Defs[name].(*types.Func); ok {
			docs[fn] = doc.Text()
		}
	}
	for _, file := range pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				note(n.Name, n.Doc)
				return false
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					if len(m.Names) == 1 {
						note(m.Names[0], m.Doc)
					}
				}
			}
			return true
		})
	}
	return docs
}

// unwritable returns the reason why other packages cannot write the signature, or "".
func unwritable(w *wrapper, own *types.Package) string {
	sig := w.fn.Signature()
	why := ""
	look := func(t types.Type) {
		if why == "" {
			why = unnameable(t, own, map[types.Type]bool{})
		}
	}
	for v := range sig.Params().Variables() {
		look(v.Type())
	}
	for v := range sig.Results().Variables() {
		look(v.Type())
	}
	for p := range sig.TypeParams().TypeParams() {
		look(p.Constraint())
	}
	if w.recv != nil {
		for p := range w.recv.TypeParams().TypeParams() {
			look(p.Constraint())
		}
	}
	return why
}

func unnameable(t types.Type, own *types.Package, seen map[types.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	first := func(list ...types.Type) string {
		for _, t := range list {
			if why := unnameable(t, own, seen); why != "" {
				return why
			}
		}
		return ""
	}
	switch t := t.(type) {
	case *types.Alias:
		return cmp.Or(hidden(t.Obj()), first(slices.Collect(t.TypeArgs().Types())...))
	case *types.Named:
		return cmp.Or(hidden(t.Obj()), first(slices.Collect(t.TypeArgs().Types())...))
	case *types.Pointer:
		return first(t.Elem())
	case *types.Slice:
		return first(t.Elem())
	case *types.Array:
		return first(t.Elem())
	case *types.Chan:
		return first(t.Elem())
	case *types.Map:
		return first(t.Key(), t.Elem())
	case *types.Signature:
		return first(t.Params(), t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if why := first(v.Type()); why != "" {
				return why
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() {
				return "a struct with the unexported field " + f.Name()
			}
			if why := first(f.Type()); why != "" {
				return why
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if !m.Exported() {
				return "an interface with the unexported method " + m.Name()
			}
			if why := first(m.Type()); why != "" {
				return why
			}
		}
		for e := range t.EmbeddedTypes() {
			if why := first(e); why != "" {
				return why
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			if why := first(term.Type()); why != "" {
				return why
			}
		}
	}
	return ""
}

// hidden returns the reason why other packages cannot write the name of a type, or "".
func hidden(obj *types.TypeName) string {
	switch {
	case obj.Pkg() == nil:
		return ""
	case !obj.Exported():
		return "the type " + obj.Name() + " is unexported"
	}
	for _, part := range strings.Split(obj.Pkg().Path(), "/") {
		if part == "internal" || part == "vendor" {
			return "the type " + obj.Name() + " is of the package " + obj.Pkg().Path()
		}
	}
	return ""
}
