package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
)

// GeneratedFile is the name of the file that is written into a package.
const GeneratedFile = "mcp_gen.go"

// State describes the file at the path of the generated file.
type State int

const (
	Absent  State = iota // no file
	Ours                 // a file that mcpgen wrote and may overwrite
	Foreign              // another file, never to be overwritten
)

// Package is one package, type-checked as if it had no generated file. Only Complete changes it
// after Load, and otherwise it may be read concurrently.
type Package struct {
	Path      string // import path
	Name      string
	Dir       string // absolute, in the spelling of Config.Dir
	Module    string // path of its module; "" outside of one
	ModuleDir string

	Fset *token.FileSet
	// Files are the source files in order of name, with comments: without tests, the generated file
	// and the output of cgo.
	Files []*ast.File
	// Excluded are the files with directives that build constraints exclude. They are not
	// type-checked. See CheckConstraints.
	Excluded []*ast.File

	Types *types.Package
	Info  *types.Info // if the source imports "C", declarations of C have no type
	Sizes types.Sizes

	Errors     []packages.Error // from listing, parsing and type-checking
	TypeErrors []types.Error

	Generated      string // absolute path of mcp_gen.go
	GeneratedState State

	// Imports contains the direct imports by the path in the source; their Imports lead to all the
	// others. They have files and types, but no syntax.
	Imports map[string]*packages.Package

	// From contains the packages that the package's //mcp:from directives name, by import path,
	// loaded in the same way. Missing contains the reasons for packages that are missing from it.
	From    map[string]*Package
	Missing map[string]*Error

	Listed []string // the files that the go command lists, ignored ones too

	exports *exports // for the packages of the same Load

	directives func() ([]*directive.Set, *diag.List) // nil for a package that Load has not returned
}

// Directives returns the directives of Files, and their errors. The files of a package that Load
// has returned are scanned once.
func (p *Package) Directives() ([]*directive.Set, *diag.List) {
	if p.directives == nil {
		return p.scan()
	}
	return p.directives()
}

// Edited makes each call of Directives scan the files, for a caller that changes their comments.
func (p *Package) Edited() { p.directives = nil }

func (p *Package) scan() ([]*directive.Set, *diag.List) {
	var found diag.List
	return directive.ScanFiles(p.Fset, p.Files, &found), &found
}

// Position returns the place of a node in the source.
func (p *Package) Position(pos token.Pos) token.Position { return p.Fset.Position(pos) }

// Uses reports whether the package imports a path, directly or indirectly.
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

// Importing reports whether the importer, which is this package or one that the go command listed
// for it, directly imports a path or a package below it.
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

// File returns the file of the package that contains a position, or nil.
func (p *Package) File(pos token.Pos) *ast.File {
	for _, f := range p.Files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return f
		}
	}
	return nil
}
