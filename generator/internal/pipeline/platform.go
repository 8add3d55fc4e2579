package pipeline

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/vet"
)

// warnOfPlatforms reports values that differ from system to system, and declarations that the
// generated file names and only builds like this one include: elsewhere the file does not compile.
// Declarations that other builds also contain may differ there; mcpgen vet reports them.
func warnOfPlatforms(p *Package, file *ast.File, docs *load.Docs, diags *diag.List) {
	ignored := vet.PlatformWarnings(p.Loaded, p.Model, docs, diags)
	imports := map[string]*types.Package{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		for _, found := range p.Loaded.Find(path) {
			name := found.Name()
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = found
		}
	}
	said := map[types.Object]bool{}
	check := func(pkg *types.Package, name string) {
		obj := pkg.Scope().Lookup(name)
		if obj == nil || said[obj] {
			return
		}
		said[obj] = true
		why := docs.Constraint(obj, p.Model.Constraint)
		if why == "" || ignored(obj) || docs.Elsewhere(pkg, name) {
			return
		}
		at := token.Position{Filename: p.Path}
		if pkg == p.Loaded.Types {
			at = p.Loaded.Position(obj.Pos())
		} else {
			name = pkg.Name() + "." + name
		}
		d := diags.Warnf(at, name, "the generated file names it, and only a file with a build constraint declares it (%s), so that the package does not compile without it", why)
		d.Rule = vet.PlatformType
		d.Hint = "declare it in a file that every build has, or for all other builds, too; or put //mcp:ignore platform-type with the reason into the package comment, or the comments of the features that need it"
	}
	own := map[string]bool{}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // the member may have the name of a declaration
			if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] != nil {
				check(imports[x.Name], n.Sel.Name)
			}
			ast.Inspect(n.X, visit)
			return false
		case *ast.KeyValueExpr: // as may this one
			if _, ok := n.Key.(*ast.Ident); ok {
				ast.Inspect(n.Value, visit)
				return false
			}
		case *ast.Ident:
			if !own[n.Name] {
				own[n.Name] = true
				check(p.Loaded.Types, n.Name)
			}
		}
		return true
	}
	ast.Inspect(file, visit)
}
