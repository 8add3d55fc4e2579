package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// Constraint is like [Package.ConstraintAt], for the file that declares an object of any package.
// If the file cannot be read, only its name counts.
func (d *Docs) Constraint(obj types.Object, shared string) string {
	if obj == nil || obj.Pkg() == nil || !obj.Pos().IsValid() {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fset == nil {
		return ""
	}
	file, c := d.find(obj)
	if file == nil || file.syntax == nil || c.at.Filename == "" {
		return constraintBeside(&ast.File{}, d.fset.PositionFor(obj.Pos(), false).Filename, shared)
	}
	return constraintBeside(file.syntax, c.at.Filename, shared)
}

// Elsewhere reports whether a file of a package that build constraints exclude declares a name.
func (d *Docs) Elsewhere(pkg *types.Package, name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	names, ok := d.elsewhere[pkg.Path()]
	if !ok {
		names = map[string]bool{}
		for _, file := range d.leftOut(pkg.Path()) {
			declaredIn(file, pkg.Name(), names)
		}
		if d.elsewhere == nil {
			d.elsewhere = map[string]map[string]bool{}
		}
		d.elsewhere[pkg.Path()] = names
	}
	return names[name]
}

// leftOut returns the files of a package that this build excludes.
func (d *Docs) leftOut(path string) []string {
	if p := d.roots[path]; p != nil {
		built := d.filesOf(path)
		return slices.DeleteFunc(slices.Clone(p.Listed), func(name string) bool { return slices.Contains(built, name) })
	}
	if p := d.dep(path); p != nil {
		return p.IgnoredFiles
	}
	return nil
}

// declaredIn adds the names that a file of a package declares at package level. Programs that are
// run by themselves and tests do not count.
func declaredIn(path, pkg string, names map[string]bool) {
	base := filepath.Base(path)
	if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") || base == GeneratedFile {
		return
	}
	src, err := regularfile.Read(path)
	if err != nil {
		return
	}
	f, _ := parser.ParseFile(token.NewFileSet(), path, src, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil || f.Name.Name != pkg || constraintOf(f, path) == "//go:build ignore" {
		return
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				names[decl.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				eachName(decl, spec, func(id *ast.Ident, _ comment) { names[id.Name] = true })
			}
		}
	}
}
