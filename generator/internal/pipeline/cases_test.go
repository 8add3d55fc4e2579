package pipeline_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
)

// shopPath is the module path that archives use. Each archive becomes a module in one workspace,
// under a path of the same length, so that the go command runs once for all of them and columns
// stay the same.
const shopPath = "example.com/shop"

// shopCase is an archive as a module of the workspace.
type shopCase struct {
	name    string
	file    string // path of the archive
	archive *txtar.Archive
	dir     string
	alias   string // replaces shop in import paths
}

// localize replaces the module path of the archive by the path in the workspace.
func (c *shopCase) localize(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte(shopPath), []byte("example.com/"+c.alias))
}

// original reverses localize.
func (c *shopCase) original(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte(c.alias), []byte("shop"))
}

// part returns a file of the archive, and adds it if it is missing.
func (c *shopCase) part(name string) *txtar.File {
	for i := range c.archive.Files {
		if c.archive.Files[i].Name == name {
			return &c.archive.Files[i]
		}
	}
	c.archive.Files = append(c.archive.Files, txtar.File{Name: name})
	return &c.archive.Files[len(c.archive.Files)-1]
}

// golden compares a part of the archive with a text from the workspace.
func (c *shopCase) golden(t *testing.T, name string, got []byte) {
	t.Helper()
	got = c.original(got)
	switch part := c.part(name); {
	case bytes.Equal(part.Data, got):
	case *update:
		part.Data = got
		if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s: run the test with -update and look at the diff; got\n%s\nwant\n%s", name, got, part.Data)
	}
}

// shopCases writes the archives whose names match a pattern as a workspace, and returns its
// directory. Parts for which leaveOut returns true are not written.
func shopCases(t *testing.T, pattern string, leaveOut func(part string) bool) (dir string, cases []*shopCase) {
	t.Helper()
	archives, err := filepath.Glob(pattern)
	if err != nil || len(archives) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	dir = t.TempDir()
	for i, file := range archives {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		alias := fmt.Sprintf("z%03d", i)
		c := &shopCase{
			name: strings.TrimSuffix(filepath.Base(file), ".txtar"), file: file, archive: archive,
			alias: alias, dir: filepath.Join(dir, alias),
		}
		for _, part := range archive.Files {
			if !leaveOut(part.Name) {
				writeFile(t, filepath.Join(c.dir, filepath.FromSlash(part.Name)), c.localize(part.Data))
			}
		}
		cases = append(cases, c)
	}
	writeWorkspace(t, dir, cases)
	return dir, cases
}

// writeWorkspace writes go.work, and a go.mod for each module. They use the runtime of this
// repository.
func writeWorkspace(t *testing.T, dir string, cases []*shopCase) {
	t.Helper()
	root := repository(t)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := goLine.FindString(string(mod))
	work := version + "\n\nuse " + root + "\n"
	for _, c := range cases {
		work += "use ./" + c.alias + "\n"
		writeFile(t, filepath.Join(c.dir, "go.mod"), []byte("module example.com/"+c.alias+"\n\n"+version+"\n"))
	}
	writeFile(t, filepath.Join(dir, "go.work"), []byte(work))
}

var goLine = regexp.MustCompile(`(?m)^go .*$`)

// inWorkspace returns the environment of the go command for the directory of a workspace.
func inWorkspace(dir string) []string {
	return append(os.Environ(), "GOPROXY=off", "GOWORK="+filepath.Join(dir, "go.work"), "GOFLAGS=", "PWD="+dir)
}

// patterns returns patterns that match all packages of the modules of a workspace.
func patterns(cases []*shopCase) (list []string) {
	for _, c := range cases {
		list = append(list, "./"+c.alias+"/...")
	}
	return list
}

// loadedCase contains the packages of a case, and the diagnostics of loading them.
type loadedCase struct {
	packages []*load.Package
	reported *diag.List
}

// loadCases loads the modules of a workspace.
func loadCases(t *testing.T, dir string, cases []*shopCase) map[*shopCase]*loadedCase {
	t.Helper()
	pkgs, diags, err := load.Load(t.Context(), load.Config{Dir: dir, Env: inWorkspace(dir), Patterns: patterns(cases)})
	if err != nil {
		t.Fatal(err)
	}
	loaded := map[*shopCase]*loadedCase{}
	for _, c := range cases {
		loaded[c] = &loadedCase{reported: new(diag.List)}
		for _, p := range pkgs {
			if p.Module == "example.com/"+c.alias {
				loaded[c].packages = append(loaded[c].packages, p)
			}
		}
	}
	for _, d := range diags.All() {
		at := slices.IndexFunc(cases, func(c *shopCase) bool { return strings.HasPrefix(d.Pos.Filename, c.dir+string(filepath.Separator)) })
		if at < 0 {
			t.Fatalf("%s: %s", d.Pos, d.Text())
		}
		loaded[cases[at]].reported.Add(d)
	}
	return loaded
}

// said returns diagnostics as they are printed.
func said(list *diag.List, dir string) []byte {
	var b bytes.Buffer
	diag.Print(&b, list, dir)
	return b.Bytes()
}

// repository returns the directory of this module.
func repository(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
