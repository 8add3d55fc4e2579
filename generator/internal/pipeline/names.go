package pipeline

import (
	"go/ast"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// checkNames refuses a package that declares a name which its generated file declares, too. Only
// the printed file contains all of these names.
func checkNames(p *Package, file *ast.File, diags *diag.List) {
	scope := p.Loaded.Types.Scope()
	report := func(name string) {
		dotted(p, name, diags)
		obj := scope.Lookup(name)
		if obj == nil || name == "_" {
			return
		}
		d := diags.Errorf(p.Loaded.Position(obj.Pos()), name, "the package already has a %s, which the generated file declares", name)
		if d.Hint = "rename it"; name == "NewMCPServer" && !p.Model.Main {
			d.Hint = "leave //mcp:server out, and call RegisterMCP with a server of your own; or rename it"
		}
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

// dotted refuses a dot import of a name which the file declares: both would be declared in the file
// with the import.
func dotted(p *Package, name string, diags *diag.List) {
	if !ast.IsExported(name) {
		return
	}
	for _, f := range p.Loaded.Files {
		for _, spec := range f.Imports {
			if spec.Name == nil || spec.Name.Name != "." {
				continue
			}
			path, err := strconv.Unquote(spec.Path.Value)
			imported := p.Loaded.Imports[path]
			if err != nil || imported == nil || imported.Types == nil || imported.Types.Scope().Lookup(name) == nil {
				continue
			}
			diags.Errorf(p.Loaded.Position(spec.Pos()), name, "the dot import brings the %s of %s, and the generated file declares one", name, path).Hint = "import it by its name"
		}
	}
}
