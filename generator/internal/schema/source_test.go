package schema

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// standard imports the standard library, once for all tests.
var standard = struct {
	sync.Mutex
	fset *token.FileSet
	imp  types.Importer
}{fset: token.NewFileSet()}

// sourceImporter resolves imports of the test's own packages before imports of the standard
// library.
type sourceImporter map[string]*types.Package

func (m sourceImporter) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	if standard.imp == nil {
		standard.imp = importer.ForCompiler(standard.fset, "gc", nil)
	}
	return standard.imp.Import(path)
}

// snippet is a type-checked snippet.
type snippet struct {
	*Resolver
}

// checkSource type-checks files given by name. Files in a directory form a separate package,
// example.com/DIRECTORY, which the others may import. A directory with a dot, or in encoding, is an
// import path.
func checkSource(t testing.TB, files map[string]string) *snippet {
	t.Helper()
	standard.Lock()
	defer standard.Unlock()
	names := sortedKeys(files)
	sort.SliceStable(names, func(i, j int) bool { return strings.Count(names[i], "/") > strings.Count(names[j], "/") })
	byPath := map[string][]*ast.File{}
	var order []string
	docs := testDocs{map[docKey]string{}, map[string]map[string]ast.Expr{}}
	for _, name := range names {
		file, err := parser.ParseFile(standard.fset, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkgPath := path.Join("example.com", path.Dir(name))
		if first, _, _ := strings.Cut(name, "/"); strings.Contains(path.Dir(name), ".") && path.Dir(name) != "." || first == "encoding" {
			pkgPath = path.Dir(name)
		}
		if path.Dir(name) == "." {
			pkgPath = "example.com/main"
		}
		if byPath[pkgPath] == nil {
			order = append(order, pkgPath)
		}
		byPath[pkgPath] = append(byPath[pkgPath], file)
		docs.add(standard.fset, file)
	}
	imported := sourceImporter{}
	for _, pkgPath := range order {
		conf := types.Config{Importer: imported, Sizes: types.SizesFor("gc", "amd64"), Error: func(error) {}}
		p, err := conf.Check(pkgPath, standard.fset, byPath[pkgPath], nil)
		if err != nil && !strings.Contains(files["a.go"], "// does not compile") {
			t.Fatal(err)
		}
		imported[pkgPath] = p
	}
	main := imported["example.com/main"]
	pkg := &load.Package{Path: main.Path(), Name: main.Name(), Fset: standard.fset, Files: byPath[main.Path()], Types: main}
	return &snippet{New(pkg, docs, &diag.List{})}
}

// check type-checks one file of package main.
func check(t testing.TB, text string) *snippet {
	t.Helper()
	return checkSource(t, map[string]string{"a.go": "package main\n" + text})
}

// typeOf returns the type of a declared type, variable or function parameter.
func (s *snippet) typeOf(t testing.TB, name string) types.Type {
	t.Helper()
	obj := s.pkg.Types.Scope().Lookup(name)
	if obj == nil {
		t.Fatalf("no declaration of %s", name)
	}
	return obj.Type()
}

// place returns the position of a declaration.
func (s *snippet) place(name string) diag.Place {
	return diag.Place{Pos: s.pkg.Fset.Position(s.pkg.Types.Scope().Lookup(name).Pos()), Subject: "tool X"}
}

// plan resolves a declaration, which must have a plan.
func (s *snippet) plan(t testing.TB, name string) *model.Type {
	t.Helper()
	p := s.Type(s.typeOf(t, name), Anywhere, s.place(name))
	if p == nil {
		t.Fatalf("%s has no plan:\n%s", name, s.printed())
	}
	return p
}

// printed returns all diagnostics as they are shown.
func (s *snippet) printed() string {
	var b strings.Builder
	diag.Print(&b, s.diags, "")
	return b.String()
}

// testDocs finds comments by the line of the declaration.
type testDocs struct {
	comments map[docKey]string
	consts   map[string]map[string]ast.Expr // by file and name
}

func (d testDocs) Constraint(types.Object, string) string { return "" }

func (d testDocs) Elsewhere(*types.Package, string) bool { return false }

func (d testDocs) Constant(k *types.Const) ast.Expr {
	return d.consts[standard.fset.Position(k.Pos()).Filename][k.Name()]
}

type docKey struct {
	file string
	line int
	name string
}

func (d testDocs) Of(obj types.Object) string {
	at := standard.fset.Position(obj.Pos())
	return d.comments[docKey{at.Filename, at.Line, obj.Name()}]
}

func (d testDocs) Directives(*types.TypeName) *directive.Set { return nil }

func (d testDocs) Position(obj types.Object) token.Position { return standard.fset.Position(obj.Pos()) }

func (d testDocs) add(fset *token.FileSet, file *ast.File) {
	d.consts[fset.Position(file.FileStart).Filename] = load.ConstantsOf(file)
	set := func(n *ast.Ident, groups ...*ast.CommentGroup) {
		at := fset.Position(n.Pos())
		for _, g := range groups {
			if text := strings.TrimSpace(g.Text()); text != "" {
				d.comments[docKey{at.Filename, at.Line, n.Name}] = text
				return
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok && len(n.Specs) == 1 {
					set(ts.Name, n.Doc)
				}
			}
		case *ast.TypeSpec:
			set(n.Name, n.Doc, n.Comment)
		case *ast.ValueSpec:
			set(n.Names[0], n.Doc, n.Comment)
		case *ast.Field:
			if len(n.Names) > 0 {
				set(n.Names[0], n.Doc, n.Comment)
			}
		}
		return true
	})
}

// params returns the arguments object of a function, with every parameter as an argument.
func (s *snippet) params(t testing.TB, name string, sig *types.Signature) *model.Type {
	t.Helper()
	object := &model.Type{Kind: model.Struct}
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		at := diag.Place{Pos: s.pkg.Fset.Position(v.Pos()), Subject: "tool " + name + ": argument " + v.Name()}
		f := s.Param(v.Name(), v.Type(), sig.Variadic() && i == sig.Params().Len()-1, at)
		if f == nil {
			t.Fatalf("no field for %s:\n%s", v.Name(), s.printed())
		}
		object.Fields = append(object.Fields, f)
	}
	return object
}

// inputText returns the schema of the values that the generated decoder accepts for a plan.
func inputText(t *model.Type) string { return Marshal(render(base(t), false, false)) }

// outputText returns the schema of the values that the generated encoder writes for a plan.
func outputText(t *model.Type) string { return Marshal(render(base(t), true, false)) }
