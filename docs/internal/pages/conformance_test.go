package pages_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// assertion is a test, or a section of a conversation, that asserts a statement.
type assertion struct {
	name, file string // file from the root of the repository
}

// The page of conformance matches the table of statements, and the tests that assert them by calls
// of spec.Holds. Each statement has a test, or a reason for its absence.
func TestConformance(t *testing.T) {
	statements, err := spec.Statements()
	if err != nil {
		t.Fatal(err)
	}
	assertions := assertionsOf(t)
	held, sections := 0, []string(nil)
	for i, s := range statements {
		if want := fmt.Sprintf("S%03d", i+1); s.ID != want {
			t.Errorf("statement %s is where %s is expected", s.ID, want)
		}
		if len(assertions[s.ID]) == 0 && s.Reason == "" {
			t.Errorf("%s has neither a test nor a reason: %s", s.ID, s.Text)
		}
		if len(assertions[s.ID]) > 0 {
			held++
		}
		if !slices.Contains(sections, s.Section) {
			sections = append(sections, s.Section)
		}
	}
	for id, where := range assertions {
		if !slices.ContainsFunc(statements, func(s spec.Statement) bool { return s.ID == id }) {
			t.Errorf("there is no statement %s, which %v say that they hold", id, where)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d statements: %d have tests, %d a reason alone.\n", len(statements), held, len(statements)-held)
	for _, section := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n", section)
		for _, s := range statements {
			if s.Section != section {
				continue
			}
			fmt.Fprintf(&b, "- **%s**, %s, %s: %s\n  %s\n", s.ID, s.Level, s.Revisions, s.Text, heldBy(assertions[s.ID], s.Reason))
		}
	}
	const page, mark = "docs/decide/conformance.md", "<!-- What follows is generated: go test ./docs/internal/pages -update -->\n\n"
	head, rest, ok := strings.Cut(read(t, page), mark)
	switch {
	case !ok:
		t.Fatalf("%s has no line %q", page, mark)
	case rest == b.String():
	case *update:
		if err := os.WriteFile(filepath.Join(root(t), page), []byte(head+mark+b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not that of the tests; go test ./docs/internal/pages -run Conformance -update writes it", page)
	}
}

// heldBy names the tests of a statement, and the reason why they do not assert all of it. Sections
// of one conversation, "calls: 2025-03-26" and "calls: 2025-06-18", share one link.
func heldBy(tests []assertion, reason string) string {
	var b strings.Builder
	if len(tests) > 0 {
		b.WriteString("Tests: ")
	}
	conversation := ""
	for i, a := range tests {
		name, section, ok := strings.Cut(a.name, ": ")
		switch {
		case ok && a.file == conversation:
			fmt.Fprintf(&b, ", %s", section)
			continue
		case i > 0:
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "[%s](../../%s)", name, a.file)
		conversation = ""
		if ok {
			conversation = a.file
			fmt.Fprintf(&b, ": %s", section)
		}
	}
	if len(tests) > 0 && reason != "" {
		b.WriteString("; ")
	}
	return b.String() + reason
}

// assertionsOf returns the tests that assert each statement, in the order of files.
func assertionsOf(t *testing.T) map[string][]assertion {
	assertions := map[string][]assertion{}
	add := func(id string, h assertion) {
		if !slices.Contains(assertions[id], h) {
			assertions[id] = append(assertions[id], h)
		}
	}
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root(t)+string(filepath.Separator)))
		switch {
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			return assertionsInGo(t, path, func(id, function string) { add(id, assertion{function, name}) })
		case strings.HasSuffix(path, ".txtar") && strings.HasPrefix(name, "testdata/conversations/"):
			return assertionsInConversation(path, func(id, section string) {
				add(id, assertion{strings.TrimSuffix(d.Name(), ".txtar") + ": " + section, name})
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return assertions
}

// assertionsInGo finds the calls of spec.Holds in a file of tests. Each is in a test, or in a
// function that the package's tests use.
func assertionsInGo(t *testing.T, path string, add func(id, function string)) error {
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), "spec.Holds(") {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(function, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || selector.Sel.Name != "Holds" {
				return true
			}
			if x, ok := selector.X.(*ast.Ident); !ok || x.Name != "spec" || len(call.Args) < 2 {
				return true
			}
			name := function.Name.Name
			if !strings.HasPrefix(name, "Test") && !used(t, filepath.Dir(path), name) {
				t.Errorf("%s: %s holds statements, and nothing calls it", path, name)
			}
			for _, arg := range call.Args[1:] {
				literal, ok := arg.(*ast.BasicLit)
				if !ok {
					t.Errorf("%s: %s: an id of a statement is not a literal", path, name)
					continue
				}
				id, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
				add(id, name)
			}
			return true
		})
	}
	return nil
}

// used reports whether a function is used outside of its declaration.
func used(t *testing.T, dir, name string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	word, n := regexp.MustCompile(`\b`+name+`\b`), 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if !strings.HasPrefix(strings.TrimSpace(line), "//") {
				n += len(word.FindAllString(line, -1))
			}
		}
	}
	return n > 1
}

var heldInConversation = regexp.MustCompile(`(?m)^# holds:((?: S\d{3})+)$`)

// assertionsInConversation finds the comments of conversations that name statements, which the
// messages after them assert.
func assertionsInConversation(path string, add func(id, section string)) error {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return err
	}
	for _, section := range archive.Files {
		for _, m := range heldInConversation.FindAllStringSubmatch(string(section.Data), -1) {
			for id := range strings.FieldsSeq(m[1]) {
				add(id, section.Name)
			}
		}
		if n := strings.Count(string(section.Data), "holds:"); n != len(heldInConversation.FindAllString(string(section.Data), -1)) {
			return fmt.Errorf("%s: %s: a line with holds: that is not understood", path, section.Name)
		}
	}
	return nil
}
