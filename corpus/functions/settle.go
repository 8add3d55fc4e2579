package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator"
	"github.com/mcpgen/mcpgen/generator/diag"
	"github.com/mcpgen/mcpgen/generator/model"
)

// settled is a package of wrappers that the generator takes, and those that it does
// not.
type settled struct {
	source  source
	dir     string
	name    string // of the package, and of its tools where there are several packages
	all     *collected
	works   []*wrapper
	refused map[*wrapper][]*diag.Diagnostic
	mended  map[*wrapper][]*diag.Diagnostic // errors after which the advice to hide a variadic parameter was taken
	model   *model.Package
	bytes   int
	took    time.Duration
	warned  []*diag.Diagnostic
	empty   map[*wrapper]bool // works, and nothing of an argument or of the result travels
}

// settle writes the wrappers, leaves out what the generator refuses, and writes
// mcp_gen.go for the rest.
func settle(src source, parent string) (*settled, error) {
	all, err := collect(src)
	if err != nil {
		return nil, err
	}
	name := all.pkg.Name()
	dir := filepath.Join(parent, name)
	s := &settled{source: src, dir: dir, name: name, all: all, works: all.wrappers, refused: map[*wrapper][]*diag.Diagnostic{}, mended: map[*wrapper][]*diag.Diagnostic{}}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for len(s.works) > 0 {
		file := filepath.Join(dir, "tools.go")
		text, err := s.print(s.works)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return nil, err
		}
		if err != nil {
			return nil, err
		}
		began := time.Now()
		result, err := generator.Generate(context.Background(), generator.Config{Patterns: []string{"./" + dir}})
		if err != nil {
			return nil, err
		}
		s.took = time.Since(began)
		if !result.Diagnostics.HasErrors() {
			s.model, s.bytes, s.warned = result.Packages[0].Model, len(result.Packages[0].Source), result.Diagnostics.All()
			if src.make != "" {
				made := "package " + name + "\n" + src.make
				if err := os.WriteFile(filepath.Join(dir, "make.go"), []byte(made), 0o644); err != nil {
					return nil, err
				}
			}
			if err := s.findEmpty(file); err != nil {
				return nil, err
			}
			_, err := result.Write()
			return s, err
		}
		if err := s.leaveOut(file, result.Diagnostics); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// advice is what a hint says about the options of so many functions, which may be
// left out.
var advice = regexp.MustCompile(`//mcp:arg (\w+) omit, which passes none`)

// leaveOut takes the wrappers that have errors away, but for those that a directive
// mends.
func (s *settled) leaveOut(file string, diags *diag.List) error {
	where, err := places(file)
	if err != nil {
		return err
	}
	found := map[*wrapper][]*diag.Diagnostic{}
	before, taken := len(s.works), len(s.mended)
	for _, d := range diags.All() {
		if d.Severity != diag.Error {
			continue
		}
		w := s.at(where, d)
		if w == nil || d.Hint == "" {
			return fmt.Errorf("an error at no wrapper, or without advice: %s: %s (%s)", d.Pos, d.Text(), d.Hint)
		}
		found[w] = append(found[w], d)
	}
	for w, list := range found {
		if hint := advice.FindStringSubmatch(list[0].Hint); len(list) == 1 && hint != nil && s.mended[w] == nil {
			s.mended[w] = list
			w.omit = append(w.omit, hint[1])
			continue
		}
		s.refused[w] = list
		if first := s.mended[w]; first != nil {
			s.refused[w] = append(first, list...) // the advice was not enough
			delete(s.mended, w)
		}
	}
	s.works = slices.DeleteFunc(slices.Clone(s.works), func(w *wrapper) bool { return s.refused[w] != nil })
	if len(s.works) == before && len(s.mended) == taken {
		return fmt.Errorf("the same errors again: %s", diags.All()[0].Text())
	}
	return nil
}

// at is the wrapper in whose lines a diagnostic stands, nil if there is none.
func (s *settled) at(where map[string][2]int, d *diag.Diagnostic) *wrapper {
	for _, w := range s.works {
		span := where[w.declared()]
		if filepath.Base(d.Pos.Filename) == "tools.go" && span[0] <= d.Pos.Line && d.Pos.Line <= span[1] {
			return w
		}
	}
	return nil
}

// findEmpty notes the wrappers that work, of which the generator has said that they
// say nothing.
func (s *settled) findEmpty(file string) error {
	where, err := places(file)
	s.empty = map[*wrapper]bool{}
	for _, d := range s.warned {
		if w := s.at(where, d); w != nil && strings.Contains(d.Message, "shows none of its fields") {
			s.empty[w] = true
		}
	}
	return err
}

// declared is the name of a wrapper in the file.
func (w *wrapper) declared() string {
	if w.kind == handle || w.kind == contract {
		return w.recv.Obj().Name() + "." + w.name
	}
	return w.name
}

// places are the first and the last line of every function, method and interface
// method of a file, comments included.
func places(name string) (map[string][2]int, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	spans := map[string][2]int{}
	span := func(name string, node ast.Node, doc *ast.CommentGroup) {
		from := node.Pos()
		if doc != nil {
			from = doc.Pos()
		}
		spans[name] = [2]int{fset.Position(from).Line, fset.Position(node.End()).Line}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			span(receiverName(decl)+decl.Name.Name, decl, decl.Doc)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				t, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				iface, ok := t.Type.(*ast.InterfaceType)
				if !ok {
					continue
				}
				for _, m := range iface.Methods.List {
					span(t.Name.Name+"."+m.Names[0].Name, m, m.Doc)
				}
			}
		}
	}
	return spans, nil
}

func receiverName(decl *ast.FuncDecl) string {
	if decl.Recv == nil {
		return ""
	}
	t := decl.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	if index, ok := t.(*ast.IndexListExpr); ok {
		t = index.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "."
	}
	return ""
}
