// Package reach finds the errors that a function can return, by the names in the source of loaded
// packages. It follows the names in a function to the functions, methods and variables behind them;
// a method of an interface leads to the methods of every type that implements the interface by
// names. It does not follow values: a function in a field of a struct leads nowhere.
package reach

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Graph contains the declarations of packages and the names in each of them. Two packages may have
// different objects for the same declaration, so names identify declarations.
type Graph struct {
	uses     map[string][]types.Object // by the declaration's name
	sameAs   map[string][]types.Object // variables in the initializers of variables
	methods  map[string][]*method      // by their own name
	source   map[string]bool           // paths of the packages
	packages map[string]*packages.Package
	imports  map[string]map[string]bool // for each requested path, the packages that it needs
}

// method is a method of a declared type.
type method struct {
	name string
	of   map[string]bool // names of all methods of the type
}

// NewGraph reads packages, and the packages whose features they emit.
func NewGraph(pkgs ...*load.Package) *Graph {
	g := &Graph{
		uses: map[string][]types.Object{}, sameAs: map[string][]types.Object{}, methods: map[string][]*method{},
		source: map[string]bool{}, packages: map[string]*packages.Package{}, imports: map[string]map[string]bool{},
	}
	for _, p := range pkgs {
		g.add(p)
		for _, path := range slices.Sorted(maps.Keys(p.From)) {
			g.add(p.From[path])
		}
	}
	return g
}

func (g *Graph) add(p *load.Package) {
	if g.source[p.Path] {
		return
	}
	g.source[p.Path] = true
	g.addImports(p.Imports)
	for _, f := range p.Files {
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if fn, ok := p.Info.Defs[d.Name].(*types.Func); ok {
					g.uses[nameOf(fn)] = slices.Concat(used(p.Info, d.Type), used(p.Info, d.Body))
					g.addMethod(fn)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						g.addVariables(p, v)
					}
				}
			}
		}
	}
}

func (g *Graph) addImports(imports map[string]*packages.Package) {
	for _, p := range imports {
		if g.packages[p.PkgPath] == nil {
			g.packages[p.PkgPath] = p
			g.addImports(p.Imports)
		}
	}
}

func (g *Graph) addMethod(fn *types.Func) {
	recv := fn.Signature().Recv()
	if recv == nil {
		return
	}
	t := recv.Type()
	if _, isPointer := t.(*types.Pointer); !isPointer {
		t = types.NewPointer(t)
	}
	m := &method{nameOf(fn), map[string]bool{}}
	for s := range types.NewMethodSet(t).Methods() {
		m.of[s.Obj().Name()] = true
	}
	g.methods[fn.Name()] = append(g.methods[fn.Name()], m)
}

// addVariables adds the variables of a package. Each variable counts as all values of its
// declaration.
func (g *Graph) addVariables(p *load.Package, v *ast.ValueSpec) {
	for i, name := range v.Names {
		obj, ok := p.Info.Defs[name].(*types.Var)
		if !ok {
			continue // a constant
		}
		for j, value := range v.Values {
			if len(v.Values) != len(v.Names) || i == j {
				all := used(p.Info, value)
				g.uses[nameOf(obj)] = append(g.uses[nameOf(obj)], all...)
				g.sameAs[nameOf(obj)] = append(g.sameAs[nameOf(obj)], all...)
			}
		}
	}
}

// used returns the declared objects that a part of the source names: functions, methods, types and
// variables of packages.
func used(info *types.Info, n ast.Node) (all []types.Object) {
	if body, ok := n.(*ast.BlockStmt); ok && body == nil {
		return nil // implemented in assembly
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := info.Uses[id]; nameOf(obj) != "" {
				all = append(all, obj)
			}
		}
		return true
	})
	return all
}

// nameOf returns the name of a declared object, which is the same in every package, or "".
func nameOf(obj types.Object) string {
	if obj == nil || obj.Pkg() == nil {
		return ""
	}
	switch o := obj.(type) {
	case *types.Func:
		return o.Origin().FullName()
	case *types.TypeName:
		if named, ok := types.Unalias(o.Type()).(*types.Named); ok && named.Obj().Pkg() != nil {
			return named.Obj().Pkg().Path() + "." + named.Obj().Name()
		}
	case *types.Var:
		if o.Parent() == o.Pkg().Scope() {
			return o.Pkg().Path() + "." + o.Name()
		}
	}
	return ""
}

