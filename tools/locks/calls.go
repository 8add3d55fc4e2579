package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

func (w *walker) here(pos token.Pos, what string) string {
	at := w.p.position(pos)
	return at + ": " + what
}

// channel returns the name of a channel.
func (w *walker) channel(e ast.Expr) string {
	if v := variable(w.n.info, e); v != nil && w.p.fields[v] != "" {
		return w.p.fields[v]
	}
	return types.ExprString(e)
}

func (w *walker) wait(pos token.Pos, what string) {
	w.happens(event{what: what, path: []string{w.here(pos, what)}})
}

// happens records an event for all locks that the function and its callers hold.
func (w *walker) happens(e event) {
	for l := range w.at.held {
		if !e.released[l] {
			w.record(l, e)
		}
	}
	e.released = w.at.released.with(e.released)
	w.out.add(e)
}

func (w *walker) take(s *state, names []string) {
	for _, l := range names {
		if s.released[l] {
			delete(s.released, l)
		} else {
			s.held[l] = true
		}
	}
}

func (w *walker) release(s *state, names []string) {
	for _, l := range names {
		if s.held[l] {
			delete(s.held, l)
		} else {
			s.released[l] = true
		}
	}
}

// expr walks an expression. Functions in it are walked when they are called.
func (w *walker) expr(e ast.Expr) {
	switch x := e.(type) {
	case nil:
		return
	case *ast.CallExpr:
		w.called(x)
		return
	case *ast.FuncLit:
		return
	case *ast.UnaryExpr:
		w.expr(x.X)
		if x.Op == token.ARROW {
			w.wait(x.Pos(), "receive "+w.channel(x.X))
		}
		return
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if n == e {
			return true
		}
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit, *ast.UnaryExpr:
			w.expr(n.(ast.Expr))
			return false
		}
		return true
	})
}

// called walks a call and its parts.
func (w *walker) called(c *ast.CallExpr) {
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		w.expr(s.X)
	} else {
		w.expr(c.Fun)
	}
	for _, a := range c.Args {
		w.expr(a)
	}
	w.invoke(c)
}

// mutex returns the lock of a method call, with a selector for an embedded lock.
func (w *walker) mutex(c *ast.CallExpr) ast.Expr {
	s := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	selection := w.n.info.Selections[s]
	if selection == nil || len(selection.Index()) < 2 {
		return s.X
	}
	t := selection.Recv()
	var field *types.Var
	for _, i := range selection.Index()[:len(selection.Index())-1] {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		field = t.Underlying().(*types.Struct).Field(i)
		t = field.Type()
	}
	id := ast.NewIdent(field.Name())
	w.n.info.Uses[id] = field.Origin()
	return &ast.SelectorExpr{X: s.X, Sel: id}
}

func (w *walker) tries(c *ast.CallExpr) bool {
	f := static(w.n.info, c.Fun)
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == "sync" && strings.HasPrefix(f.Name(), "Try")
}

func (w *walker) invoke(c *ast.CallExpr) {
	if w.at == nil {
		return
	}
	info := w.n.info
	if tv, ok := info.Types[c.Fun]; ok && tv.IsType() {
		return
	}
	if builtin(info, c.Fun) != "" {
		return
	}
	f := static(info, c.Fun)
	if f == nil {
		w.value(c.Pos(), c.Fun, c.Args)
		return
	}
	if f.Pkg() != nil && f.Pkg().Path() == "sync" && w.lockCall(f, c) {
		return
	}
	if n := w.p.funcs[key(f)]; n != nil {
		w.apply(c.Pos(), n, c.Args, nil)
		return
	}
	if interfaceOf(f) != nil && w.method(f, c) {
		return
	}
	if w.waits(f, c) {
		w.happens(event{what: where(f), path: []string{w.here(c.Pos(), full(f))}})
	}
	if elsewhere.MatchString(full(f)) {
		return
	}
	for _, a := range c.Args {
		if t := info.TypeOf(a); t != nil && isFunc(t) {
			w.value(a.Pos(), a, nil)
		}
	}
}

