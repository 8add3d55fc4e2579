package protofile

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// graph contains Go packages by import path, with their imports.
type graph struct {
	nodes map[string]*node
}

// node is a Go package. A package that was loaded as source has syntax, the others have names of
// files.
type node struct {
	path    string
	fset    *token.FileSet
	syntax  []*ast.File
	goFiles []string
	imports map[string]*packages.Package // by the path in the source
	listed  *goPackage                   // nil until requested
}

func newGraph(pkgs []*load.Package) *graph {
	g := &graph{nodes: map[string]*node{}}
	add := func(p *load.Package) {
		g.nodes[p.Path] = &node{path: p.Path, fset: p.Fset, syntax: p.Files, imports: p.Imports}
	}
	for _, p := range pkgs {
		add(p)
		for _, source := range p.From {
			add(source)
		}
	}
	for _, p := range pkgs {
		g.addImports(p.Imports)
		for _, source := range p.From {
			g.addImports(source.Imports)
		}
	}
	return g
}

func (g *graph) addImports(imports map[string]*packages.Package) {
	for _, p := range imports {
		if g.nodes[p.PkgPath] == nil {
			g.nodes[p.PkgPath] = &node{path: p.PkgPath, goFiles: p.GoFiles, imports: p.Imports}
			g.addImports(p.Imports)
		}
	}
}

// imported returns the package that an import in a file of n means, or nil.
func (g *graph) imported(n *node, path string) *node {
	if p := n.imports[path]; p != nil {
		return g.nodes[p.PkgPath]
	}
	return nil
}

// mayGenerate reports whether a package imports a runtime of protobuf, as all generated files do.
func (n *node) mayGenerate() bool {
	for path := range n.imports {
		if strings.HasSuffix(path, "/runtime/protoimpl") || strings.HasSuffix(path, "/proto") {
			return true
		}
	}
	return false
}

// marks are texts of which generated files contain at least one.
var marks = [][]byte{[]byte("_rawDesc"), []byte("fileDescriptor")}

// files returns the declarations of the package's generated files, read on the first call.
func (n *node) files() (*goPackage, error) {
	if n.listed != nil {
		return n.listed, nil
	}
	p := newGoPackage(n)
	if len(n.syntax) > 0 {
		for _, f := range n.syntax {
			p.add(n.fset, f)
		}
		n.listed = p
		return p, nil
	}
	if n.mayGenerate() {
		fset := token.NewFileSet()
		for _, name := range n.goFiles {
			src, err := regularfile.Read(name)
			if err != nil {
				return nil, problemOf(err, token.Position{Filename: name}, "", "read generated file")
			}
			if !bytes.Contains(src, marks[0]) && !bytes.Contains(src, marks[1]) {
				continue
			}
			f, err := parser.ParseFile(fset, name, withoutBodies(src), parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, problemOf(err, token.Position{Filename: name}, "", "read generated file")
			}
			p.add(fset, f)
		}
	}
	n.listed = p
	return p, nil
}
