package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator"
)

// settled is a package with its accepted and refused wrappers.
type settled struct {
	source           source
	dir              string
	name             string // of the package, and prefix of its tools if there are several packages
	all              *collected
	works            []*wrapper
	refused          map[*wrapper][]*generator.Diagnostic
	fixed            map[*wrapper][]*generator.Diagnostic // errors that //mcp:result fixed
	tools, receivers []string                             // names of the tools, and of the types that RegisterMCP takes
	bytes            int
	took             time.Duration
	warned           []generator.Diagnostic
	empty            map[*wrapper]bool // the tool works, but an argument or the result contains no data
}

// settle writes the wrappers, removes those that the generator refuses, and writes mcp_gen.go for
// the rest.
func settle(src source, parent string) (*settled, error) {
	all, err := collect(src)
	if err != nil {
		return nil, err
	}
	name := all.pkg.Name()
	dir := filepath.Join(parent, name)
	s := &settled{source: src, dir: dir, name: name, all: all, works: all.wrappers, refused: map[*wrapper][]*generator.Diagnostic{}, fixed: map[*wrapper][]*generator.Diagnostic{}}
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
		if !result.HasErrors() {
			source := result.Packages[0].Source
			s.bytes, s.warned = len(source), result.Diagnostics
			if s.tools, s.receivers, err = registered(source); err != nil {
				return nil, err
			}
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

// unnamed is the message about several results without names, and aResult the subject of errors
// about one result, with the name from a directive.
var (
	unnamed = regexp.MustCompile(`^result \d+ of \d+ has no name`)
	aResult = regexp.MustCompile(`: result(?: (\w+))?$`)
)

// nameResults changes the //mcp:result of a wrapper as its errors advise, and reports whether it
// changed. It numbers unnamed results, omits results that JSON cannot express, and takes the
// success member of a struct with a member for each status.
func (w *wrapper) nameResults(diags []*generator.Diagnostic) bool {
	before := w.result
	for _, d := range diags {
		switch group := aResult.FindStringSubmatch(d.Subject); {
		case unnamed.MatchString(d.Message):
			var names []string
			for i := range values(w.fn.Signature()) {
				names = append(names, "result"+strconv.Itoa(i+1))
			}
			w.result = strings.Join(names, " ")
			return w.result != before
		case group == nil:
			return false
		case group[1] != "":
			words := strings.Fields(w.result)
			if at := slices.Index(words, group[1]); at >= 0 {
				words[at] = "_"
			}
			w.result = strings.Join(words, " ")
		case w.result == "":
			w.result = cmp.Or(success(w.fn.Signature()), "_")
		}
	}
	return w.result != before
}

// values returns the types of the results other than the error.
func values(sig *types.Signature) (out []types.Type) {
	for v := range sig.Results().Variables() {
		if !types.Identical(v.Type(), types.Universe.Lookup("error").Type()) {
			out = append(out, v.Type())
		}
	}
	return out
}

// success returns the first result member for status 2xx, named like oapi-codegen names it, or "".
func success(sig *types.Signature) string {
	for _, t := range values(sig) {
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for f := range st.Fields() {
			if strings.HasPrefix(f.Name(), "JSON2") {
				return f.Name()
			}
		}
	}
	return ""
}

// leaveOut removes the wrappers with errors, except those that a directive fixes.
func (s *settled) leaveOut(file string, diags []generator.Diagnostic) error {
	where, err := places(file)
	if err != nil {
		return err
	}
	found := map[*wrapper][]*generator.Diagnostic{}
	for i := range diags {
		d := &diags[i]
		if d.Warning {
			continue
		}
		w := s.at(where, d)
		if w == nil || d.Hint == "" {
			return fmt.Errorf("an error at no wrapper, or without advice: %s: %s (%s)", d.Pos, d.Text(), d.Hint)
		}
		found[w] = append(found[w], d)
	}
	changed := false
	for w, list := range found {
		if w.nameResults(list) {
			if s.fixed[w] == nil {
				s.fixed[w] = list
			}
			changed = true
			continue
		}
		s.refused[w] = list
		if first := s.fixed[w]; first != nil {
			s.refused[w] = append(first, list...) // the directive was not enough
			delete(s.fixed, w)
		}
	}
	before := len(s.works)
	s.works = slices.DeleteFunc(slices.Clone(s.works), func(w *wrapper) bool { return s.refused[w] != nil })
	if len(s.works) == before && !changed {
		return fmt.Errorf("the same errors again: %s", diags[0].Text())
	}
	return nil
}

// at returns the wrapper that contains the position of a diagnostic, or nil.
func (s *settled) at(where map[string][2]int, d *generator.Diagnostic) *wrapper {
	for _, w := range s.works {
		span := where[w.declared()]
		if filepath.Base(d.Pos.Filename) == "tools.go" && span[0] <= d.Pos.Line && d.Pos.Line <= span[1] {
			return w
		}
	}
	return nil
}

// findEmpty records the wrappers that work, but whose arguments or results contain no data
// according to a warning.
func (s *settled) findEmpty(file string) error {
	where, err := places(file)
	s.empty = map[*wrapper]bool{}
	for i := range s.warned {
		d := &s.warned[i]
		if w := s.at(where, d); w != nil && strings.Contains(d.Message, "shows none of its fields") {
			s.empty[w] = true
		}
	}
	return err
}

// declared returns the name of a wrapper in the file.
func (w *wrapper) declared() string {
	if w.kind == handle || w.kind == contract {
		return w.recv.Obj().Name() + "." + w.name
	}
	return w.name
}

// places returns the first and the last line of every function, method and interface method of a
// file, including comments.
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

// registered returns the names of the tools of a generated file, and the types of the receivers of
// RegisterMCP, in order.
func registered(source []byte) (tools, receivers []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), "mcp_gen.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.Name != "RegisterMCP" {
				continue
			}
			for _, p := range d.Type.Params.List[1:] {
				typ := p.Type
				if star, ok := typ.(*ast.StarExpr); ok {
					typ = star.X
				}
				for range p.Names {
					receivers = append(receivers, typ.(*ast.Ident).Name)
				}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || !strings.HasPrefix(v.Names[0].Name, "mcpTool") || len(v.Values) != 1 {
					continue
				}
				name, err := toolName(v.Values[0])
				if err != nil {
					return nil, nil, err
				}
				tools = append(tools, name)
			}
		}
	}
	return tools, receivers, nil
}

// toolName returns the field Name of a mcp.ToolInfo.
func toolName(info ast.Expr) (string, error) {
	if address, ok := info.(*ast.UnaryExpr); ok {
		info = address.X
	}
	if lit, ok := info.(*ast.CompositeLit); ok {
		for _, e := range lit.Elts {
			if field, ok := e.(*ast.KeyValueExpr); ok && field.Key.(*ast.Ident).Name == "Name" {
				return strconv.Unquote(field.Value.(*ast.BasicLit).Value)
			}
		}
	}
	return "", errors.New("a description of a tool has no name")
}
