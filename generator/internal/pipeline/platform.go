package pipeline

import (
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/emit"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/vet"
)

// warnOfPlatforms reports values that differ from system to system, and declarations that the
// generated file names and only builds like this one include: elsewhere the file does not compile.
// Declarations that other builds also contain may differ there; mcpgen vet reports them.
func warnOfPlatforms(p *Package, names *emit.Names, docs *load.Docs, diags *diag.List) {
	ignored := vet.PlatformWarnings(p.Loaded, p.Model, docs, diags)
	imports := map[string]*types.Package{}
	for name, path := range names.Imports {
		for _, found := range p.Loaded.Find(path) {
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
	for _, n := range names.Used {
		switch {
		case n.Qualifier == "":
			check(p.Loaded.Types, n.Name)
		case imports[n.Qualifier] != nil:
			check(imports[n.Qualifier], n.Name)
		}
	}
}