// waits reports whether a call of a function without known source may wait. Reading from memory
// does not.
func (w *walker) waits(f *types.Func, c *ast.CallExpr) bool {
	e := ast.Expr(nil)
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && f.Signature().Recv() != nil {
		e = s.X
	} else if full(f) == "io.ReadAll" {
		e = c.Args[0]
	}
	if e != nil && w.p.memory(w.n.info, e) {
		return false
	}
	if ours(f.Pkg()) {
		return !quick.MatchString(full(f))
	}
	var on types.Type
	if e != nil {
		on = w.n.info.TypeOf(e)
	}
	return waits(f, on, w.n.info, c.Args)
}

// lockCall handles the methods of locks, and reports whether a function is one.
func (w *walker) lockCall(f *types.Func, c *ast.CallExpr) bool {
	r := f.Signature().Recv()
	if r == nil {
		return false
	}
	cond := named(r.Type(), "sync", "Cond")
	if !cond && !named(r.Type(), "sync", "Mutex", "RWMutex", "Locker") {
		return false
	}
	e := w.mutex(c)
	names := w.locks(w.n.info, e)
	switch f.Name() {
	case "Lock", "RLock":
		for _, l := range names {
			w.happens(event{what: l, lock: true, path: []string{w.here(c.Pos(), l)}})
		}
		w.take(w.at, names)
	case "TryLock", "TryRLock":
		w.take(w.at, names)
	case "Unlock", "RUnlock":
		w.release(w.at, names)
	case "Wait":
		for _, l := range w.condition(e) {
			own := set{}
			for _, m := range w.p.guards(l) {
				own[m] = true
			}
			ev := event{what: "wait for " + l, released: own, path: []string{w.here(c.Pos(), "wait for "+l)}}
			w.happens(ev)
			w.record(l, event{what: "Wait", path: ev.path})
		}
	}
	return true
}

// condition returns the name of a condition variable.
func (w *walker) condition(e ast.Expr) []string {
	if v := variable(w.n.info, e); v != nil && w.p.fields[v] != "" {
		return []string{w.p.fields[v]}
	}
	return nil
}

// locks returns the names of the locks in an expression; L of a condition variable is its lock.
func (w *walker) locks(info *types.Info, e ast.Expr) []string {
	if s, ok := ast.Unparen(e).(*ast.SelectorExpr); ok && s.Sel.Name == "L" && named(info.TypeOf(s.X), "sync", "Cond") {
		var out []string
		for _, l := range w.condition(s.X) {
			out = append(out, w.p.guards(l)...)
		}
		return out
	}
	return w.p.locks(info, e)
}

// method handles a call of an interface method, and reports whether the implementing types are
// known.
func (w *walker) method(f *types.Func, c *ast.CallExpr) bool {
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	t := w.n.info.TypeOf(s.X)
	if param, ok := types.Unalias(t).(*types.TypeParam); ok {
		t = param.Constraint()
	}
	if !types.IsInterface(t) {
		t = f.Signature().Recv().Type()
	}
	n := namedOf(t)
	i, ok := t.Underlying().(*types.Interface)
	if !ok || n == nil || !ours(n.Obj().Pkg()) || !closed(n, i) {
		return false
	}
	nodes := w.p.implementations(i, f.Name())
	for _, n := range nodes {
		w.apply(c.Pos(), n, c.Args, nil)
	}
	return len(nodes) > 0
}

// closed reports whether only the repository implements an interface.
func closed(n *types.Named, i *types.Interface) bool {
	if !n.Obj().Exported() || internal(n.Obj().Pkg()) {
		return true
	}
	for m := range i.Methods() {
		if !m.Exported() {
			return true
		}
	}
	return false
}

// value handles a call of a function value.
func (w *walker) value(pos token.Pos, fun ast.Expr, args []ast.Expr) {
	targets, known := w.p.functions(w.n.info, fun)
	for _, t := range targets {
		w.run(pos, t, args, nil)
	}
	if !known {
		w.wait(pos, "function "+w.channel(fun))
	}
}

// run applies a function that a value may be, with the locks that a callee holds and has released.
func (w *walker) run(pos token.Pos, t target, args []ast.Expr, inside *use) {
	switch {
	case t.node != nil:
		w.apply(pos, t.node, args, inside)
	case t.param != nil:
		u := use{param: t.param, held: w.at.held, released: w.at.released, path: []string{w.here(pos, "function "+t.param.Name())}}
		if inside != nil {
			u.held, u.released = u.held.with(inside.held), u.released.with(inside.released)
		}
		w.out.use(u)
	case waits(t.fn, nil, w.n.info, nil):
		w.within(inside, event{what: where(t.fn), path: []string{w.here(pos, full(t.fn))}})
	}
}

