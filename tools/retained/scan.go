package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// place is a field or package variable that grows.
type place struct {
	name string // import path without the project's, type and field
	at   string // position of the statement that extends it
}

// scan returns the places of the packages of the module in dir, sorted by name.
func scan(dir string) ([]place, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
		Dir: dir,
	}, "./...")
	if err != nil {
		return nil, err
	}
	g := newGrowth()
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		for _, f := range p.Syntax {
			g.readFile(p, f)
		}
	}
	g.spread()
	lasting := lastingFields(loaded)
	var places []place
	for v, pos := range g.grown {
		if name := lasting[v]; name != "" && keeps(v.Type()) {
			at := loaded[0].Fset.Position(pos)
			if rel, err := filepath.Rel(dir, at.Filename); err == nil {
				at.Filename = rel
			}
			places = append(places, place{name: name, at: fmt.Sprintf("%s:%d", filepath.ToSlash(at.Filename), at.Line)})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.name, b.name) })
	return places, nil
}

// keeps reports whether values of a type can grow.
func keeps(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Map, *types.Slice, *types.Chan:
		return true
	case *types.Pointer:
		return keeps(u.Elem())
	}
	return isNamed(t, "sync", "Map") || isNamed(t, "container/list", "List")
}

func isNamed(t types.Type, path string, names ...string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && (names == nil || slices.Contains(names, n.Obj().Name()))
}

// growth contains the variables that statements extend, and the variables that provide their
// values.
type growth struct {
	grown   map[*types.Var]token.Pos
	sources map[*types.Var][]*types.Var // of a local variable or parameter: the variables whose parts or copies it contains
}

func newGrowth() *growth {
	return &growth{grown: map[*types.Var]token.Pos{}, sources: map[*types.Var][]*types.Var{}}
}

// spread marks the variables that provide the values of growing variables.
func (g *growth) spread() {
	queue := make([]*types.Var, 0, len(g.grown))
	for v := range g.grown {
		queue = append(queue, v)
	}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, s := range g.sources[v] {
			if _, ok := g.grown[s]; !ok {
				g.grown[s] = g.grown[v]
				queue = append(queue, s)
			}
		}
	}
}

func (g *growth) readFile(p *packages.Package, f *ast.File) {
	r := &reader{growth: g, info: p.TypesInfo}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			r.assign(n)
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					r.flow(r.variable(name), n.Values[i])
				}
			}
		case *ast.RangeStmt:
			if n.Value != nil {
				if value, ok := n.Value.(*ast.Ident); ok {
					r.flow(r.variable(value), n.X)
				}
			}
		case *ast.IncDecStmt:
			r.setKey(n.X, n.Pos())
		case *ast.SendStmt:
			r.grow(n.Chan, n.Pos())
		case *ast.CallExpr:
			r.call(n)
		}
		return true
	})
}

// reader reads the statements of a file.
type reader struct {
	*growth
	info *types.Info
}

// variable returns the variable that an expression is a part of, or nil.
func (r *reader) variable(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, _ := r.info.ObjectOf(x).(*types.Var)
			if v == nil {
				return nil
			}
			return v.Origin()
		case *ast.SelectorExpr:
			if s := r.info.Selections[x]; s != nil {
				if s.Kind() == types.FieldVal {
					return s.Obj().(*types.Var).Origin()
				}
				return nil
			}
			v, _ := r.info.Uses[x.Sel].(*types.Var)
			return v
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil
			}
			e = x.X
		case *ast.CallExpr: // append returns its first argument, like functions of package slices
			if len(x.Args) == 0 || !r.appends(x) {
				return nil
			}
			e = x.Args[0]
		default:
			return nil
		}
	}
}

