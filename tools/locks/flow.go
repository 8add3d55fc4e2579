package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// flow records the assignments of variables, the calls of functions with their arguments, and the
// functions that are used as values.
func (p *program) flow(info *types.Info, f *ast.File) {
	called := map[ast.Expr]bool{}
	ast.Inspect(f, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.AssignStmt:
			p.assign(info, x.Lhs, x.Rhs)
		case *ast.ValueSpec:
			left := make([]ast.Expr, len(x.Names))
			for i, name := range x.Names {
				left[i] = name
			}
			p.assign(info, left, x.Values)
		case *ast.RangeStmt:
			called[ast.Unparen(x.X)] = true
			if x.Value != nil {
				p.assigned(info, x.Value, source{x.X, -1, info})
			}
		case *ast.CompositeLit:
			p.composite(info, x)
		case *ast.CallExpr:
			called[ast.Unparen(x.Fun)] = true
			for _, n := range p.callees(info, x) {
				p.calls[n] = append(p.calls[n], call{x.Args, info})
			}
		case *ast.SelectorExpr:
			if f, ok := info.Uses[x.Sel].(*types.Func); ok && !called[x] {
				p.used(f)
			}
			called[x.Sel] = true
		case *ast.Ident:
			if f, ok := info.Uses[x].(*types.Func); ok && !called[x] {
				p.used(f)
			}
		}
		return true
	})
}

func (p *program) used(f *types.Func) {
	if n := p.funcs[key(f)]; n != nil {
		p.values[n] = true
	}
}

// callees returns the functions in the repository that a call may run, as far as that is known
// without following values.
func (p *program) callees(info *types.Info, c *ast.CallExpr) []*node {
	f := static(info, c.Fun)
	if f == nil {
		if l, ok := ast.Unparen(c.Fun).(*ast.FuncLit); ok {
			return []*node{p.literals[l]}
		}
		return nil
	}
	if n := p.funcs[key(f)]; n != nil {
		return []*node{n}
	}
	if i := interfaceOf(f); i != nil && ours(f.Pkg()) {
		return p.implementations(i, f.Name())
	}
	return nil
}

// static returns the function or method that an expression names.
func static(info *types.Info, e ast.Expr) *types.Func {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		f, _ := info.Uses[e].(*types.Func)
		return f
	case *ast.SelectorExpr:
		f, _ := info.Uses[e.Sel].(*types.Func)
		return f
	case *ast.IndexExpr:
		return static(info, e.X)
	case *ast.IndexListExpr:
		return static(info, e.X)
	}
	return nil
}

// interfaceOf returns the interface of a method, or nil.
func interfaceOf(f *types.Func) *types.Interface {
	r := f.Signature().Recv()
	if r == nil {
		return nil
	}
	i, _ := r.Type().Underlying().(*types.Interface)
	return i
}

// implementations returns the methods with a name of all types in the repository that implement an
// interface.
func (p *program) implementations(i *types.Interface, method string) []*node {
	var out []*node
	seen := map[*node]bool{}
candidates:
	for _, t := range p.methods[method] {
		set := types.NewMethodSet(types.NewPointer(t))
		for m := range i.Methods() {
			has := false
			for s := range set.Methods() {
				f, ok := s.Obj().(*types.Func)
				has = has || ok && f.Name() == m.Name() && f.Signature().Params().Len() == m.Signature().Params().Len() &&
					f.Signature().Results().Len() == m.Signature().Results().Len()
			}
			if !has {
				continue candidates
			}
		}
		for s := range set.Methods() {
			if f, ok := s.Obj().(*types.Func); ok && f.Name() == method {
				if n := p.funcs[key(f)]; n != nil && !seen[n] {
					seen[n] = true
					out = append(out, n)
				}
			}
		}
	}
	return out
}

func (p *program) assign(info *types.Info, left, right []ast.Expr) {
	for i, l := range left {
		switch {
		case len(left) == len(right):
			p.assigned(info, l, source{right[i], -1, info})
		case len(right) == 1:
			p.assigned(info, l, source{right[0], i, info})
		}
	}
}

// assigned records the source of a variable, or of an element.
func (p *program) assigned(info *types.Info, to ast.Expr, from source) {
	switch x := ast.Unparen(to).(type) {
	case *ast.IndexExpr:
		p.assigned(info, x.X, from)
	case *ast.StarExpr:
		p.assigned(info, x.X, from)
	case *ast.SelectorExpr:
		if x.Sel.Name == "L" && named(info.TypeOf(x.X), "sync", "Cond") {
			if v := variable(info, x.X); v != nil {
				p.conds[p.fields[v]] = append(p.conds[p.fields[v]], from)
			}
			return
		}
		p.into(variable(info, x), from)
	case *ast.Ident:
		p.into(variable(info, x), from)
	}
}

func (p *program) into(v *types.Var, from source) {
	if v != nil && follows(v.Type()) {
		p.sources[p.keyOf(v)] = append(p.sources[p.keyOf(v)], from)
	}
}

// follows reports whether values of a type lead to functions or locks.
func follows(t types.Type) bool {
	seen := map[types.Type]bool{}
	for !seen[t] {
		seen[t] = true
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Signature:
			return true
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Chan:
			t = u.Elem()
		case *types.Pointer:
			return named(t, "sync") || named(t, "encoding/json", "Decoder")
		case *types.Struct:
			return named(t, "sync", "Cond")
		}
	}
	return false
}

// keyOf returns the name of a field or package variable, and the variable itself otherwise.
func (p *program) keyOf(v *types.Var) any {
	if name := p.fields[v]; name != "" {
		return name
	}
	return v
}

// variable returns the variable or field that an expression names.
func variable(info *types.Info, e ast.Expr) *types.Var {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := info.ObjectOf(x).(*types.Var); ok {
			return v.Origin()
		}
	case *ast.SelectorExpr:
		if v, ok := info.Uses[x.Sel].(*types.Var); ok {
			return v.Origin()
		}
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return variable(info, x.X)
		}
	case *ast.StarExpr:
		return variable(info, x.X)
	case *ast.IndexExpr:
		return variable(info, x.X)
	}
	return nil
}

func (p *program) composite(info *types.Info, c *ast.CompositeLit) {
	t := info.TypeOf(c)
	if ptr, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				if v, ok := info.Uses[id].(*types.Var); ok {
					p.into(v.Origin(), source{kv.Value, -1, info})
				}
			}
		} else if i < s.NumFields() {
			p.into(s.Field(i).Origin(), source{e, -1, info})
		}
	}
}

// named reports whether a type, or its element type for a pointer, has one of the names in a
// package.
func named(t types.Type, path string, names ...string) bool {
	if t == nil {
		return false
	}
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != path {
		return false
	}
	for _, name := range names {
		if n.Obj().Name() == name {
			return true
		}
	}
	return len(names) == 0
}
