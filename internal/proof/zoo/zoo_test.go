package zoo_test

import (
	"bytes"
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator"
	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/internal/proof/zoo"
	"github.com/mcpgen/mcpgen/internal/proof/zoo/prove"
)

// oddNames are property names in the zoo that some clients refuse, and that encoding/json allows.
var oddNames = []string{
	"a'b", "a/b", "<a>&b", "a b", "$ref", "%s", "größe", "大小", "Öl",
	"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg",
}

var config = prove.Config{
	Server:     zoo.NewMCPServer,
	Values:     12_000,
	Seed:       1,
	OddNames:   oddNames,
	Directives: []string{"echo_query", "echo_mixed", "echo_tightened", "echo_keyed", "echo_allowed"},
	Own:        func(tool string) bool { return strings.HasPrefix(tool, "own_") },
	Form:       form,
	Lenient:    []string{"echo_lenient", "echo_lenient_box", "echo_lenient_defaults"},
}

// form returns the JSON form of unions and converted types.
func form(t reflect.Type, n *prove.Node) reflect.Type {
	switch t {
	case reflect.TypeFor[zoo.Maybe]():
		return reflect.TypeFor[*int]()
	case reflect.TypeFor[zoo.Perhaps]():
		return reflect.TypeFor[sql.NullInt64]()
	case reflect.TypeFor[zoo.Parcel]():
		return reflect.TypeFor[zoo.Wrapping]()
	case reflect.TypeFor[zoo.Shape]():
		if kind := n.Get("type"); kind != nil && kind.Text == "Square" {
			return reflect.TypeFor[zoo.Square]()
		}
	}
	return nil
}

// TestZoo checks every tool with some ten thousand values; the environment variable MCPGEN_LONG
// sets another number.
func TestZoo(t *testing.T) {
	spec.Holds(t, "S209")
	report := prove.Run(t, config)
	if report.Tools < 150 {
		t.Errorf("only %d tools", report.Tools)
	}
	// An exception that no value needs must be removed. A short run may miss some.
	for _, e := range prove.Counted() {
		if report.Exceptions[e] == 0 && report.Values >= 20_000 {
			t.Errorf("no value is due to %d", e)
		}
	}
}

var (
	listed    = regexp.MustCompile(`(?m)^(\d+)\. `)
	tabulated = regexp.MustCompile(`(?m)^\| (\d+) \|`)
)

// TestNumbers compares the numbers of the prover's exceptions with those in docs/write/types.md, in
// both directions, and checks that uncounted exceptions have tests.
func TestNumbers(t *testing.T) {
	page, err := os.ReadFile("../../../docs/write/types.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "\n## Exceptions\n")
	text, _, ended := strings.Cut(text, "\n## Differences from invopop")
	if !found || !ended {
		t.Fatal("the page has other headings")
	}
	documented := map[prove.Exception]bool{}
	for _, numbered := range []*regexp.Regexp{listed, tabulated} {
		for _, m := range numbered.FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil || documented[prove.Exception(n)] {
				t.Errorf("the number %s comes twice", m[1])
			}
			documented[prove.Exception(n)] = true
		}
	}
	for _, e := range prove.Counted() {
		if !documented[e] {
			t.Errorf("docs/write/types.md has no %d", e)
		}
		if prove.Elsewhere[e] != "" {
			t.Errorf("%d is counted, and not held elsewhere", e)
		}
		delete(documented, e)
	}
	for e, holder := range prove.Elsewhere {
		if !documented[e] {
			t.Errorf("docs/write/types.md has no %d", e)
		}
		delete(documented, e)
		pkg, test, _ := strings.Cut(holder, " ")
		files, err := filepath.Glob("../../../" + pkg + "/*_test.go")
		if err != nil || !slices.ContainsFunc(files, func(name string) bool {
			src, err := os.ReadFile(name)
			return err == nil && strings.Contains(string(src), "func "+test+"(t *testing.T)")
		}) {
			t.Errorf("%d: there is no %s", e, holder)
		}
	}
	for e := range documented {
		t.Errorf("docs/write/types.md has %d, and no test knows it", e)
	}
}

// TestWrapped checks the same for clients of older revisions.
func TestWrapped(t *testing.T) { prove.Wrapped(t, config) }

// TestCurrent checks that mcp_gen.go is up to date.
func TestCurrent(t *testing.T) {
	result, err := generator.Generate(t.Context(), generator.Config{Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Diagnostics {
		if !d.Warning {
			t.Error(d.Message)
		}
	}
	if len(result.Packages) != 1 || !result.Packages[0].Current() {
		t.Error("mcp_gen.go is stale: run mcpgen in this directory")
	}
}

var update = flag.Bool("update", false, "write the table of differences from the Reflector")

// TestReflector compares the schemas with the Reflector's, and the counts of their differences with
// the table.
func TestReflector(t *testing.T) {
	const path = "testdata/reflector.md"
	var table bytes.Buffer
	if err := prove.WriteClasses(&table, prove.CompareReflector(t, config)); err != nil {
		t.Fatal(err)
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(path, table.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, table.Bytes()) {
		t.Errorf("%s is stale, run the test with -update; it should be\n%s", path, table.Bytes())
	}
}
