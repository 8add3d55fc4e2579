package load

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// toolLog names the file to which the test binary writes its command lines when the go command
// starts it in place of a tool.
const toolLog = "MCPGEN_TEST_TOOL_LOG"

func TestMain(m *testing.M) {
	if log := os.Getenv(toolLog); log != "" && len(os.Args) > 1 && filepath.IsAbs(os.Args[1]) {
		runTool(log, os.Args[1:])
	}
	os.Exit(m.Run())
}

func runTool(log string, args []string) {
	if at := slices.Index(args, "-p"); at > 0 && at+1 < len(args) && strings.HasPrefix(filepath.Base(args[0]), "compile") {
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, args[at+1])
		_ = f.Close()
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// compiling loads patterns and returns the compiled packages, in order.
func compiling(t *testing.T, dir string, patterns ...string) ([]*Package, []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	pkgs, diags, err := Load(t.Context(), Config{Dir: dir, Env: offline("GOFLAGS=-mod=mod -toolexec="+self, toolLog+"="+log), Patterns: patterns})
	if err != nil || diags.Len() > 0 {
		t.Fatalf("%v\n%s", err, printed(diags, dir))
	}
	content, _ := os.ReadFile(log) // the file does not exist if nothing was compiled
	compiled := strings.Fields(string(content))
	slices.Sort(compiled)
	return pkgs, compiled
}

// own makes a module with a new name, so that no package of it is compiled yet.
func own(t *testing.T, archive string) (dir, module string) {
	t.Helper()
	dir = t.TempDir()
	module = "example.com/" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, dir)
	unpack(t, dir, "-- go.mod --\nmodule "+module+"\ngo 1.26\n"+strings.ReplaceAll(archive, "MODULE", module))
	return dir, module
}

