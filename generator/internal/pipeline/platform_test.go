package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

// TestPlatforms checks that the generated file does not name constants that only some builds
// include, and that a warning names all other such declarations.
func TestPlatforms(t *testing.T) {
	const main = `// Package shop sells.%s
package shop

import "example.com/shop/dep"

// Mode is how fast.%s
type Mode int

const (
	Slow Mode = iota
	Fast
)

// Set sets the mode.
//
//mcp:tool
//mcp:arg mode default=3
//mcp:arg who inject=caller
func Set(mode Mode, who string, both Both, far dep.Level) {}

// Wait waits.
//
//mcp:tool
func Wait(h *Handle, o dep.Options) {}
`
	files := map[string]string{
		"here.go": "//go:build !plan9\n\npackage shop\n\nimport \"context\"\n\nconst Turbo Mode = 3\n\n// Handle is one.\ntype Handle struct{ N int }\n\n" +
			"// Both is on all.\ntype Both struct{ N int }\n\nfunc caller(context.Context) string { return \"\" }\n",
		"there_plan9.go": "package shop\n\n// Both is on all.\ntype Both struct{ N int }\n\nconst Warp Mode = 4\n",
		"dep/dep.go":     "// Package dep has more.\npackage dep\n\n// Level is one.\ntype Level string\n\nconst (\n\tLow  Level = \"low\"\n\tHigh Level = \"high\"\n)\n",
		"dep/here.go":    "//go:build !plan9\n\npackage dep\n\nconst Top Level = \"top\"\n\n// Options are some.\ntype Options struct{ N int }\n",
		"dep/old.go":     "//go:build go1.20\n\npackage dep\n\nconst Old Level = \"old\"\n", // every build includes it
	}
	const values = `shop.go:7:6: warning: type Mode has values by constants of files with a build constraint (//go:build !plan9): Turbo=3; `
	for name, tt := range map[string]struct {
		comment, enum string
		want, without []string
	}{
		"said": {"", "",
			[]string{
				"here.go:7:7: warning: type Mode has values by constants of files with a build constraint (//go:build !plan9): Turbo=3; the contract has the values of this build [platform-type]\n" +
					"\thint: declare them for every build; //mcp:enum without=Turbo on the type leaves them out, with=Turbo confirms them",
				"warning: tool Set: type dep.Level has values by constants of files with a build constraint (//go:build !plan9): Top=\"top\"; ",
				"//mcp:enum example.com/shop/dep.Level off in the package comment accepts every value, without=Top leaves them out, closed confirms them",
				"here.go:10:6: warning: Handle: the generated file names it, and only a file with a build constraint declares it (//go:build !plan9)",
				"here.go:15:6: warning: caller: the generated file names it",
				"mcp_gen.go: warning: dep.Options: the generated file names it",
			},
			[]string{"Both:", "Old"},
		},
		"confirmed": {"\n//\n//mcp:enum dep.Level closed\n//mcp:ignore platform-type This program is for one system.", "\n//\n//mcp:enum with=Turbo", nil, []string{"warning"}},
		"other builds": {"\n//\n//mcp:enum dep.Level without=Top\n//mcp:ignore platform-type This program is for one system.", "\n//\n//mcp:enum with=Turbo without=Warp",
			nil, []string{"warning"}},
		"left out": {"", "\n//\n//mcp:enum without=Turbo", []string{"argument mode: default 3 is not one of the allowed values"}, []string{values}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "go.mod"), []byte("module example.com/shop\n\ngo 1.26.0\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\nreplace github.com/mcpgen/mcpgen => "+repository(t)+"\n"))
			sum, err := os.ReadFile(filepath.Join(repository(t), "go.sum"))
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, "go.sum"), sum)
			for file, text := range files {
				writeFile(t, filepath.Join(dir, file), []byte(text))
			}
			source := strings.Replace(strings.Replace(main, "sells.%s", "sells."+tt.comment, 1), "fast.%s", "fast."+tt.enum, 1)
			writeFile(t, filepath.Join(dir, "shop.go"), []byte(source))
			env := append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod", "PWD="+dir)
			res, err := pipeline.Generate(t.Context(), pipeline.Config{Dir: dir, Env: env, Patterns: []string{"."}})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			diag.Print(&b, res.Diagnostics, dir)
			for _, want := range tt.want {
				if !strings.Contains(b.String(), want) {
					t.Errorf("no %q in\n%s", want, &b)
				}
			}
			for _, other := range tt.without {
				if strings.Contains(b.String(), other) {
					t.Errorf("%q in\n%s", other, &b)
				}
			}
			if res.Diagnostics.HasErrors() {
				return
			}
			text := string(res.Packages[0].Source)
			if !strings.Contains(text, "mcpEnumMode = []Mode{3, Slow, Fast}") || strings.Contains(text, "Turbo") || strings.Contains(text, "dep.Top") || !strings.Contains(text, "dep.Old") {
				t.Errorf("wrong names in\n%s", text)
			}
		})
	}
}
