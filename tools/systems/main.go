// Systems checks that the packages of modules have valid types on systems other than the one it runs on: on macOS,
// and on Windows with their tests. It type-checks the source of all packages and compiles none, so it takes seconds
// where go vet takes minutes.
//
//	go run ./systems .. ../examples
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// system is a value of GOOS.
type system struct {
	name  string
	tests bool
}

var systems = []system{{"darwin", false}, {"windows", true}}

func main() {
	valid := true
	for _, dir := range os.Args[1:] {
		for _, s := range systems {
			problems, n, err := s.check(dir)
			switch {
			case err != nil:
				fmt.Fprintln(os.Stderr, "systems:", err)
				os.Exit(2)
			case len(problems) > 0:
				valid = false
				fmt.Printf("%s on %s:\n%s\n", dir, s.name, strings.Join(problems, "\n"))
			default:
				fmt.Printf("%s on %s: %d packages\n", dir, s.name, n)
			}
		}
	}
	if !valid {
		os.Exit(1)
	}
}

// check returns the errors in the packages of the module in dir, and the number of packages.
func (s system) check(dir string) ([]string, int, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, 0, err
	}
	loaded, err := packages.Load(&packages.Config{
		Mode:  packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Dir:   dir,
		Tests: s.tests,
		Env:   append(os.Environ(), "GOWORK=off", "GOOS="+s.name, "GOARCH=amd64", "CGO_ENABLED=0"),
		// The bodies of functions elsewhere have been checked by others. The main packages of tests, which
		// the go command writes into its cache, have names without .go.
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if file != nil && strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, dir+string(filepath.Separator)) {
				for _, decl := range file.Decls {
					if f, ok := decl.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}, "./...")
	if err != nil {
		return nil, 0, err
	}
	var problems []string
	for _, p := range loaded {
		for _, e := range p.Errors {
			if !slices.Contains(problems, e.Error()) { // packages are loaded again with their tests
				problems = append(problems, e.Error())
			}
		}
	}
	return problems, len(loaded), nil
}
