package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
)

// Docs finds the doc comments of objects: in the syntax of the loaded packages, and for all others
// by parsing, once, the one file at the object's position. It is safe for concurrent use.
type Docs struct {
	mu    sync.Mutex
	fset  *token.FileSet
	roots map[string]*Package          // by import path
	deps  map[string]*packages.Package // all packages that they import
	files map[string]*fileDocs         // by file name
	// elsewhere contains the declarations in files that build constraints exclude, by path and
	// name.
	elsewhere map[string]map[string]bool

	owners owners
}

// NewDocs returns the doc comments of packages of one Load and of all packages that they import.
func NewDocs(pkgs ...*Package) *Docs {
	d := &Docs{roots: map[string]*Package{}, files: map[string]*fileDocs{}}
	for _, p := range pkgs {
		d.fset = p.Fset
		d.roots[p.Path] = p
		for path, source := range p.From {
			d.roots[path] = source
		}
	}
	return d
}

// Link returns the replacement for a doc link in a comment. path is the import path of the package,
// recv the type of a method or field, or "" for other links. If it returns "", the link becomes
// plain text.
type Link func(path, recv, name string) string

// Of returns the doc comment of a type, field, constant, variable, function, method or interface
// method of any package, as plain text. For a field or constant without one it returns the trailing
// comment. The text in //mcp:doc takes precedence. Of returns "" for objects without a comment, and
// if the source is not available.
func (d *Docs) Of(obj types.Object) string { return d.Linked(obj, nil) }

// Linked is like Of, with the doc links replaced.
func (d *Docs) Linked(obj types.Object, link Link) string {
	if obj == nil || obj.Pkg() == nil || !obj.Pos().IsValid() {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fset == nil {
		return ""
	}
	file, c := d.find(obj)
	if file == nil {
		return ""
	}
	return d.render(c, obj.Pkg(), file.imports, link)
}

// OfVariable is like Linked, for the comment directly above a variable. Comments behind it do not
// count.
func (d *Docs) OfVariable(v types.Object, above *ast.CommentGroup, link Link) string {
	if v == nil || v.Pkg() == nil || above == nil {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fset == nil {
		return ""
	}
	imports := map[string]string{}
	if file, _ := d.find(v); file != nil {
		imports = file.imports
	}
	return d.render(comment{doc: above}, v.Pkg(), imports, link)
}

// Params returns the comments on the parameters and named results of a function, method or
// interface method of any package by their names, like [Package.ParamComments].
func (d *Docs) Params(fn *types.Func) map[string]string {
	if fn.Pkg() == nil || !fn.Pos().IsValid() {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fset == nil {
		return nil
	}
	file, c := d.find(fn)
	if file == nil || file.syntax == nil || c.fn == nil {
		return nil
	}
	return paramComments(file.fset, file.syntax, c.fn)
}

// FuncDirectives returns the first directive in the doc comment of a function, method or interface
// method of any package, or "".
func (d *Docs) FuncDirectives(fn *types.Func) string {
	if fn.Pkg() == nil || !fn.Pos().IsValid() {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fset == nil {
		return ""
	}
	if _, c := d.find(fn); c.doc != nil {
		for _, line := range c.doc.List {
			if word, _, _ := strings.Cut(line.Text, " "); strings.HasPrefix(word, "//mcp:") {
				return word
			}
		}
	}
	return ""
}

// Position returns the position at which the source declares an object, independent of //line
// comments. Files are spelt as the go command lists them, and columns are known, which export data
// does not contain. It is the zero Position if the source is not available, and for objects without
// a name in their package.
func (d *Docs) Position(obj types.Object) token.Position {
	if obj == nil || obj.Pkg() == nil || !obj.Pos().IsValid() {
		return token.Position{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fset == nil {
		return token.Position{}
	}
	_, c := d.find(obj)
	return c.at
}

// Directives returns the directives of a declared type of any package, or nil. Their errors are
// reported when that package is generated for, and here as far as the directives are used.
func (d *Docs) Directives(obj *types.TypeName) *directive.Set {
	if obj.Pkg() == nil || !obj.Pos().IsValid() {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fset == nil {
		return nil
	}
	file, _ := d.find(obj)
	if file == nil {
		return nil
	}
	if file.sets == nil {
		file.sets = map[string]*directive.Set{}
		if file.syntax != nil {
			for _, set := range directive.ScanFile(file.fset, file.syntax, &diag.List{}) {
				if set.Target == directive.Type {
					file.sets[set.Name] = set
				}
			}
		}
	}
	return file.sets[obj.Name()]
}

// find returns the file that declares an object, and its comments there, or nil if the source is
// not available.
func (d *Docs) find(obj types.Object) (*fileDocs, comment) {
	path := obj.Pkg().Path()
	// The real position in the source, not the position that a //line comment gives.
	at := d.fset.PositionFor(obj.Pos(), false)
	likely := d.source(path, at.Filename)
	if names := d.owners.names(obj); len(names) > 0 {
		if likely != "" {
			if file, c := d.named(path, likely, names); file != nil {
				return file, c
			}
		}
		for _, name := range d.filesOf(path) {
			if file, c := d.named(path, name, names); file != nil {
				return file, c
			}
		}
	}
	if likely != "" {
		file := d.file(path, likely)
		if c, ok := file.find(obj, at.Line); ok {
			return file, c
		}
		if strings.HasSuffix(likely, ".go") {
			return file, comment{}
		}
	}
	// Export data contains the line, but only the file of the //line comment.
	for _, name := range d.filesOf(path) {
		file := d.file(path, name)
		if c, ok := file.find(obj, at.Line); ok {
			return file, c
		}
	}
	return nil, comment{}
}

// named returns a file that declares one of the names, and the comments there, or nil.
func (d *Docs) named(path, file string, names []string) (*fileDocs, comment) {
	f := d.file(path, file)
	for _, name := range names {
		if c, ok := f.named[name]; ok {
			return f, c
		}
	}
	return nil, comment{}
}
