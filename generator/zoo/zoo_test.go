package zoo_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator"
	"github.com/mcpgen/mcpgen/generator/zoo"
	"github.com/mcpgen/mcpgen/generator/zoo/prove"
)

// oddNames are property names of the zoo that some clients refuse, and that
// encoding/json has all the same.
var oddNames = []string{
	"a'b", "a/b", "<a>&b", "a b", "$ref", "%s", "größe", "大小", "Öl",
	"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg",
}

var config = prove.Config{
	Server:     zoo.NewMCPServer,
	Values:     24_000 / slowdown,
	Seed:       1,
	OddNames:   oddNames,
	Directives: []string{"echo_query", "echo_mixed", "echo_tightened"},
	Own:        func(tool string) bool { return strings.HasPrefix(tool, "own_") },
	Lenient:    []string{"echo_lenient", "echo_lenient_box", "echo_lenient_defaults"},
}

// TestZoo proves every tool with some tens of thousands of values; the
// environment variable MCPGEN_LONG says how many there are instead.
func TestZoo(t *testing.T) {
	report := prove.Run(t, config)
	if report.Tools < 150 {
		t.Errorf("only %d tools", report.Tools)
	}
}

// TestWrapped proves the same for clients of older revisions.
func TestWrapped(t *testing.T) { prove.Wrapped(t, config) }

// TestCurrent checks that mcp_gen.go is what the generator writes.
func TestCurrent(t *testing.T) {
	result, err := generator.Generate(t.Context(), generator.Config{Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Diagnostics.All() {
		if d.Severity == 0 {
			t.Error(d.Message)
		}
	}
	if len(result.Packages) != 1 || !result.Packages[0].Current() {
		t.Error("mcp_gen.go is stale: run mcpgen in this directory")
	}
}

var update = flag.Bool("update", false, "write the table of differences from the Reflector")

// TestReflector holds the schemas against those of the Reflector, and the counts
// of their differences against the table.
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
