package load

import (
	"go/ast"
	"go/types"
)

// owners contains the names of declarations at package level: T for a type, constant, variable or
// function, T.Field for the field of a type, T.Field.Field for a field of a struct without a name,
// T.Method for a method. Names lead to the declaration where lines do not: for cgo, the lines in
// export data belong to the output of cgo.
type owners struct {
	fields map[*types.Var][]string // a struct type may have several names
	seen   map[*types.Package]int  // number of names in scope when the fields were collected
}

// names returns the names of an object, or nil if it has no name in its package.
func (o *owners) names(obj types.Object) []string {
	scope := obj.Pkg().Scope()
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		// A package that is read step by step gets more names.
		if v = v.Origin(); o.fields[v] == nil && o.seen[obj.Pkg()] != scope.Len() {
			o.collect(obj.Pkg())
		}
		return o.fields[v]
	}
	if scope.Lookup(obj.Name()) == obj {
		return []string{obj.Name()}
	}
	if fn, ok := obj.(*types.Func); ok {
		if owner := ownerOf(fn); owner != "" {
			return []string{owner + "." + fn.Name()}
		}
	}
	return nil
}

// ownerOf returns the name of the type that declares a method, or "".
func ownerOf(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

func (o *owners) collect(pkg *types.Package) {
	if o.fields == nil {
		o.fields, o.seen = map[*types.Var][]string{}, map[*types.Package]int{}
	}
	scope := pkg.Scope()
	o.seen[pkg] = scope.Len()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if ok && !obj.IsAlias() {
			o.add(name, obj.Type().Underlying())
		}
	}
}

// add adds the fields of a struct type, and of the unnamed structs in it.
func (o *owners) add(name string, t types.Type) {
	for {
		inner, ok := t.(interface{ Elem() types.Type })
		if !ok {
			break
		}
		t = inner.Elem()
	}
	st, ok := t.(*types.Struct)
	if !ok {
		return
	}
	for v := range st.Fields() {
		field := name + "." + v.Name()
		o.fields[v] = append(o.fields[v], field)
		o.add(field, v.Type())
	}
}

// indexNames collects the comments of the declarations that owners names.
func (f *fileDocs) indexNames() {
	add := func(name string, id *ast.Ident, c comment) {
		if _, twice := f.named[name]; twice || id.Name == "_" {
			return
		}
		c.at = f.fset.PositionFor(id.Pos(), false)
		f.named[name] = c
	}
	var fields func(name string, t ast.Expr)
	fields = func(name string, t ast.Expr) {
		st := structOf(t)
		if st == nil {
			return
		}
		for _, field := range st.Fields.List {
			eachField(field, func(id *ast.Ident, c comment) {
				add(name+"."+id.Name, id, c)
				fields(name+"."+id.Name, field.Type)
			})
		}
	}
	methods := func(spec *ast.TypeSpec) {
		iface, ok := ast.Unparen(spec.Type).(*ast.InterfaceType)
		if !ok {
			return
		}
		for _, m := range iface.Methods.List {
			signature, _ := m.Type.(*ast.FuncType)
			for _, id := range m.Names {
				add(spec.Name.Name+"."+id.Name, id, comment{doc: m.Doc, trail: m.Comment, fn: signature})
			}
		}
	}
	for _, decl := range f.syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil && len(decl.Recv.List) == 1 {
				name = embedded(decl.Recv.List[0].Type).Name + "." + name
			}
			add(name, decl.Name, comment{doc: decl.Doc, fn: decl.Type})
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				eachName(decl, spec, func(id *ast.Ident, c comment) { add(id.Name, id, c) })
				if spec, ok := spec.(*ast.TypeSpec); ok {
					fields(spec.Name.Name, spec.Type)
					methods(spec)
				}
			}
		}
	}
}

// structOf returns the unnamed struct type in an expression, or nil.
func structOf(t ast.Expr) *ast.StructType {
	for {
		switch x := ast.Unparen(t).(type) {
		case *ast.StructType:
			return x
		case *ast.StarExpr:
			t = x.X
		case *ast.ArrayType:
			t = x.Elt
		case *ast.MapType:
			t = x.Value
		case *ast.ChanType:
			t = x.Value
		default:
			return nil
		}
	}
}
