package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/load"
)

// sharedRecords checks the rule shared-record.
func (c *checker) sharedRecords() {
	for _, f := range c.features {
		if f.call == nil || !f.call.Func.Receiver.Passed() {
			continue
		}
		r := f.call.Func.Receiver
		obj, _, _ := types.LookupFieldOrMethod(r.Type, true, c.m.Types, f.call.Func.Name)
		fn, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		w := &recordWalk{c: c, seen: map[*types.Func]bool{}}
		if at, field := w.method(fn.Origin()); field != "" {
			hint := "let the method return what it changes; or write receiver=args, in the directive or in //mcp:defaults above " + r.TypeName +
				": each call gets a new one, with its members as arguments"
			c.report(f.set, f.pos, f.subject, hint, "the receiver %s is shared by all calls, and the method changes its member %s (line %d)", r.TypeName, field, at.Line)
		}
	}
}

// recordWalk looks for assignments to members of a receiver.
type recordWalk struct {
	c    *checker
	seen map[*types.Func]bool
}

// method examines the source of a method, and of the methods that it calls on its receiver. field
// is "" without an assignment.
func (w *recordWalk) method(fn *types.Func) (at token.Position, field string) {
	if w.seen[fn] {
		return at, ""
	}
	w.seen[fn] = true
	pkg, decl := w.source(fn)
	if decl == nil || decl.Body == nil || len(decl.Recv.List[0].Names) == 0 {
		return at, ""
	}
	recv := pkg.Info.Defs[decl.Recv.List[0].Names[0]]
	if recv == nil {
		return at, ""
	}
	_, pointer := types.Unalias(recv.Type()).(*types.Pointer)
	s := &recordSource{pkg.Info, recv, pointer}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if field != "" {
			return false
		}
		var changed []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				changed = n.Lhs
			}
		case *ast.IncDecStmt:
			changed = []ast.Expr{n.X}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				changed = []ast.Expr{n.Key, n.Value}
			}
		case *ast.CallExpr:
			if called := s.onReceiver(n); called != nil && pointer {
				at, field = w.method(called.Origin())
			}
		}
		for _, e := range changed {
			if field == "" {
				at, field = pkg.Position(n.Pos()), s.member(e)
			}
		}
		return field == ""
	})
	return at, field
}

// source finds the declaration of a method in the packages that are read as source.
func (w *recordWalk) source(fn *types.Func) (*load.Package, *ast.FuncDecl) {
	for _, p := range w.c.sources {
		if p.Types != fn.Pkg() {
			continue
		}
		for _, file := range p.Files {
			for _, d := range file.Decls {
				if decl, ok := d.(*ast.FuncDecl); ok && decl.Recv != nil && p.Info.Defs[decl.Name] == types.Object(fn) {
					return p, decl
				}
			}
		}
	}
	return nil, nil
}

// recordSource is a method whose receiver is examined.
type recordSource struct {
	info    *types.Info
	recv    types.Object
	pointer bool // assignments to the receiver persist after the call
}

// isReceiver reports whether an expression is the receiver, or its target.
func (s *recordSource) isReceiver(e ast.Expr) bool {
	e = ast.Unparen(e)
	if star, ok := e.(*ast.StarExpr); ok {
		e = ast.Unparen(star.X)
	}
	id, ok := e.(*ast.Ident)
	return ok && s.info.Uses[id] == s.recv
}

// onReceiver returns the method that a call calls on the receiver, or nil.
func (s *recordSource) onReceiver(call *ast.CallExpr) *types.Func {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !s.isReceiver(sel.X) {
		return nil
	}
	fn, _ := s.info.Uses[sel.Sel].(*types.Func)
	return fn
}

// member returns the member of the receiver that an assignment to an expression changes, or "" if
// it has no JSON tag.
func (s *recordSource) member(e ast.Expr) string {
	shared := s.pointer // a copy of the receiver shares its maps, slices and pointers
	for e != nil {
		switch x := ast.Unparen(e).(type) {
		case *ast.StarExpr:
			if s.isReceiver(x.X) {
				return s.whole()
			}
			e, shared = x.X, true
		case *ast.IndexExpr:
			if t := s.info.TypeOf(x.X); t != nil {
				_, array := t.Underlying().(*types.Array)
				shared = shared || !array
			}
			e = x.X
		case *ast.SelectorExpr:
			selection := s.info.Selections[x]
			if selection == nil || selection.Kind() != types.FieldVal {
				return ""
			}
			if s.isReceiver(x.X) {
				if shared || selection.Indirect() {
					return taggedMember(s.recv.Type(), selection.Index())
				}
				return ""
			}
			if t := s.info.TypeOf(x.X); t != nil {
				_, isPointer := t.Underlying().(*types.Pointer)
				shared = shared || isPointer
			}
			e = x.X
		default:
			return ""
		}
	}
	return ""
}

// whole returns the first member with a JSON tag, which an assignment to the whole receiver
// changes.
func (s *recordSource) whole() string {
	t := s.recv.Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := t.Underlying().(*types.Struct); ok && s.pointer {
		for i := range st.NumFields() {
			if name := taggedMember(t, []int{i}); name != "" {
				return name
			}
		}
	}
	return ""
}

// taggedMember returns the field at an index, or "" if neither it nor a struct around it has a JSON
// tag.
func taggedMember(t types.Type, index []int) string {
	tagged, name := false, ""
	for _, i := range index {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return ""
		}
		option, set := reflect.StructTag(st.Tag(i)).Lookup("json")
		if before, _, _ := strings.Cut(option, ","); before == "-" && option == "-" {
			return "" // not part of the record
		}
		tagged = tagged || set
		t, name = st.Field(i).Type(), st.Field(i).Name()
	}
	if !tagged {
		return ""
	}
	return name
}
