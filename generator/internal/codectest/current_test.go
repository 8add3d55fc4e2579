package codectest_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generator"
)

// TestCurrent checks that the generator writes mcp_gen.go unchanged.
func TestCurrent(t *testing.T) {
	result, err := generator.Generate(t.Context(), generator.Config{Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Diagnostics {
		t.Error(d.Message)
	}
	if len(result.Packages) != 1 || !result.Packages[0].Current() {
		t.Error("mcp_gen.go is stale: run mcpgen in this directory")
	}
}
