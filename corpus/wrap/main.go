// Wrap generates a package with a tool for every exported struct of another package: the struct is
// the argument and the result of its tool. It lists and skips structs that the generator refuses.
// The script corpus/run runs it.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/format"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator"
)

func main() {
	name := flag.String("name", "", "name of the package that is written to out/")
	path := flag.String("package", "", "import path of the package whose structs are wrapped")
	flag.Parse()
	if err := run(*name, *path); err != nil {
		fmt.Fprintln(os.Stderr, "wrap:", err)
		os.Exit(1)
	}
}

// wrapped is one type with its tool.
type wrapped struct {
	name   string // of the type
	object bool   // its JSON is an object of its fields
}

func run(name, path string) error {
	pkg, err := load(path)
	if err != nil {
		return err
	}
	all := structs(pkg)
	refused := map[string]string{}
	dir := filepath.Join("out", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for round := 1; ; round++ {
		left := slices.DeleteFunc(slices.Clone(all), func(w wrapped) bool { return refused[w.name] != "" })
		if err := write(dir, name, path, pkg, left); err != nil {
			return err
		}
		began := time.Now()
		result, err := generator.Generate(context.Background(), generator.Config{Patterns: []string{"./" + dir}})
		if err != nil {
			return err
		}
		took := time.Since(began)
		if !result.HasErrors() {
			written, err := result.Write()
			if err != nil {
				return err
			}
			return report(name, path, all, left, refused, result, written, took, round)
		}
		before := len(refused)
		for _, d := range result.Diagnostics {
			if d.Warning {
				continue
			}
			typ := toolOf(d.Subject)
			if typ == "" {
				return fmt.Errorf("an error that names no tool: %s: %s: %s", d.Pos, d.Subject, d.Message)
			}
			if refused[typ] == "" {
				refused[typ] = d.Message
			}
		}
		if len(refused) == before {
			return fmt.Errorf("the same errors again: %v", refused)
		}
	}
}

func load(path string) (*types.Package, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedName | packages.NeedImports | packages.NeedDeps}, path)
	if err != nil {
		return nil, err
	}
	if len(pkgs) != 1 || pkgs[0].Types == nil || len(pkgs[0].Errors) > 0 {
		return nil, fmt.Errorf("load %s: %v", path, pkgs)
	}
	return pkgs[0].Types, nil
}

// structs returns the exported struct types without type parameters.
func structs(pkg *types.Package) []wrapped {
	var out []wrapped
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() || obj.IsAlias() {
			continue
		}
		t, ok := obj.Type().(*types.Named)
		if !ok || t.TypeParams().Len() > 0 {
			continue
		}
		if _, ok := t.Underlying().(*types.Struct); !ok {
			continue
		}
		out = append(out, wrapped{name, !hasForm(t)})
	}
	return out
}

// hasForm reports whether the type has an unmarshal method.
func hasForm(t types.Type) bool {
	for _, name := range []string{"UnmarshalJSON", "UnmarshalText"} {
		if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name); obj != nil {
			if _, ok := obj.(*types.Func); ok {
				return true
			}
		}
	}
	return false
}

var subject = regexp.MustCompile(`^tool Echo(\w+)`)

func toolOf(s string) string {
	m := subject.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	return m[1]
}

// write writes the annotated functions and the test.
func write(dir, name, path string, pkg *types.Package, list []wrapped) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package %s has a tool for every struct of %s.\n//\n//mcp:server name=%s\n//mcp:defaults naming=asis\npackage %s\n\n", name, path, name, name)
	fmt.Fprintf(&b, "import (\n\t\"context\"\n\n\ttarget %q\n\n\t\"github.com/mcpgen/mcpgen/internal/proof/zoo/identity\"\n)\n\n", path)
	for _, w := range list {
		param, f := "value", "Value"
		if w.object {
			param, f = "in", "Object"
		}
		fmt.Fprintf(&b, "//mcp:tool name=%s\nfunc Echo%s(ctx context.Context, %s target.%s) target.%s { return identity.%s(ctx, %s) }\n\n",
			w.name, w.name, param, w.name, w.name, f, param)
	}
	source, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "tools.go"), source, 0o644); err != nil {
		return err
	}
	var table strings.Builder
	for _, w := range list {
		fmt.Fprintf(&table, "\t%q: target.%s{},\n", w.name, w.name)
	}
	inUnions, imports := unions(pkg, list)
	imports = append(imports, fmt.Sprintf("target %q", path))
	test, err := format.Source(fmt.Appendf(nil, testSource, name, strings.Join(imports, "\n\t"), name, name, name, table.String(), inUnions))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "tools_test.go"), test, 0o644)
}

