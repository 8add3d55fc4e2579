package load

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// complete reads all exported declarations of a package, as far as possible.
func (d *Docs) complete(pkg *types.Package) {
	for _, p := range d.roots {
		if p.Complete(pkg) == nil {
			return
		}
	}
}

// filesOf returns the known source files of a package.
func (d *Docs) filesOf(path string) []string {
	var names []string
	if p := d.roots[path]; p != nil {
		for _, f := range p.Files {
			names = append(names, p.Fset.File(f.FileStart).Name())
		}
	} else if p := d.dep(path); p != nil {
		names = p.GoFiles
	}
	return names
}

// source returns the name on this machine of the file that a position names. Positions of export
// data begin with $GOROOT for the standard library, and are relative to no directory under
// -trimpath; the file with that name in the package's own list is used.
func (d *Docs) source(path, name string) string {
	base := filepath.Base(filepath.FromSlash(name))
	if p := d.roots[path]; p != nil {
		return filepath.Join(p.Dir, base)
	}
	if p := d.dep(path); p != nil {
		for _, file := range p.GoFiles {
			if filepath.Base(file) == base {
				return file
			}
		}
	}
	if rest, ok := strings.CutPrefix(filepath.ToSlash(name), "$GOROOT/"); ok {
		name = filepath.Join(build.Default.GOROOT, filepath.FromSlash(rest))
	}
	if filepath.IsAbs(name) {
		return name
	}
	return ""
}

// dep returns a package that the loaded ones import, directly or indirectly.
func (d *Docs) dep(path string) *packages.Package {
	if d.deps == nil {
		d.deps = map[string]*packages.Package{}
		var add func(map[string]*packages.Package)
		add = func(imports map[string]*packages.Package) {
			for _, p := range imports {
				if d.deps[p.PkgPath] == nil {
					d.deps[p.PkgPath] = p
					add(p.Imports)
				}
			}
		}
		for _, p := range d.roots {
			add(p.Imports)
		}
	}
	return d.deps[path]
}

// file returns the comments of a file. For a file that cannot be read it returns no comments.
func (d *Docs) file(path, name string) *fileDocs {
	if f := d.files[name]; f != nil {
		return f
	}
	f := &fileDocs{groups: map[declKey]comment{}, named: map[string]comment{}, imports: map[string]string{}}
	d.files[name] = f
	if p := d.roots[path]; p != nil {
		for _, syntax := range p.Files {
			if at := p.Fset.File(syntax.FileStart).Name(); filepath.Base(at) == filepath.Base(name) {
				f.index(p.Fset, syntax)
				return f
			}
		}
	}
	src, err := regularfile.Read(name)
	if err != nil {
		return f
	}
	fset := token.NewFileSet()
	// If there is a syntax error, the comments before it are used.
	if syntax, _ := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution); syntax != nil {
		f.index(fset, syntax)
	}
	return f
}

// declKey is the position of a declared identifier. Export data contains lines, but no columns.
type declKey struct {
	line  int
	name  string
	field bool
}

// comment contains the comments on a declaration.
type comment struct {
	doc   *ast.CommentGroup // above it
	group *ast.CommentGroup // above the group of declarations
	trail *ast.CommentGroup // behind it
	at    token.Position    // position of the name, independent of //line comments
	fn    *ast.FuncType     // for a function or method
}

// fileDocs contains the comments of one file.
type fileDocs struct {
	fset    *token.FileSet
	syntax  *ast.File
	sets    map[string]*directive.Set // for types, by name; nil until requested
	consts  map[string]ast.Expr       // for constants at package level; nil until requested
	groups  map[declKey]comment
	named   map[string]comment // for names in the package: T, T.Field
	imports map[string]string  // name in the file -> import path
}

func (f *fileDocs) find(obj types.Object, line int) (comment, bool) {
	v, ok := obj.(*types.Var)
	c, found := f.groups[declKey{line, obj.Name(), ok && v.IsField()}]
	return c, found
}

func (f *fileDocs) index(fset *token.FileSet, syntax *ast.File) {
	f.fset, f.syntax = fset, syntax
	f.indexNames()
	add := func(id *ast.Ident, field bool, c comment) {
		at := declKey{fset.PositionFor(id.Pos(), false).Line, id.Name, field}
		if _, ok := f.groups[at]; !ok {
			f.groups[at] = c
		}
	}
	for _, spec := range syntax.Imports {
		path := importPath(spec)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		f.imports[name] = path
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n.Name, false, comment{doc: n.Doc, fn: n.Type})
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				eachName(n, spec, func(id *ast.Ident, c comment) { add(id, false, c) })
			}
		case *ast.StructType:
			for _, field := range n.Fields.List {
				eachField(field, func(id *ast.Ident, c comment) { add(id, true, c) })
			}
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, id := range m.Names {
					signature, _ := m.Type.(*ast.FuncType)
					add(id, false, comment{doc: m.Doc, trail: m.Comment, fn: signature})
				}
			}
		}
		return true
	})
}

// eachName calls add for the names that a part of a declaration declares. The comment of a
// declaration with one spec belongs to that spec. A comment above a group describes the group,
// except for types, as in go/doc.
func eachName(decl *ast.GenDecl, spec ast.Spec, add func(*ast.Ident, comment)) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		add(spec.Name, comment{doc: spec.Doc, group: decl.Doc, trail: spec.Comment})
	case *ast.ValueSpec:
		c := comment{doc: spec.Doc, trail: spec.Comment}
		if len(decl.Specs) == 1 {
			c.group = decl.Doc
		}
		for _, id := range spec.Names {
			add(id, c)
		}
	}
}

// eachField calls add for the names of a part of a struct type.
func eachField(field *ast.Field, add func(*ast.Ident, comment)) {
	c := comment{doc: field.Doc, trail: field.Comment}
	for _, id := range field.Names {
		add(id, c)
	}
	if len(field.Names) == 0 {
		add(embedded(field.Type), c)
	}
}

// embedded returns the identifier that names an embedded field.
func embedded(t ast.Expr) *ast.Ident {
	for {
		switch x := ast.Unparen(t).(type) {
		case *ast.Ident:
			return x
		case *ast.StarExpr:
			t = x.X
		case *ast.SelectorExpr:
			return x.Sel
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		default:
			return ast.NewIdent("_")
		}
	}
}

// text returns the comment that counts, without directives: //mcp:doc, or else the comment for
// programmers.
func (c comment) text() string {
	for _, g := range []*ast.CommentGroup{c.doc, c.group, c.trail} {
		if t, ok := directive.Doc(g); ok {
			return t
		}
	}
	for _, g := range []*ast.CommentGroup{c.doc, c.group, c.trail} {
		if t := directive.DocText(g); strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