// edited inserts a word into every comment "edit" of a directory.
func edited(t *testing.T, dir, word string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(content), "edit", "edit "+word)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompiled counts the packages that the go command compiles after changes to comments and
// bodies of packages that are read as source.
func TestCompiled(t *testing.T) {
	const dep = "-- dep/dep.go --\npackage dep\n// D is.\ntype D struct{ A int }\n"
	const api = "-- api/api.go --\n// Package api is edit.\npackage api\nimport \"MODULE/dep\"\n// F does edit.\n//mcp:tool\nfunc F(d dep.D) int { return len(\"edit\") }\n"
	for _, test := range []struct {
		name, archive string
		patterns      []string
		first         []string // compiled at first, below the module
		again         []string // compiled after an edit
	}{
		{"one", dep + api, []string{"./api"}, []string{"api", "dep"}, nil},
		{"an import by a name, by a dot, for its effect", dep + `
-- api/a.go --
package api
import (
	. "MODULE/dep"
	other "MODULE/dep"; _ "MODULE/dep"
)
// F does edit.
//mcp:tool
func F(d D, o other.D) {}
`, []string{"./api"}, []string{"api", "dep"}, nil},
		{"several, one of which imports another", dep + api + `
-- more/more.go --
package more
import ("MODULE/api"; "MODULE/dep")
// G does edit.
//mcp:tool
func G(d dep.D) int { return api.F(d) }
`, []string{"./..."}, []string{"api", "dep", "more"}, nil},
		{"a package of //mcp:from", dep + api + `
-- more/more.go --
// Package more is.
//
//mcp:from MODULE/api
package more
// edit
`, []string{"./more"}, []string{"api", "dep", "more"}, nil},
		{"main, with its settings and files of other systems", dep + `
-- api/main_linux.go --
//go:build linux

//go:debug panicnil=1

package main
import "MODULE/dep"
// F does edit.
//mcp:tool
func F(d dep.D) {}
func main() { F(dep.D{}); println("edit") }
-- api/main_other.go --
//go:build !linux

//go:debug panicnil=1

package main
import "MODULE/dep"
// F does edit.
//mcp:tool
func F(d dep.D) {}
func main() { F(dep.D{}); println("edit") }
-- api/program.go --
//go:build ignore

package other
func main() {}
-- api/f_test.go --
package main
func broken( {
`, []string{"./api"}, []string{"api", "dep"}, nil},
		{"embedded files", dep + `
-- api/a.go --
package api
import (
	"embed"
	"MODULE/dep"
)
// edit
var (
	//go:embed *.txt
	// all of them
	texts embed.FS
	//go:embed "a b.txt"
	//go:embed ` + "`b.txt`" + `
	both, more = embed.FS{}, dep.D{}
)
//mcp:tool
func F(d dep.D) {}
-- api/b.go --
package api
import _ "embed"
import "MODULE/dep"
//go:embed b.txt
var b string // edit
var _ dep.D
-- api/a b.txt --
-- api/b.txt --
`, []string{"./api"}, []string{"api", "dep"}, nil},
		{"a generated file by others, and one of ours", dep + api + `
-- api/other_gen.go --
// Code generated by other edit. DO NOT EDIT.
package api
var G = F
-- api/mcp_gen.go --
// Code generated by mcpgen. DO NOT EDIT.
package api
import "no/such/package"
`, []string{"./api"}, []string{"api", "dep"}, nil},
		{"assembly", dep + api + "-- api/f.s --\n", []string{"./api"}, []string{"api", "dep"}, []string{"api"}},
		{"an object", dep + api + "-- api/f_plan9_arm.syso --\n", []string{"./api"}, []string{"api", "dep"}, []string{"api"}},
		{"a package that another one imports, which is compiled", dep + api + `
-- between/b.go --
package between
import ("MODULE/api"; "MODULE/dep")
func G(d dep.D) api.T { return api.T(api.F(d)) }
-- api/t.go --
package api
type T int
-- more/more.go --
package more
import "MODULE/between"
import "MODULE/api"
// G does edit.
//mcp:tool
func G() api.T { return between.G(struct{ A int }{}) }
`, []string{"./api", "./more"}, []string{"api", "api", "between", "between", "dep", "more"}, []string{"api", "between", "more"}}, // more is compiled from its head, since its import has changed
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, module := own(t, test.archive)
			below := func(compiled []string) []string {
				var kept []string
				for _, path := range compiled {
					if rest, ok := strings.CutPrefix(path, module+"/"); ok {
						kept = append(kept, rest)
					} else if path == "main" {
						kept = append(kept, "api")
					}
				}
				slices.Sort(kept)
				return kept
			}
			_, compiled := compiling(t, dir, test.patterns...)
			if got := below(compiled); !slices.Equal(got, test.first) {
				t.Errorf("at first: %v", got)
			}
			edited(t, dir, "again")
			pkgs, compiled := compiling(t, dir, test.patterns...)
			got := below(compiled)
			if test.again != nil {
				got = slices.Compact(got)
			}
			if !slices.Equal(got, test.again) {
				t.Errorf("after an edit: %v", got)
			}
			for _, p := range pkgs {
				if len(p.Errors) > 0 {
					t.Errorf("%s: %v", p.Path, p.Errors)
				}
				for _, name := range p.Types.Scope().Names() {
					if InvalidIn(p.Types.Scope().Lookup(name).Type()) {
						t.Errorf("%s.%s is invalid", p.Path, name)
					}
				}
			}
		})
	}
}

