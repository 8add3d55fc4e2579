package main

import (
	"go/ast"
	"go/types"
)

// target is a possible value of a function type.
type target struct {
	node  *node       // a function of the repository
	fn    *types.Func // a function outside of the repository, or an interface method
	param *types.Var  // the parameter of a function, or a part of it
}

// resolver finds the functions that an expression may evaluate to.
type resolver struct {
	p       *program
	stored  bool // parameters are replaced by the callers' arguments everywhere
	seen    map[any]bool
	targets []target
	unknown bool
}

// functions returns the possible values of an expression, and whether they are complete.
func (p *program) functions(info *types.Info, e ast.Expr) ([]target, bool) {
	r := &resolver{p: p, seen: map[any]bool{}}
	r.expr(info, e)
	return r.targets, !r.unknown
}

// given returns the arguments that callers pass for a parameter, and whether they are complete.
func (p *program) given(v *types.Var) ([]target, bool) {
	r := &resolver{p: p, seen: map[any]bool{}, stored: true}
	r.variable(v)
	return r.targets, !r.unknown
}

func (r *resolver) expr(info *types.Info, e ast.Expr) {
	if tv, ok := info.Types[e]; ok && tv.IsNil() {
		return
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		r.targets = append(r.targets, target{node: r.p.literals[x]})
	case *ast.Ident, *ast.SelectorExpr:
		if f := static(info, x); f != nil {
			r.function(f)
		} else if v := variable(info, x); v != nil {
			r.variable(v)
		} else {
			r.unknown = true
		}
	case *ast.CallExpr:
		r.call(info, x, 0)
	case *ast.IndexExpr:
		if f := static(info, x); f != nil {
			r.function(f)
		} else {
			r.expr(info, x.X)
		}
	case *ast.SliceExpr:
		r.expr(info, x.X)
	case *ast.StarExpr:
		r.expr(info, x.X)
	case *ast.CompositeLit:
		for _, element := range x.Elts {
			if kv, ok := element.(*ast.KeyValueExpr); ok {
				element = kv.Value
			}
			r.expr(info, element)
		}
	default:
		r.unknown = true
	}
}

func (r *resolver) function(f *types.Func) {
	if n := r.p.funcs[key(f)]; n != nil {
		r.targets = append(r.targets, target{node: n})
		return
	}
	r.targets = append(r.targets, target{fn: f})
}

// call adds the possible results of a call.
func (r *resolver) call(info *types.Info, c *ast.CallExpr, index int) {
	if tv, ok := info.Types[c.Fun]; ok && tv.IsType() {
		if len(c.Args) == 1 {
			r.expr(info, c.Args[0])
		}
		return
	}
	if b := builtin(info, c.Fun); b != "" {
		if b == "append" {
			for _, a := range c.Args {
				r.expr(info, a)
			}
		}
		return // make and new return empty values
	}
	f := static(info, c.Fun)
	switch {
	case f == nil:
		r.unknown = true
	case !ours(f.Pkg()):
		// Functions returned by other code, such as iterators and cancel functions, wait only if
		// their arguments do.
		for _, a := range c.Args {
			if t := info.TypeOf(a); t != nil && isFunc(t) {
				r.expr(info, a)
			}
		}
	default:
		nodes := r.p.callees(info, c)
		if len(nodes) == 0 {
			r.unknown = true
		}
		for _, n := range nodes {
			r.results(n, index)
		}
	}
}

// builtin returns the name of the builtin function that an expression names.
func builtin(info *types.Info, e ast.Expr) string {
	var id *ast.Ident
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr: // of package unsafe
		id = x.Sel
	}
	if b, ok := info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

type result struct {
	n     *node
	index int
}

func (r *resolver) results(n *node, index int) {
	if r.seen[result{n, index}] {
		return
	}
	r.seen[result{n, index}] = true
	for _, ret := range n.returns {
		switch {
		case len(ret.Results) > index && (len(ret.Results) > 1 || index == 0 && single(n.info, ret.Results[0])):
			r.expr(n.info, ret.Results[index])
		case len(ret.Results) == 1:
			if c, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr); ok {
				r.call(n.info, c, index)
			}
		default: // named results
			r.unknown = true
		}
	}
}