// appends reports whether a call extends and returns its first argument.
func (r *reader) appends(c *ast.CallExpr) bool {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		b, ok := r.info.Uses[f].(*types.Builtin)
		return ok && b.Name() == "append"
	case *ast.SelectorExpr:
		o, ok := r.info.Uses[f.Sel].(*types.Func)
		return ok && o.Pkg() != nil && (o.Pkg().Path() == "slices" && (o.Name() == "Insert" || o.Name() == "Grow") ||
			strings.HasPrefix(o.Name(), "Append") && o.Signature().Results().Len() > 0 && isSlice(o.Signature().Results().At(0).Type()))
	}
	return false
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func (r *reader) assign(s *ast.AssignStmt) {
	for i, left := range s.Lhs {
		r.setKey(left, s.Pos())
		if len(s.Rhs) != len(s.Lhs) {
			if len(s.Rhs) == 1 && i == 0 { // v, ok := m[k]
				r.flow(r.variable(left), s.Rhs[0])
			}
			continue
		}
		right := ast.Unparen(s.Rhs[i])
		v := r.variable(left)
		if v == nil {
			continue
		}
		if call, ok := right.(*ast.CallExpr); ok && len(call.Args) > 0 && r.appends(call) {
			if from := r.variable(call.Args[0]); from == v {
				r.grow(left, s.Pos())
			} else if from != nil && r.comesFrom(from, v) {
				r.grow(left, s.Pos())
			}
		} else if from := r.variable(right); from != nil && v.IsField() && r.comesFrom(from, v) {
			if _, ok := r.grown[from]; ok {
				r.grow(left, s.Pos())
			}
		}
		if !v.IsField() && !packageLevel(v) {
			r.flow(v, right)
		}
	}
}

// setKey records an assignment to a key of a map.
func (r *reader) setKey(left ast.Expr, pos token.Pos) {
	if index, ok := ast.Unparen(left).(*ast.IndexExpr); ok {
		if t := r.info.TypeOf(index.X); t != nil && isMap(t) {
			r.grow(index.X, pos)
		}
	}
}

// comesFrom reports whether v provides the value of a local variable.
func (r *reader) comesFrom(local, v *types.Var) bool { return slices.Contains(r.sources[local], v) }

func packageLevel(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// isMap reports whether values of a type, or of the types that a type parameter stands for, are
// maps.
func isMap(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		t = p.Constraint()
		if u, ok := t.Underlying().(*types.Interface); ok && u.NumEmbeddeds() == 1 {
			t = u.EmbeddedType(0)
		}
		if u, ok := t.(*types.Union); ok && u.Len() == 1 {
			t = u.Term(0).Type()
		}
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// flow records that an expression provides the value of a local variable or parameter. Values
// without references are copies.
func (r *reader) flow(to *types.Var, e ast.Expr) {
	from := r.variable(e)
	if to == nil || from == nil || to == from || !refers(to.Type()) {
		return
	}
	if !slices.Contains(r.sources[to], from) {
		r.sources[to] = append(r.sources[to], from)
	}
}

// refers reports whether the growth of a value also affects its copy.
func refers(t types.Type) bool { return keeps(t) || isTypeParam(t) }

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

func (r *reader) grow(e ast.Expr, pos token.Pos) {
	if v := r.variable(e); v != nil {
		if _, ok := r.grown[v]; !ok {
			r.grown[v] = pos
		}
	}
}

// call records the arguments that a method of the standard library extends, and the variables that
// get arguments.
func (r *reader) call(c *ast.CallExpr) {
	var f *types.Func
	var receiver ast.Expr
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.SelectorExpr:
		f, _ = r.info.Uses[fun.Sel].(*types.Func)
		if s := r.info.Selections[fun]; s != nil && s.Kind() == types.MethodVal {
			receiver = fun.X
		}
	case *ast.Ident:
		f, _ = r.info.Uses[fun].(*types.Func)
	case *ast.IndexExpr:
		if id, ok := fun.X.(*ast.Ident); ok {
			f, _ = r.info.Uses[id].(*types.Func)
		}
	}
	if f == nil {
		return
	}
	f = f.Origin()
	if receiver != nil {
		t := r.info.TypeOf(receiver)
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		switch {
		case isNamed(t, "sync", "Map") && slices.Contains([]string{"Store", "LoadOrStore", "Swap"}, f.Name()),
			isNamed(t, "container/list", "List") && (strings.HasPrefix(f.Name(), "Push") || strings.HasPrefix(f.Name(), "Insert")):
			r.grow(receiver, c.Pos())
		}
		if v := f.Signature().Recv(); v != nil {
			r.flow(v.Origin(), receiver)
		}
	}
	if f.Pkg() != nil && f.Pkg().Path() == "maps" && (f.Name() == "Copy" || f.Name() == "Insert") || f.Pkg() != nil && f.Pkg().Path() == "container/heap" && f.Name() == "Push" {
		if len(c.Args) > 0 {
			r.grow(c.Args[0], c.Pos())
		}
	}
	params := f.Signature().Params()
	for i, arg := range c.Args {
		if i < params.Len() {
			r.flow(params.At(i).Origin(), arg)
		}
	}
}
