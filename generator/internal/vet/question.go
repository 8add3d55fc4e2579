package vet

import (
	"go/ast"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
)

// runtimePath is the package with the functions that ask.
const runtimePath = "github.com/mcpgen/mcpgen/runtime/mcp"

// questions are its functions whose error must not be dropped.
var questions = map[string]bool{"Elicit": true, "ElicitFields": true, "ElicitURL": true, "Sample": true, "Roots": true}

// ignoredQuestions checks the rule ignored-question in every function of the package, as a tool may
// ask through another function.
func (c *checker) ignoredQuestions() {
	sets := map[ast.Node]*directive.Set{}
	for _, set := range c.sets {
		sets[set.Node] = set
	}
	for _, p := range c.sources {
		for _, file := range p.Files {
			for _, decl := range file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if call, name := dropped(p, n); call != nil {
						c.report(sets[fn], p.Position(call.Pos()), "func "+fn.Name.Name, "return the error, at once and as it is",
							"the error of mcp.%s is dropped", name)
					}
					return true
				})
			}
		}
	}
}

// dropped returns the question whose error a statement drops.
func dropped(p *load.Package, n ast.Node) (call *ast.CallExpr, name string) {
	var expr ast.Expr
	switch n := n.(type) {
	case *ast.ExprStmt:
		expr = n.X
	case *ast.GoStmt:
		expr = n.Call
	case *ast.DeferStmt:
		expr = n.Call
	case *ast.AssignStmt:
		if len(n.Rhs) == 1 && blank(n.Lhs[len(n.Lhs)-1]) {
			expr = n.Rhs[0]
		}
	case *ast.ValueSpec:
		if len(n.Values) == 1 && n.Names[len(n.Names)-1].Name == "_" {
			expr = n.Values[0]
		}
	}
	if expr == nil {
		return nil, ""
	}
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok {
		return nil, ""
	}
	if name = question(p, call.Fun); name == "" {
		return nil, ""
	}
	return call, name
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// question returns the name of the runtime's function that a call names, or "".
func question(p *load.Package, fun ast.Expr) string {
	var id *ast.Ident
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident: // with a dot import
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	case *ast.IndexExpr: // Elicit[T]
		return question(p, f.X)
	case *ast.IndexListExpr:
		return question(p, f.X)
	default:
		return ""
	}
	fn, ok := p.Info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != runtimePath || fn.Signature().Recv() != nil || !questions[fn.Name()] {
		return ""
	}
	return fn.Name()
}
