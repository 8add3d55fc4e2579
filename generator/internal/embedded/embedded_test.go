package embedded_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/embedded"
)

// TestFiles compares the files of random trees and patterns with those that the go command lists.
func TestFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names and links of the trees are not possible")
	}
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/m\n\ngo 1.26\n")
	const trees = 150
	r := rand.New(rand.NewPCG(1, 2))
	patterns := map[string][]string{}
	for i := range trees {
		name := fmt.Sprintf("p%03d", i)
		dir := filepath.Join(root, name)
		grow(t, r, dir, 3)
		for range 1 + r.IntN(2) {
			patterns[name] = append(patterns[name], randomPattern(r, dir))
		}
		write(t, dir, "p.go", "package p\n\nimport \"embed\"\n\n//go:embed "+strings.Join(patterns[name], " ")+"\nvar files embed.FS\n")
	}
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,EmbedFiles,Error,DepsErrors", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	same, refused := 0, 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			ImportPath string
			EmbedFiles []string
			Error      *struct{ Err string }
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(p.ImportPath)
		if patterns[name] == nil {
			continue // a package inside of a tree
		}
		dir := filepath.Join(root, name)
		tree, err := embedded.Files(dir, patternsOf(t, dir))
		if p.Error != nil {
			var e *embedded.Error
			if refused++; !errors.As(err, &e) || e.Hint == "" {
				t.Errorf("%s %q: %v, and the go command says %s", name, patterns[name], err, p.Error.Err)
			}
			continue
		}
		slices.Sort(p.EmbedFiles)
		if same++; err != nil || !slices.Equal(tree.Files, slices.Compact(p.EmbedFiles)) {
			t.Errorf("%s %q: %v, %v, want %q", name, patterns[name], tree, err, p.EmbedFiles)
		}
	}
	if same < trees/4 || refused < trees/20 {
		t.Errorf("%d packages embed files, and %d are refused: the trees test nothing", same, refused)
	}
}

// names are the names of files and directories in the trees.
var (
	names = []string{"a", "b", "SKILL.md", ".c", "_d", "x.md", "A", "h", "e f", "é", ".git"}
	bad   = []string{"con.x", "q?", "v.", "[g]", "..."}
)

func grow(t *testing.T, r *rand.Rand, dir string, depth int) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for range 1 + r.IntN(5) {
		name := names[r.IntN(len(names))]
		if r.IntN(50) == 0 {
			name = bad[r.IntN(len(bad))]
		}
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		switch k := r.IntN(10); {
		case depth > 0 && k < 5:
			grow(t, r, path, depth-1)
		case k == 9:
			if err := os.Symlink("a", path); err != nil {
				t.Fatal(err)
			}
		default:
			write(t, dir, name, "x")
		}
	}
	if depth < 3 && r.IntN(12) == 0 {
		write(t, dir, "go.mod", "module example.com/inner\n")
	}
}

func randomPattern(r *rand.Rand, dir string) string {
	var all []string
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); err == nil {
			all = append(all, filepath.ToSlash(rel))
		}
		return nil
	})
	p := all[r.IntN(len(all))]
	switch r.IntN(6) {
	case 0:
		p = "all:" + p
	case 1:
		p = "*"
	case 2:
		p = "a*"
	}
	return fmt.Sprintf("%q", p)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// patternsOf reads the patterns of the last variable of a package.
func patternsOf(t *testing.T, dir string) []embedded.Pattern {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filepath.Join(dir, "p.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	last := f.Decls[len(f.Decls)-1].(*ast.GenDecl)
	all, err := embedded.Patterns(f, last.Specs[len(last.Specs)-1].(*ast.ValueSpec))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPatterns takes the directives between a variable and the declaration before it.
func TestPatterns(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p.go", `package p

import "embed"

//go:embed a
var a embed.FS

//go:embed b "c d"

// Comment.
//
//go:embed `+"`e f`"+` all:g
var (
	//go:embed h
	h embed.FS

	//go:embed i // j
	i embed.FS
)
`)
	var got []string
	for _, p := range patternsOf(t, dir) {
		got = append(got, p.Text)
	}
	if want := []string{"i", "//", "j"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	write(t, dir, "p.go", "package p\n\nimport \"embed\"\n\nvar x int\n\n//go:embed b \"c d\"\n\n//go:embed `e f` all:g\nvar a embed.FS\n")
	got = nil
	for _, p := range patternsOf(t, dir) {
		got = append(got, p.Text)
	}
	if want := []string{"b", "c d", "e f", "all:g"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRoot finds the directory that patterns have in common, whatever their wildcards match.
func TestRoot(t *testing.T) {
	dir := t.TempDir()
	for _, skill := range []string{"skills/a", "skills/b/c", "more/d"} {
		write(t, filepath.Join(dir, skill), "SKILL.md", "x")
	}
	for patterns, want := range map[string]string{
		"skills": "skills", "all:skills": "skills", "skills/*": "skills", "skills/b": "skills/b", "skills/a skills/b": "skills",
		"skills more": ".", "*": ".", "skills/a/SKILL.md": "skills/a", "skills/*/SKILL.md": "skills", "skills skills/b": "skills",
	} {
		var all []embedded.Pattern
		for text := range strings.FieldsSeq(patterns) {
			all = append(all, embedded.Pattern{Text: text})
		}
		if tree, err := embedded.Files(dir, all); err != nil || tree.Root != want {
			t.Errorf("%s: %+v, %v, want %s", patterns, tree, err, want)
		}
	}
}
