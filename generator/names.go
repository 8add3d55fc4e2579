package generator

import (
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/mcpgen/mcpgen/generator/diag"
)

// checkNames refuses a package that declares a name which its generated file
// declares too. Which names these are, only the printed file knows.
func checkNames(p *Package, diags *diag.List) {
	file, err := parser.ParseFile(token.NewFileSet(), p.Path, p.Source, parser.SkipObjectResolution)
	if err != nil {
		// The printed file is formatted, so it parses; if not, the next build
		// says so better than this check could.
		return
	}
	scope := p.Loaded.Types.Scope()
	report := func(name string) {
		obj := scope.Lookup(name)
		if obj == nil || name == "_" {
			return
		}
		diags.Errorf(p.Loaded.Position(obj.Pos()), name, "the package already has a %s, which the generated file declares", name).Hint = "rename it"
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				report(d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					report(s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						report(name.Name)
					}
				}
			}
		}
	}
}
