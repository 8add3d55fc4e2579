package emit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// TestStable generates a package twice, the second time from its declarations in another order and
// in several files.
func TestStable(t *testing.T) {
	var cases []*testCase
	for _, c := range loadCases(t) {
		if c.name == "bookstore" || c.name == "shapes" {
			cases = append(cases, c)
		}
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := newSnippets(t, module).generate(t, c)
			shuffled := &testCase{file: c.file, name: c.name, archive: shuffle(t, c.archive)}
			if got := newSnippets(t, module).generate(t, shuffled); !bytes.Equal(got, want) {
				t.Errorf("the order of the source matters\n%s", got)
			}
		})
	}
}

// shuffle moves every declaration of the package to a separate file, the last one first.
func shuffle(t *testing.T, a *txtar.Archive) *txtar.Archive {
	t.Helper()
	fset := token.NewFileSet()
	text := string(a.Files[0].Data)
	f, err := parser.ParseFile(fset, a.Files[0].Name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	out := new(txtar.Archive)
	add := func(doc string, body string) {
		file := doc + "package " + f.Name.Name + "\n\n" + usedImports(f, body) + body + "\n"
		out.Files = append(out.Files, txtar.File{Name: fmt.Sprintf("f%03d.go", 999-len(out.Files)), Data: []byte(file)})
	}
	cut := func(from, to token.Pos) string { return text[fset.Position(from).Offset:fset.Position(to).Offset] }
	add(cut(f.Doc.Pos(), f.Package), "")
	for _, d := range f.Decls {
		from := d.Pos()
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			if d.Doc != nil {
				from = d.Doc.Pos()
			}
		case *ast.FuncDecl:
			if d.Doc != nil {
				from = d.Doc.Pos()
			}
		}
		add("", cut(from, d.End()))
	}
	return out
}

// usedImports returns the imports of a file that a declaration uses.
func usedImports(f *ast.File, body string) string {
	var s strings.Builder
	for _, spec := range f.Imports {
		path := spec.Path.Value
		name := strings.Trim(path[strings.LastIndex(path, "/")+1:], `"`)
		if strings.Contains(body, name+".") {
			s.WriteString("import " + path + "\n")
		}
	}
	return s.String()
}

// TestErrors covers models that contradict themselves.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"default", "//mcp:tool x\n//mcp:arg n default=\"a\"\nfunc X(n int) {}", "does not suit the type int"},
		{"range", "//mcp:tool x\n//mcp:arg n default=300\nfunc X(n int8) {}", "does not suit the type int8"},
		{"unsigned", "//mcp:tool x\n//mcp:arg n default=-1\nfunc X(n uint) {}", "does not suit the type uint"},
		{"not json", "//mcp:tool x\n//mcp:arg n default={\nfunc X(n int) {}", "is not JSON"},
		{"unknown field", "type P struct{ X int }\n//mcp:tool x\n//mcp:arg p default={\"Y\":1}\nfunc X(p P, n int) {}", "unknown field Y"},
		{"format", "//mcp:tool x\n//mcp:arg s format=color\nfunc X(s string) {}", `format "color" is not known`},
		{"predeclared", "type error int\n//mcp:tool x\nfunc X() {}", "declares error"},
		{"interface", "type S interface{ M() }\n//mcp:tool x\nfunc X(s S) {}", "is an interface and cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSnippets(t, module)
			p := s.check(t, module+"/x", map[string]string{"in.go": "package x\n\n" + c.source + "\n"})
			_, err := formatted(s.model(t, p), testSchemas)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

// thousand returns the source of a package with a thousand tools.
func thousand() string {
	var s strings.Builder
	s.WriteString("package big\n\nimport \"context\"\n\ntype Store struct{}\n")
	for i := range 1000 {
		fmt.Fprintf(&s, `
type In%[1]d struct {
	Query string   `+"`json:\"query\" t:\"minLength=1\"`"+`
	Tags  []string `+"`json:\"tags,omitempty\" t:\"maxItems=5\"`"+`
	Limit int      `+"`json:\"limit\" t:\"default=20;minimum=1;maximum=100\"`"+`
}

type Out%[1]d struct {
	ID    int64    `+"`json:\"id\"`"+`
	Title string   `+"`json:\"title\"`"+`
	Tags  []string `+"`json:\"tags,omitempty\"`"+`
}

//mcp:tool tool_%[1]d
func (s *Store) Tool%[1]d(ctx context.Context, in In%[1]d) ([]Out%[1]d, error) { return nil, nil }
`, i)
	}
	return s.String()
}

func BenchmarkThousandTools(b *testing.B) {
	t := new(testing.T)
	s := newSnippets(t, module)
	p := s.model(t, s.check(t, module+"/big", map[string]string{"in.go": thousand()}))
	b.ReportAllocs()
	for b.Loop() {
		out, err := formatted(p, testSchemas)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(out)))
	}
}