func single(info *types.Info, e ast.Expr) bool {
	_, many := info.TypeOf(e).(*types.Tuple)
	return !many
}

func (r *resolver) variable(v *types.Var) {
	k := r.p.keyOf(v)
	if r.seen[k] {
		return
	}
	r.seen[k] = true
	if a, ok := r.p.params[v]; ok {
		if !r.stored {
			r.targets = append(r.targets, target{param: v})
			return
		}
		if a.of.public || r.p.values[a.of] {
			r.unknown = true
		}
		for _, c := range r.p.calls[a.of] {
			for _, e := range arguments(a, c.args) {
				r.expr(c.info, e)
			}
		}
		if !r.unknown && len(r.p.calls[a.of]) == 0 {
			r.unknown = true
		}
	}
	if v.IsField() && v.Exported() && (v.Pkg() == nil || !internal(v.Pkg())) || v.Pkg() != nil && !ours(v.Pkg()) {
		r.unknown = true
	}
	before := r.stored
	r.stored = r.stored || v.IsField() || packageLevel(v)
	for _, s := range r.p.sources[k] {
		if c, ok := ast.Unparen(s.expr).(*ast.CallExpr); ok && s.index >= 0 {
			r.call(s.info, c, s.index)
		} else if s.index > 0 {
			// v, ok := m[k] and the like: the flag is not a function.
		} else {
			r.expr(s.info, s.expr)
		}
	}
	r.stored = before
}

func packageLevel(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// arguments returns the arguments that a call passes for a parameter.
func arguments(a parameter, args []ast.Expr) []ast.Expr {
	switch {
	case a.index >= len(args):
		return nil
	case a.variadic:
		return args[a.index:]
	}
	return args[a.index : a.index+1]
}

// memory reports whether a value reads only from memory: a reader of bytes or strings, or a decoder
// of one.
func (p *program) memory(info *types.Info, e ast.Expr) bool {
	t := info.TypeOf(e)
	if named(t, "bytes", "Reader", "Buffer") || named(t, "strings", "Reader") {
		return true
	}
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		f := static(info, c.Fun)
		return f != nil && full(f) == "encoding/json.NewDecoder" && p.memory(info, c.Args[0])
	}
	v := variable(info, e)
	if v == nil || !named(t, "encoding/json", "Decoder") || len(p.sources[p.keyOf(v)]) == 0 {
		return false
	}
	for _, s := range p.sources[p.keyOf(v)] {
		if !p.memory(s.info, s.expr) {
			return false
		}
	}
	return true
}

// guards returns the locks of a condition variable.
func (p *program) guards(cond string) []string {
	var out []string
	for _, s := range p.conds[cond] {
		out = append(out, p.locks(s.info, s.expr)...)
	}
	for _, s := range p.sources[cond] {
		switch x := ast.Unparen(s.expr).(type) {
		case *ast.CallExpr: // NewCond
			if len(x.Args) == 1 {
				out = append(out, p.locks(s.info, x.Args[0])...)
			}
		case *ast.CompositeLit:
			for _, e := range x.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					out = append(out, p.locks(s.info, kv.Value)...)
				}
			}
		}
	}
	return out
}

// locks returns the names of the locks that an expression may evaluate to: a field or package
// variable, or the assignments of a pointer.
func (p *program) locks(info *types.Info, e ast.Expr) []string {
	var out []string
	seen := map[any]bool{}
	var follow func(info *types.Info, e ast.Expr)
	follow = func(info *types.Info, e ast.Expr) {
		v := variable(info, e)
		if v == nil {
			return
		}
		k := p.keyOf(v)
		if seen[k] {
			return
		}
		seen[k] = true
		if _, pointer := types.Unalias(v.Type()).(*types.Pointer); pointer {
			for _, s := range p.sources[k] {
				follow(s.info, s.expr)
			}
			if a, ok := p.params[v]; ok {
				for _, c := range p.calls[a.of] {
					for _, e := range arguments(a, c.args) {
						follow(c.info, e)
					}
				}
			}
			return
		}
		if name := p.fields[v]; name != "" {
			out = append(out, name)
		}
	}
	follow(info, e)
	return out
}
