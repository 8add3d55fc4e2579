package pages_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOptionNames checks that every exported function of the runtime that returns an option has a
// name of the form WithX, or WithoutX.
func TestOptionNames(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(root(t), "runtime", "*"))
	if err != nil {
		t.Fatal(err)
	}
	options := 0
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			name := entry.Name()
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv != nil || !f.Name.IsExported() || !returnsOption(f) {
					continue
				}
				options++
				if !strings.HasPrefix(f.Name.Name, "With") {
					t.Errorf("%s.%s returns an option: call it With...", file.Name.Name, f.Name.Name)
				}
			}
		}
	}
	if options < 40 {
		t.Errorf("only %d options are found", options)
	}
}

// returnsOption reports whether the result of a function is of a type such as AskOption.
func returnsOption(f *ast.FuncDecl) bool {
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	named, ok := f.Type.Results.List[0].Type.(*ast.Ident)
	return ok && strings.HasSuffix(named.Name, "Option")
}
