package unreadbody_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Every function of the runtime that an HTTP server calls begins with [Bodies.Begin] and defers
// [Body.End], is called by a function that does, or answers only requests without a body.
func TestEveryHandlerBeginsAndEnds(t *testing.T) {
	behind := map[string]string{
		"notFound": "site.within is around it",
		"pageFor":  "a request with a body goes to the next handler",
	}
	found := 0
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
			switch f := n.(type) {
			case *ast.FuncDecl:
				// ServeHTTP calls the other methods.
				name := f.Name.Name
				if f.Recv != nil {
					if pointer, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
						name = fmt.Sprint(pointer.X)
					}
				}
				if f.Recv != nil && f.Name.Name != "ServeHTTP" || behind[name] != "" {
					return true
				}
				kind, body = f.Type, f.Body
			case *ast.FuncLit:
				kind, body = f.Type, f.Body
			default:
				return true
			}
			if !isHandler(kind) || body == nil {
				return true
			}
			found++
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
	if found < 4 {
		t.Errorf("only %d handlers found", found)
	}
}

// isHandler reports whether the parameters of a function are a response and a request, and nothing
// else.
func isHandler(f *ast.FuncType) bool {
	if f.Results != nil || len(f.Params.List) != 2 {
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