const testSource = `package %s_test

import (
	"bytes"
	"reflect"
	"testing"

	%s

	"github.com/mcpgen/mcpgen/corpus/out/%s"
	"github.com/mcpgen/mcpgen/corpus/values"
	"github.com/mcpgen/mcpgen/internal/proof/zoo/prove"
)

var config = prove.Config{Server: %s.NewMCPServer, Values: 50_000, Seed: 1, AnyNames: true}

func TestProve(t *testing.T) { prove.Run(t, config) }

func TestWrapped(t *testing.T) { prove.Wrapped(t, config) }

func TestReflector(t *testing.T) {
	var table bytes.Buffer
	if err := prove.WriteClasses(&table, prove.CompareReflector(t, config)); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%%s", &table)
}

func TestValues(t *testing.T) {
	values.Run(t, values.Config{Server: %s.NewMCPServer, Types: types, Unions: unions, Values: 100, Seed: 1})
}

var types = map[string]any{
%s}

// The sealed interfaces within, and what may be in them.
var unions = map[reflect.Type][]reflect.Type{
%s}
`

// measure counts the lines of a generated file: all lines, schema lines, and the lines of decoders,
// encoders and field tables, including comments and the empty lines between them; and the fields in
// the tables.
func measure(source []byte) (total, schemas, codecs, fields int) {
	in, comments := "", 0
	for line := range bytes.Lines(source) {
		text := strings.TrimSuffix(string(line), "\n")
		total++
		switch {
		case strings.HasPrefix(text, "//"):
			comments++
			continue
		case strings.HasPrefix(text, "func mcpDecode"), strings.HasPrefix(text, "func mcpEncode"), strings.HasPrefix(text, "var mcpFields"):
			in = "codec"
			codecs += comments + 1
		case strings.HasPrefix(text, "\tInputSchema:"), strings.HasPrefix(text, "\tOutputSchema:"):
			in = "schema"
		}
		comments = 0
		switch in {
		case "codec":
			codecs++
			fields += strings.Count(text, "{Name: ")
			if text == "}" || strings.HasPrefix(text, "var ") && strings.HasSuffix(text, "}") {
				in = ""
			}
		case "schema":
			schemas++
			if !strings.HasSuffix(text, " +") {
				in = ""
			}
		}
	}
	return total, schemas, codecs, fields
}

// report prints the results.
func report(name, path string, all, left []wrapped, refused map[string]string, result *generator.Result, written []string, took time.Duration, rounds int) error {
	fmt.Printf("%s: %d structs, %d as tools, %d refused, generated in %v (%d rounds)\n", path, len(all), len(left), len(refused), took.Round(time.Millisecond), rounds)
	names := make([]string, 0, len(refused))
	for n := range refused {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Printf("  refused %s: %s\n", n, refused[n])
	}
	warnings := 0
	for _, d := range result.Diagnostics {
		if d.Warning {
			warnings++
		}
	}
	for _, p := range result.Packages {
		total, schemas, codecs, entries := measure(p.Source)
		fmt.Printf("  %d warnings; %d bytes, %d lines: %d of schemas, %d of codecs for %d fields (%.1f a field), %d others\n",
			warnings, len(p.Source), total, schemas, codecs, entries, float64(codecs)/float64(entries), total-schemas-codecs)
	}
	return nil
}