// Errors returns the package's declared errors that a call of a feature can return, in their order.
func (g *Graph) Errors(m *model.Package, call *model.Call) (found []*model.DeclaredError) {
	starts := startsOf(m, call)
	if starts == nil {
		return m.Errors
	}
	r := &reached{graph: g, names: map[string]bool{}, outside: map[string]bool{}}
	for _, obj := range starts {
		r.visit(obj)
	}
	for _, e := range m.Errors {
		pkg := m.Types
		if e.Pkg != nil {
			pkg = e.Pkg
		}
		obj := pkg.Scope().Lookup(e.Name)
		if e.Type != nil {
			obj = typeName(e.Type)
		}
		if obj == nil || r.canReturn(obj) {
			found = append(found, e)
		}
	}
	return found
}

// startsOf returns the function of a feature and its providers, or nil for an unknown function.
func startsOf(m *model.Package, call *model.Call) (all []types.Object) {
	in := func(pkg *types.Package) *types.Package {
		if pkg == nil {
			return m.Types
		}
		return pkg
	}
	f := &call.Func
	fn := in(f.Pkg).Scope().Lookup(f.Name)
	if r := f.Receiver; r != nil {
		fn, _, _ = types.LookupFieldOrMethod(r.Type, true, in(r.Pkg), f.Name)
		if r.Provider != nil {
			all = append(all, in(r.Provider.Pkg).Scope().Lookup(r.Provider.Func))
		}
	}
	if nameOf(fn) == "" {
		return nil
	}
	for _, p := range call.Params() {
		if p.Provider != nil {
			all = append(all, in(p.Provider.Pkg).Scope().Lookup(p.Provider.Func))
		}
	}
	for _, p := range call.Fills {
		all = append(all, in(p.Provider.Pkg).Scope().Lookup(p.Provider.Func))
	}
	for _, p := range call.Provided {
		all = append(all, in(p.Provider.Pkg).Scope().Lookup(p.Provider.Func))
	}
	return append(all, fn)
}

// typeName returns the name of an error type or of its pointer's target, or nil.
func typeName(t types.Type) types.Object {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Origin().Obj()
	}
	return nil
}

// reached contains the declarations that some functions lead to.
type reached struct {
	graph   *Graph
	names   map[string]bool
	outside map[string]bool // paths of packages without source whose functions return errors
}

func (r *reached) visit(obj types.Object) {
	name := nameOf(obj)
	if name == "" || r.names[name] {
		return
	}
	r.names[name] = true
	if fn, ok := obj.(*types.Func); ok {
		if path := fn.Pkg().Path(); !r.graph.source[path] && returnsError(fn) {
			r.outside[path] = true
		}
		r.implementations(fn)
	}
	for _, next := range r.graph.uses[name] {
		r.visit(next)
	}
}

// implementations visits the methods that may implement a method of an interface.
func (r *reached) implementations(fn *types.Func) {
	recv := fn.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		return
	}
	i := recv.Type().Underlying().(*types.Interface)
candidates:
	for _, m := range r.graph.methods[fn.Name()] {
		for need := range i.Methods() {
			if !m.of[need.Name()] {
				continue candidates
			}
		}
		if !r.names[m.name] {
			r.names[m.name] = true
			for _, next := range r.graph.uses[m.name] {
				r.visit(next)
			}
		}
	}
}

// returnsError reports whether an error is among the results of a function. Errors of packages fmt
// and errors wrap errors that are passed to them, which have their own names.
func returnsError(fn *types.Func) bool {
	if path := fn.Pkg().Path(); path == "fmt" || path == "errors" {
		return false
	}
	isError := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	for v := range fn.Signature().Results().Variables() {
		if types.Implements(v.Type(), isError) {
			return true
		}
	}
	return false
}

// canReturn reports whether an error is named, or can come from a package without source: from one
// that declares it or imports the package that does. A variable counts as the error that it is set
// to.
func (r *reached) canReturn(obj types.Object) bool {
	name := nameOf(obj)
	if name == "" || r.names[name] {
		return true
	}
	if path := obj.Pkg().Path(); !r.graph.source[path] {
		for from := range r.outside {
			if from == path || r.graph.importsOf(from)[path] {
				return true
			}
		}
	}
	for _, other := range r.graph.sameAs[name] {
		if v, ok := other.(*types.Var); ok && nameOf(v) != name && r.canReturn(v) {
			return true
		}
	}
	return false
}

// importsOf returns the packages that a package needs.
func (g *Graph) importsOf(path string) map[string]bool {
	if all, known := g.imports[path]; known {
		return all
	}
	all := map[string]bool{}
	g.imports[path] = all
	var add func(p *packages.Package)
	add = func(p *packages.Package) {
		if p == nil {
			return
		}
		for _, i := range p.Imports {
			if !all[i.PkgPath] {
				all[i.PkgPath] = true
				add(i)
			}
		}
	}
	add(g.packages[path])
	return all
}