// TestErrorsOfHeads checks that errors in the source are reported as without heads, except errors
// that only the compiler finds, and their positions.
func TestErrorsOfHeads(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com/m
go 1.26
-- empty.json --
{"Replace": {}}
-- types/a.go --
package types
import (
	"fmt"
	"strings"

	"example.com/m/missing"
	x "no.such/module"
)
//mcp:tool
func F(u Undefined, m missing.T, y x.Y) int { return "text" }
//mcp:tool
func G() error { unused := 1; return RegisterMCP(fmt.Sprint) }
-- syntax/a.go --
package syntax
//mcp:tool
func F( {
-- syntax/b.go --
package syntax
import "example.com/m/missing"
var B missing.T
-- imports/a.go --
package imports
import "fmt
func F() {}
-- clause/a.go --
package clause
func F() {}
-- clause/b.go --
package other
-- embeds/a.go --
package embeds
import (
	_ "embed"
)

// Text is.
//
//go:embed *.none
var Text string
-- nomain/a.go --
package main
func F() {}
-- body/a.go --
package body
func F(a int) int
-- cycle/a.go --
package cycle
import "example.com/m/round"
var A = round.B
-- round/b.go --
package round
import "example.com/m/cycle"
var B = cycle.A
-- hidden/a.go --
package hidden
import "example.com/m/types/internal/deep"
var A deep.T
-- types/internal/deep/a.go --
package deep
type T int
-- debug/a.go --
//go:debug nonsense=1

package main
func main() {}
-- version/a.go --
//go:build go1.999

package version
-- constraint/a.go --
//go:build linux &&

package constraint
`)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	state := func(pattern, flags string) string {
		pkgs, diags, err := Load(t.Context(), Config{Dir: dir, Env: offline("GOFLAGS=-mod=mod " + flags), Patterns: []string{pattern}})
		text := fmt.Sprintf("%v\n%s", err, printed(diags, dir))
		for _, p := range pkgs {
			text += fmt.Sprintln(p.Path, fileNames(p))
			for _, name := range p.Types.Scope().Names() {
				text += fmt.Sprintln(p.Types.Scope().Lookup(name))
			}
			for _, e := range p.Errors {
				if e.Kind != packages.ListError || !strings.HasPrefix(e.Msg, "# ") {
					text += fmt.Sprintln(e.Kind, e)
				}
			}
			for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
				text += fmt.Sprintln(path, p.Imports[path].Errors)
			}
		}
		return text
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		with, without := state("./"+e.Name(), ""), state("./"+e.Name(), "-overlay=empty.json")
		if with != without {
			t.Errorf("%s: got\n%s\nwant\n%s", e.Name(), with, without)
		}
	}
}

// TestHead compares the heads that the go command reads. A comment above the package clause stays a
// comment, since a constraint counts only if an empty line follows.
func TestHead(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"the least", "package p", "package p;\n"},
		{"lines and columns", "// Copyright\n\n// Package p is.\npackage p // p\n\nimport (\n\t\"fmt\"\n\tx \"strings\" // text\n)\n\nfunc F() {}\n", "//\n\n//\npackage p;\n\nimport (\n _\"fmt\";\n _\"strings\";\n);\n"},
		{"one line", "package p; import \"a\"; import . \"b\"; var x = 1", "package p; import _\"a\";import _\"b\";\n"},
		{"constraints", "//go:build linux && !cgo\n// +build linux,!cgo\n\npackage p\n", "//go:build linux && !cgo\n// +build linux,!cgo\n\npackage p;\n"},
		{"no constraint", "// +build linux\n// Package p is.\npackage p\n", "// +build linux\n//\npackage p;\n"},
		{"a block", "/* Copyright\n//go:build linux\n*/\n\npackage p\n", "/*\n\n*/\n\npackage p;\n"},
		{"a byte order mark", "\ufeffpackage p\nimport \"a\"\n", "   package p;\nimport _\"a\";\n"},
		{"carriage returns", "//go:build x\r\n\r\npackage p\r\nimport \"a\"\r\n", "//go:build x\n\npackage p;\nimport _\"a\";\n"},
		{"main", "package main\n\n// main is.\nfunc main() {\n\tF()\n}\n\nfunc F() {}\n", "package main;\nfunc main() {}\n"},
		{"no main", "package p\nfunc main() {}\nfunc (T) main() {}\n", "package p;\n"},
		{"lines of another file", "package p\n\n//line other.y:100\nimport \"a\"\n", "package p;\n\n\nimport _\"a\";\n"},
		{"embed", "package p\nimport \"embed\"\n//go:embed a\n//go:embed b\n\n// X is.\nvar X embed.FS\n", "package p;\nimport embed\"embed\";\n//go:embed a\n//go:embed b\nvar embedded3_5 embed.FS\nvar embedded3_0 embed.FS\n"},
		{"embed without its import", "package p\n//go:embed a\nvar X string\n", "package p;\n"},
		{"embed, twice", "package p\nimport e \"embed\"\nimport _ \"embed\"\n", "package p;\nimport embed\"embed\";\nimport _\"embed\";\nvar embedded3_0 embed.FS\n"},
		{"C", "package p\nimport \"C\"\n", ""},
		{"an error of the syntax", "package p\nfunc F( {}\n", ""},
	} {
		if got := string(newParsedFiles().head("p.go", []byte(test.src), 3)); got != test.want {
			t.Errorf("%s: got\n%q, want\n%q", test.name, got, test.want)
		}
	}
}