// within records an event, with the locks that a callee holds and has released.
func (w *walker) within(inside *use, e event) {
	if inside != nil {
		for l := range inside.held {
			if !e.released[l] {
				w.record(l, event{what: e.what, lock: e.lock, path: append(slices.Clone(inside.path), e.path...)})
			}
		}
		e.released = e.released.with(inside.released)
	}
	w.happens(e)
}

// apply applies the summary of a function in the repository.
func (w *walker) apply(pos token.Pos, n *node, args []ast.Expr, inside *use) {
	s := n.summary
	step := w.here(pos, n.name)
	for _, k := range slices.Sorted(maps.Keys(s.events)) {
		e := s.events[k]
		e.path = append([]string{step}, e.path...)
		if len(e.path) > 12 {
			e.path = e.path[:12]
		}
		w.within(inside, e)
	}
	for _, k := range slices.Sorted(maps.Keys(s.uses)) {
		w.give(pos, n, s.uses[k], args, inside)
	}
	for l := range s.releases {
		w.release(w.at, []string{l})
	}
	for l := range s.leaves {
		w.take(w.at, []string{l})
	}
}

// give applies the functions that the arguments of a call pass for a parameter.
func (w *walker) give(pos token.Pos, n *node, u use, args []ast.Expr, inside *use) {
	if inside != nil {
		u.held, u.released = u.held.with(inside.held), u.released.with(inside.released)
	}
	a, ok := w.p.params[u.param]
	if !ok {
		return
	}
	if a.of != n {
		// A function literal calls a parameter of the surrounding function.
		if w.n.inside(a.of) {
			u.held, u.released = u.held.with(w.at.held), u.released.with(w.at.released)
			w.out.use(u)
			return
		}
		w.apply(pos, w.stored(u.param), nil, &u)
		return
	}
	if args == nil {
		return // an iterator, whose body is walked
	}
	for _, e := range arguments(a, args) {
		targets, known := w.p.functions(w.n.info, e)
		for _, t := range targets {
			w.run(pos, t, nil, &u)
		}
		if !known {
			what := "function " + w.channel(e)
			w.within(&u, event{what: what, path: []string{w.here(e.Pos(), what)}})
		}
	}
}

// stored returns a node for the functions that callers pass for a parameter which a stored literal
// calls later.
func (s *scanner) stored(v *types.Var) *node {
	n := s.given[v]
	if n == nil {
		n = &node{name: "function " + v.Name() + " of " + s.p.params[v].of.declared(), summary: newSummary()}
		s.given[v] = n
	}
	return n
}

// walkStored returns the summary of such a node.
func (s *scanner) walkStored(v *types.Var, n *node) summary {
	w := &walker{scanner: s, n: n, out: newSummary(), at: &state{set{}, set{}}}
	targets, known := s.p.given(v)
	for _, t := range targets {
		w.run(v.Pos(), t, nil, nil)
	}
	if !known {
		w.wait(v.Pos(), n.name)
	}
	return w.out
}

// ranges walks a loop over a value, or the body that an iterator calls.
func (w *walker) ranges(s *ast.RangeStmt, label string) {
	w.expr(s.X)
	t := w.n.info.TypeOf(s.X)
	var held set
	switch t.Underlying().(type) {
	case *types.Chan:
		w.wait(s.Pos(), "receive "+w.channel(s.X))
	case *types.Signature:
		targets, known := w.p.functions(w.n.info, s.X)
		for _, t := range targets {
			if t.node == nil {
				continue
			}
			w.apply(s.Pos(), t.node, nil, nil)
			for _, use := range t.node.summary.uses {
				if w.p.params[use.param].of == t.node {
					held = held.with(use.held)
				}
			}
		}
		if !known {
			w.wait(s.Pos(), fmt.Sprintf("iterator %s", types.ExprString(s.X)))
		}
	}
	before := w.at.held
	w.at.held = before.with(held)
	w.loop(label, true, func() {}, func() { w.block(s.Body) }, func() {})
	if w.at != nil {
		for l := range held {
			if !before[l] {
				delete(w.at.held, l)
			}
		}
	}
}
