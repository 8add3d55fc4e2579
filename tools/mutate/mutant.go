package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
)

// mutant is one change of one file. All mutants are compiled into the program; one at a time is
// active.
type mutant struct {
	file     string // relative to the root
	function string
	change   string // a description of the change
	code     string // the changed code, on one line
	nth      int    // among equal ones in the function, from 1

	from, to      int    // the changed part, in bytes
	before, after string // inserted before and after the part; %d is the mutant's number
	id            int    // its number in the program, from 1
}

// key identifies a mutant by its change, so that its reason remains valid when lines move.
func (m *mutant) key() string {
	key := fmt.Sprintf("%s: %s: %s: %s", m.file, m.function, m.change, m.code)
	if m.nth > 1 {
		key += fmt.Sprintf(" #%d", m.nth)
	}
	return key
}

// mutantsOf returns the mutants of a file:
//
//   - an omitted check: the condition of an if or case that leaves its function or loop is never
//     true;
//   - half of a check: one operand of && or || is omitted;
//   - an omitted call that limits, ends or releases something.
func mutantsOf(path, name string) ([]*mutant, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &finder{fset: fset, src: src, file: name, count: map[string]int{}}
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok && decl.Body != nil {
			f.function = functionName(decl)
			ast.Inspect(decl.Body, f.visit)
		}
	}
	return f.found, nil
}

type finder struct {
	fset     *token.FileSet
	src      []byte
	file     string
	function string
	count    map[string]int
	found    []*mutant
}

func functionName(decl *ast.FuncDecl) string {
	if decl.Recv == nil {
		return decl.Name.Name
	}
	t := decl.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name + "." + decl.Name.Name
	}
	return decl.Name.Name
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		if leaves(n.Body.List) {
			f.condition(n.Cond)
		}
	case *ast.SwitchStmt:
		for _, clause := range n.Body.List {
			if clause := clause.(*ast.CaseClause); n.Tag == nil && leaves(clause.Body) {
				for _, cond := range clause.List {
					f.condition(cond)
				}
			}
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && bounds.MatchString(called(call)) {
			f.leaveOut(n)
		}
	case *ast.DeferStmt:
		if bounds.MatchString(called(n.Call)) {
			f.leaveOut(n)
		}
	case *ast.AssignStmt:
		if call, ok := n.Rhs[0].(*ast.CallExpr); ok && len(n.Lhs) == 1 && isBlank(n.Lhs[0]) && bounds.MatchString(called(call)) {
			f.leaveOut(n)
		}
	}
	return true
}

// leaves reports whether statements leave the function or the iteration of a loop.
func leaves(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch last := body[len(body)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		return ok && called(call) == "panic"
	}
	return false
}

// bounds matches calls that limit, end or release something. Locks are left to the race detector.
var bounds = regexp.MustCompile(`^(Set.*Deadline|SetReadLimit|Close|CloseNow|close|cancel|Cancel|stop|Stop|end|End|fail|release|Release|remove|drop|Drop|leave|refuse|recover|shield|evict|forget|Wait|delete|discard)$`)

// called returns the name of the called function, without its qualifier.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func isBlank(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "_"
}

// condition adds mutants that make a condition false, and that omit each operand.
func (f *finder) condition(cond ast.Expr) {
	f.add(cond, "never", off, "))")
	f.operands(cond)
}

func (f *finder) operands(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		f.operands(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.LAND && e.Op != token.LOR {
			return
		}
		neutral := on
		if e.Op == token.LOR {
			neutral = off
		}
		for _, operand := range []ast.Expr{e.X, e.Y} {
			// An operand may guard those to its right: a nil pointer fails tests.
			f.add(operand, "without", neutral, "))")
			f.operands(operand)
		}
	}
}

// Code that makes a condition true or false while a mutant is active.
const (
	on  = "(mutantIsOn(%d) || ("
	off = "(!mutantIsOn(%d) && ("
)

// leaveOut adds a mutant that skips a statement.
func (f *finder) leaveOut(n ast.Node) {
	f.add(n, "leave out", "if !mutantIsOn(%d) { ", " }")
}

func (f *finder) text(n ast.Node) string {
	return string(f.src[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) add(n ast.Node, change, before, after string) {
	m := &mutant{
		file: f.file, function: f.function, change: change, code: strings.Join(strings.Fields(f.text(n)), " "),
		from: f.offset(n.Pos()), to: f.offset(n.End()), before: before, after: after,
	}
	f.count[m.key()]++
	m.nth = f.count[m.key()]
	f.found = append(f.found, m)
}