// TestBreakJSON breaks schemas over lines: no line is too long that could be shorter, and no text
// is lost.
func TestBreakJSON(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, c := range []struct{ name, json string }{
		{"short", `{"type":"object"}`},
		{"empty", ""},
		{"description", `{"description":"` + long + `"}`},
		{"escapes", `{"description":"a \"quoted\" word\n` + strings.Repeat(`\u0060 \\`, 30) + `"}`},
		{"properties", `{"type":"object","properties":{` + strings.Repeat(`"a":{"type":"string","description":"`+long+`","enum":["x","y"]},`, 5) +
			`"z":{"type":"array","items":{"type":"object","properties":{"b":{"description":"` + long + `"}},"required":["b"]}}},"required":["` +
			strings.Repeat(`name","`, 60) + `z"],"additionalProperties":false}`},
	} {
		lines := breakJSON(c.json, 30, 100)
		if got := strings.Join(lines, ""); got != c.json {
			t.Errorf("%s: got %s, want %s", c.name, got, c.json)
		}
		for i, line := range lines {
			if len(line) > 102 || i == 0 && len(line) > 72 {
				t.Errorf("%s: line %d has %d characters: %s", c.name, i+1, len(line), line)
			}
		}
	}
}

// TestNoTools generates a server without features.
func TestNoTools(t *testing.T) {
	s := newSnippets(t, module)
	p := s.model(t, s.check(t, module+"/x", map[string]string{"in.go": "// Package x is empty.\n//\n//mcp:server x\npackage x\n"}))
	source, err := formatted(p, testSchemas)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"func NewMCPServer(opts ...mcp.Option)", "func RegisterMCP(r mcp.Registrar) {}"} {
		if !strings.Contains(string(source), want) {
			t.Errorf("no %q in\n%s", want, source)
		}
	}
	if strings.Contains(string(source), "runtime/wire") {
		t.Errorf("an import that is not used:\n%s", source)
	}
}

// TestWords reads the package: the texts that jennifer gets are identifiers and operators. Function
// verbatim contains the few that are neither.
func TestWords(t *testing.T) {
	words := map[string]*regexp.Regexp{
		"Id":       regexp.MustCompile(`^\w*$`),
		"Op":       regexp.MustCompile(`^[^\w\s;,(){}\[\]]+$`),
		"verbatim": regexp.MustCompile("^(\\[]string|`|\\.)$"),
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	seen := map[string]int{}
	fset := token.NewFileSet()
	for _, name := range files {
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			word := ""
			switch f := call.Fun.(type) {
			case *ast.Ident:
				word = f.Name
			case *ast.SelectorExpr:
				word = f.Sel.Name
			}
			if words[word] == nil {
				return true
			}
			seen[word]++
			ast.Inspect(call.Args[0], func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err != nil || !words[word].MatchString(text) {
						t.Errorf("%s: %s(%s): jennifer has words for this", fset.Position(lit.Pos()), word, lit.Value)
					}
				}
				_, inner := n.(*ast.CallExpr)
				return !inner
			})
			return true
		})
	}
	if len(seen) != len(words) {
		t.Errorf("found %v", seen)
	}
}

// formatted prints a file and formats it.
func formatted(p *model.Package, s schemas) ([]byte, error) {
	printed, err := print(p, s)
	if err != nil {
		return nil, err
	}
	return printed.Format()
}
