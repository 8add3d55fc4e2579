package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// GeneratedFile is the name of the file that is written into a package.
const GeneratedFile = "mcp_gen.go"

// State is what there is at the path of the generated file.
type State int

const (
	Absent  State = iota // nothing
	Ours                 // a file that mcpgen wrote and may overwrite
	Foreign              // another file, never to be overwritten
)

// Package is one package, type-checked as if it had no generated file. Only Complete changes it
// after Load, and otherwise it may be read concurrently.
type Package struct {
	Path      string // import path
	Name      string
	Dir       string // absolute, spelt as Config.Dir spells it
	Module    string // path of its module, "" outside of one
	ModuleDir string

	Fset *token.FileSet
	// Files are the source files in order of name, with comments: no tests, not the generated file,
	// nothing that cgo makes.
	Files []*ast.File
	// Excluded are the files with directives that the build constraints leave out. They are not
	// type-checked. See CheckConstraints.
	Excluded []*ast.File

	Types *types.Package
	Info  *types.Info // where the source imports "C", what comes from C has no type
	Sizes types.Sizes

	Errors     []packages.Error // of listing, parsing and type-checking
	TypeErrors []types.Error

	Generated      string // absolute path of mcp_gen.go
	GeneratedState State

	// Imports are the direct imports by the path in the source; theirs lead to all the others. They
	// have files and types, no syntax.
	Imports map[string]*packages.Package

	// From are the packages that the //mcp:from directives of this one name, by import path, loaded
	// in the same way. Of those that are not among them Missing says why.
	From    map[string]*Package
	Missing map[string]*Error

	Listed []string // the files that the go command knows, ignored ones too

	exports *exports // of the packages of the same Load
}

// Position returns the place of a node in the source.
func (p *Package) Position(pos token.Pos) token.Position { return p.Fset.Position(pos) }

// Uses reports whether the package imports the one with a path, however far away.
func (p *Package) Uses(path string) bool {
	found := false
	reached := make([]*packages.Package, 0, len(p.Imports))
	for _, imp := range p.Imports {
		reached = append(reached, imp)
	}
	packages.Visit(reached, func(imp *packages.Package) bool {
		found = found || imp.PkgPath == path
		return !found
	}, nil)
	return found
}

// Importing reports whether the package with a path, this one or one that the go command listed for
// it, imports another one itself, or a package inside of it.
func (p *Package) Importing(importer, path string) bool {
	imports := p.Imports
	if importer != p.Path {
		listed := p.exports.listed(importer)
		if listed == nil {
			return false
		}
		imports = listed.Imports
	}
	for _, imp := range imports {
		if imp.PkgPath == path || strings.HasPrefix(imp.PkgPath, path+"/") {
			return true
		}
	}
	return false
}

// File returns the file of the package that holds a position, nil if none does.
func (p *Package) File(pos token.Pos) *ast.File {
	for _, f := range p.Files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return f
		}
	}
	return nil
}
