package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// project is the import path that is cut from names.
const project = "github.com/mcpgen/mcpgen/"

// program is the source of several modules. An object of one module is represented by another
// object in each module that imports it, so functions and fields are identified by their names.
type program struct {
	root     string
	fset     *token.FileSet
	nodes    []*node
	funcs    map[string]*node
	literals map[*ast.FuncLit]*node
	fields   map[*types.Var]string // and package variables
	params   map[*types.Var]parameter
	sources  map[any][]source // the assignments of a variable; fields and package variables have a name as key
	calls    map[*node][]call // static calls, and calls of interface methods
	values   map[*node]bool   // used as values
	methods  map[string][]*types.Named
	conds    map[string][]source // the lock of a condition variable
}

// node is a function with a body, or a function literal.
type node struct {
	name    string
	info    *types.Info
	body    *ast.BlockStmt
	params  []*types.Var
	public  bool // other modules can call it
	returns []*ast.ReturnStmt
	summary summary
}

// inLine separates the name of a function and the line of a literal in it.
const inLine = ", function in line "

// declared returns the name of the function, or of the function around a literal, since lines
// change.
func (n *node) declared() string {
	name, _, _ := strings.Cut(n.name, inLine)
	return name
}

// inside reports whether a function is another one, or a literal in it.
func (n *node) inside(other *node) bool {
	return n == other || n.body != nil && other.body.Pos() <= n.body.Pos() && n.body.End() <= other.body.End()
}

type parameter struct {
	of       *node
	index    int
	variadic bool
}

// source is an expression, or one result of a call, in a function. Package variables have no
// function.
type source struct {
	expr  ast.Expr
	index int
	info  *types.Info
}

type call struct {
	args []ast.Expr
	info *types.Info
}

func load(dirs ...string) (*program, error) {
	p := &program{
		fset: token.NewFileSet(), funcs: map[string]*node{}, literals: map[*ast.FuncLit]*node{}, fields: map[*types.Var]string{},
		params: map[*types.Var]parameter{}, sources: map[any][]source{}, calls: map[*node][]call{}, values: map[*node]bool{},
		methods: map[string][]*types.Named{}, conds: map[string][]source{},
	}
	var all []*packages.Package
	for i, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.root = dir
		}
		loaded, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
				packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
			Dir: dir, Fset: p.fset,
		}, "./...")
		if err != nil {
			return nil, err
		}
		for _, pkg := range loaded {
			if len(pkg.Errors) > 0 {
				return nil, pkg.Errors[0]
			}
			for _, imported := range pkg.Imports {
				if ours(imported.Types) {
					p.nameFields(imported.Types, nil)
				}
			}
			p.nameFields(pkg.Types, pkg.TypesInfo)
			all = append(all, pkg)
		}
	}
	for _, pkg := range all {
		p.declare(pkg)
	}
	for _, pkg := range all {
		for _, f := range pkg.Syntax {
			p.flow(pkg.TypesInfo, f)
		}
	}
	return p, nil
}

func ours(p *types.Package) bool {
	return p != nil && strings.HasPrefix(p.Path()+"/", project)
}

// internal reports whether other modules cannot import a package.
func internal(p *types.Package) bool {
	return strings.Contains(p.Path()+"/", "/internal/")
}

func short(path string) string { return strings.TrimPrefix(path, project) }

// nameFields names the fields of the package's types, and its variables.
func (p *program) nameFields(pkg *types.Package, info *types.Info) {
	objects := make([]types.Object, 0, pkg.Scope().Len())
	for _, name := range pkg.Scope().Names() {
		objects = append(objects, pkg.Scope().Lookup(name))
	}
	if info != nil {
		for _, o := range info.Defs { // including types in functions
			if t, ok := o.(*types.TypeName); ok && t.Parent() != pkg.Scope() {
				objects = append(objects, t)
			}
		}
	}
	for _, o := range objects {
		name := short(pkg.Path()) + "." + o.Name()
		switch o := o.(type) {
		case *types.Var:
			p.fields[o] = name
			p.nameStruct(o.Type(), name)
		case *types.TypeName:
			if !o.IsAlias() {
				p.nameStruct(o.Type().Underlying(), name)
			}
		}
	}
}

func (p *program) nameStruct(t types.Type, name string) {
	switch t := types.Unalias(t).(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if p.fields[f] == "" {
				p.fields[f] = name + "." + f.Name()
				p.nameStruct(f.Type(), p.fields[f])
			}
		}
	case *types.Pointer:
		p.nameStruct(t.Elem(), name)
	case *types.Slice:
		p.nameStruct(t.Elem(), name)
	case *types.Map:
		p.nameStruct(t.Elem(), name)
	}
}

// declare creates the nodes of a package.
func (p *program) declare(pkg *packages.Package) {
	for _, o := range pkg.TypesInfo.Defs {
		if t, ok := o.(*types.TypeName); ok && !t.IsAlias() {
			if named, ok := t.Type().(*types.Named); ok && !types.IsInterface(named) {
				set := types.NewMethodSet(types.NewPointer(named))
				for m := range set.Methods() {
					p.methods[m.Obj().Name()] = append(p.methods[m.Obj().Name()], named)
				}
			}
		}
	}
	for _, f := range pkg.Syntax {
		for _, d := range f.Decls {
			name := short(pkg.PkgPath)
			if d, ok := d.(*ast.FuncDecl); ok {
				fn := pkg.TypesInfo.Defs[d.Name].(*types.Func)
				name = short(strings.ReplaceAll(fn.FullName(), "("+project, "("))
				name = strings.ReplaceAll(name, "(*"+project, "(*")
				if d.Body != nil {
					n := p.add(name, pkg.TypesInfo, d.Body, fn.Signature())
					n.public = public(fn)
					p.funcs[key(fn)] = n
				}
			}
			ast.Inspect(d, func(x ast.Node) bool {
				if l, ok := x.(*ast.FuncLit); ok {
					at := p.fset.Position(l.Pos())
					sig := pkg.TypesInfo.TypeOf(l).(*types.Signature)
					p.literals[l] = p.add(fmt.Sprintf("%s%s%d", name, inLine, at.Line), pkg.TypesInfo, l.Body, sig)
				}
				return true
			})
		}
	}
}

// public reports whether other modules can call a function.
func public(f *types.Func) bool {
	if !f.Exported() || internal(f.Pkg()) {
		return false
	}
	if r := f.Signature().Recv(); r != nil {
		n := namedOf(r.Type())
		return n != nil && n.Obj().Exported()
	}
	return true
}

func key(f *types.Func) string { return f.Origin().FullName() }

func namedOf(t types.Type) *types.Named {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

func (p *program) add(name string, info *types.Info, body *ast.BlockStmt, sig *types.Signature) *node {
	n := &node{name: name, info: info, body: body, summary: newSummary()}
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		n.params = append(n.params, v)
		p.params[v] = parameter{n, i, sig.Variadic() && i == sig.Params().Len()-1}
	}
	ast.Inspect(body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			n.returns = append(n.returns, x)
		}
		return true
	})
	p.nodes = append(p.nodes, n)
	return n
}
