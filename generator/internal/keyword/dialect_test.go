package keyword

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/mcpgen/mcpgen/internal/pattern"
)

// TestPatternsMeanTheSame compares every accepted expression with an engine of ECMA-262, which made
// the table: its first line contains texts; each other line contains an expression and the texts
// that it matches, or null if it is not an expression in Unicode mode.
func TestPatternsMeanTheSame(t *testing.T) {
	data, err := os.ReadFile("../../../internal/pattern/testdata/table.json")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	var texts []string
	if err := json.Unmarshal(lines[0], &texts); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, line := range lines[1:] {
		var row [2]*string
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		expr, found := *row[0], row[1]
		if CheckPattern(expr) != nil {
			continue
		}
		taken++
		if found == nil {
			t.Errorf("%s is taken, and is no expression of ECMA-262", expr)
			continue
		}
		m, err := pattern.Compile(expr)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		for i, text := range texts {
			if got, want := m.Match(text), (*found)[i] == '1'; got != want {
				t.Errorf("%s on %q: %v, an engine of ECMA-262 says %v", expr, text, got, want)
			}
		}
	}
	if taken < 350 || len(texts) < 80 {
		t.Errorf("%d expressions of %d are taken, %d texts", taken, len(lines)-1, len(texts))
	}
}
