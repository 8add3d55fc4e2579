package unreadbody_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// common is the method that begins and ends for several handlers of a package.
const common = "serve"

// passesOn reports whether a handler only calls the method serve, which is checked as handlers are.
func passesOn(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	statement, ok := body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == common
}

// Every function of the runtime that an HTTP server calls begins with [Bodies.Begin] and defers
// [Body.End], is called by a function that does, or answers only requests without a body.
func TestEveryHandlerBeginsAndEnds(t *testing.T) {
	behind := map[string]string{
		"notFound": "site.within is around it",
		"pageFor":  "a request with a body goes to the next handler",
	}
	found := 0
	passed, served := map[string]bool{}, map[string]bool{} // by folder
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == "faulty" {
			return fs.SkipDir // servers for tests of clients: they read every body whole
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var kind *ast.FuncType
			var body *ast.BlockStmt
			more := 0
			switch f := n.(type) {
			case *ast.FuncDecl:
				// ServeHTTP calls the other methods.
				name := f.Name.Name
				if f.Recv != nil {
					if pointer, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
						name = fmt.Sprint(pointer.X)
					}
				}
				if f.Recv != nil && f.Name.Name != "ServeHTTP" && f.Name.Name != common || behind[name] != "" {
					return true
				}
				kind, body = f.Type, f.Body
				if f.Recv != nil && f.Name.Name == common {
					more = 1 // the function that answers
				}
			case *ast.FuncLit:
				kind, body = f.Type, f.Body
			default:
				return true
			}
			if !isHandler(kind, more) || body == nil {
				return true
			}
			found++
			if passesOn(body) {
				passed[filepath.Dir(path)] = true
				return true
			}
			if more > 0 {
				served[filepath.Dir(path)] = true
			}
			var text bytes.Buffer
			if err := printer.Fprint(&text, set, body); err != nil {
				t.Fatal(err)
			}
			begin, end := strings.Index(strings.ToLower(text.String()), ".begin("), strings.Index(strings.ToLower(text.String()), ".end(")
			if begin < 0 || end < begin || !strings.Contains(text.String(), "defer ") {
				t.Errorf("%s: a handler of HTTP requests without Begin and a deferred End:\n%s", set.Position(n.Pos()), &text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(passed, served) {
		t.Errorf("handlers call the method %s in %v, and it was found in %v", common, passed, served)
	}
	if found < 4 {
		t.Errorf("only %d handlers found", found)
	}
}

// isHandler reports whether the parameters of a function are a response and a request, and so many
// more.
func isHandler(f *ast.FuncType, more int) bool {
	if f.Results != nil || len(f.Params.List) != 2+more {
		return false
	}
	writer, ok := f.Params.List[0].Type.(*ast.SelectorExpr)
	pointer, ok2 := f.Params.List[1].Type.(*ast.StarExpr)
	if !ok || !ok2 {
		return false
	}
	request, ok := pointer.X.(*ast.SelectorExpr)
	return ok && writer.Sel.Name == "ResponseWriter" && request.Sel.Name == "Request"
}
