package pipeline_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/load"
)

const program = `
-- main.go --
package main

import (
	"context"
	"log"
	"time"
)

// Kind is a kind.
type Kind string

const (
	Big   Kind = "big"
	Small Kind = "small"
)

// Part is a part.
type Part struct {
	Name  string             ` + "`json:\"name\" jsonschema:\"minLength=1\"`" + `
	Kind  Kind               ` + "`json:\"kind\"`" + `
	Sizes []float64          ` + "`json:\"sizes,omitempty\"`" + `
	Tags  map[string]string  ` + "`json:\"tags,omitempty\"`" + `
	Born  time.Time          ` + "`json:\"born,omitzero\"`" + `
	Inner *Part              ` + "`json:\"inner,omitempty\"`" + `
}

// Turn turns parts around.
//
//mcp:tool
//mcp:arg times default=1 maximum=9
func Turn(ctx context.Context, parts []Part, times int) ([]Part, error) { return parts, nil }

func main() {
	if err := NewMCPServer().ServeStdio(context.Background()); err != nil {
		log.Fatal(err)
	}
}
`

// TestNoReflectionOnTheCallPath builds a generated program with counters in encoding/json and
// reflect and lets it answer few and many calls: no counter may depend on the number of calls. It
// runs only if MCPGEN_LONG is set in the environment.
func TestNoReflectionOnTheCallPath(t *testing.T) {
	if !long {
		t.Skip("builds parts of the standard library with counters: set MCPGEN_LONG")
	}
	dir := module(t, files(program))
	if _, err := generate(t, dir).Write(); err != nil {
		t.Fatal(err)
	}
	run := func(stdin string, env []string, args ...string) string {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(environment(dir), env...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("", nil, "go", "build", "-cover", "-covermode=atomic", "-coverpkg=example.com/shop,encoding/json,reflect", "-o", "shop", ".")
	counters := func(calls int) map[string]string {
		t.Helper()
		data := filepath.Join(dir, fmt.Sprint("counters", calls))
		if err := os.Mkdir(data, 0o755); err != nil {
			t.Fatal(err)
		}
		out := run(requests(calls), []string{"GOCOVERDIR=" + data}, filepath.Join(dir, "shop"))
		if got := strings.Count(out, `"structuredContent":`); got != calls {
			t.Fatalf("%d of %d calls were answered:\n%s", got, calls, out)
		}
		text := filepath.Join(dir, fmt.Sprint("counters", calls, ".txt"))
		run("", nil, "go", "tool", "covdata", "textfmt", "-i="+data, "-o="+text)
		return counts(t, text)
	}
	few, many := counters(2), counters(40)
	own := false
	for place, n := range few {
		if strings.HasPrefix(place, "example.com/shop/") {
			own = own || many[place] != n
			continue
		}
		if many[place] != n {
			t.Errorf("%s ran %s times for 2 calls and %s times for 40", place, n, many[place])
		}
	}
	for _, pkg := range []string{"encoding/json/", "reflect/"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(few)), func(place string) bool { return strings.HasPrefix(place, pkg) }) {
			t.Errorf("%s was not counted", pkg)
		}
	}
	if !own {
		t.Error("not even the generated code ran more often, so the counters prove nothing")
	}
	if len(few) == 0 || !maps.EqualFunc(few, many, func(string, string) bool { return true }) {
		t.Errorf("%d and %d places were counted", len(few), len(many))
	}
}

// TestNoReflectionInCodecs follows the calls of a generated file into package wire: none of the
// reachable functions uses package reflect or a function of encoding/json.
// TestNoReflectionOnTheCallPath also covers the rest of the runtime.
func TestNoReflectionInCodecs(t *testing.T) {
	res := generate(t, module(t, files(program)))
	if len(res.Packages) != 1 {
		t.Fatal(res.Diagnostics.All())
	}
	generated, err := parser.ParseFile(token.NewFileSet(), load.GeneratedFile, res.Packages[0].Source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	root := repository(t)
	pkgs, _, err := load.Load(t.Context(), load.Config{Dir: root, Env: append(os.Environ(), "GOWORK=off", "PWD="+root), Patterns: []string{"./runtime/wire"}})
	if err != nil {
		t.Fatal(err)
	}
	wire := pkgs[0]
	declared := map[types.Object]*ast.FuncDecl{}
	for _, f := range wire.Files {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				declared[wire.Info.Defs[fn.Name]] = fn
			}
		}
	}
	reached := map[string]bool{}
	var follow func(fn *types.Func)
	follow = func(fn *types.Func) {
		decl := declared[fn.Origin()]
		if name := fn.FullName(); decl == nil || reached[name] {
			return
		}
		reached[fn.FullName()] = true
		ast.Inspect(decl, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := wire.Info.Uses[id]
			if used, ok := used.(*types.Func); ok {
				follow(used)
			}
			if used == nil || used.Pkg() == nil {
				return true
			}
			if _, isFunc := used.(*types.Func); used.Pkg().Path() == "reflect" || used.Pkg().Path() == "encoding/json" && isFunc {
				t.Errorf("%s uses %s.%s", fn.FullName(), used.Pkg().Name(), used.Name())
			}
			return true
		})
	}
	ast.Inspect(generated, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, _ := s.X.(*ast.Ident)
		switch {
		case pkg == nil:
		case pkg.Name == "reflect", pkg.Name == "json" && s.Sel.Name != "RawMessage":
			t.Errorf("the generated file uses %s.%s", pkg.Name, s.Sel.Name)
		case pkg.Name == "wire":
			if fn, ok := wire.Types.Scope().Lookup(s.Sel.Name).(*types.Func); ok {
				follow(fn)
			}
		}
		// Methods of its decoders, encoders and objects.
		for _, name := range []string{"Decoder", "Encoder", "Object"} {
			if obj, ok := wire.Types.Scope().Lookup(name).(*types.TypeName); ok {
				method, _, _ := types.LookupFieldOrMethod(types.NewPointer(obj.Type()), true, wire.Types, s.Sel.Name)
				if method, ok := method.(*types.Func); ok {
					follow(method)
				}
			}
		}
		return true
	})
	if len(reached) < 100 {
		t.Errorf("only %d functions are reached", len(reached))
	}
}

func requests(calls int) string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	const part = `{"name":"a","kind":"big","sizes":[1,2.5],"tags":{"k":"v"},"born":"2026-01-02T03:04:05Z","inner":{"name":"b","kind":"small"}}`
	for i := range calls {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"turn","arguments":{"parts":[%s,%[2]s]}}}`+"\n", i+1, part)
	}
	return b.String()
}

// counts reads the text form of coverage: the number of runs of each place.
func counts(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]string{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) == 3 {
			places[fields[0]] = fields[2]
		}
	}
	return places
}
