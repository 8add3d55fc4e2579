package schema

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// The hint names the largest members of schemas, not the objects around them.
func TestWeight(t *testing.T) {
	wide := "struct { A string // " + strings.Repeat("word ", 1200) + "\n}"
	s := check(t, "type Wide "+wide+`
type Inner struct{ Small int; Wide Wide; More []Wide; Twice map[string]Wide }
type Outer struct{ Inner *Inner; Text string }
type Narrow struct{ A, B int }
`)
	tool := &model.Tool{}
	tool.Input = &model.Input{Object: s.plan(t, "Narrow")}
	if w := WeightOf(tool); w.Total() > 200 || w.Parts != nil {
		t.Errorf("a small tool: %+v", w)
	}
	tool.Input.Object = s.plan(t, "Outer")
	tool.Result.Output = s.plan(t, "Narrow")
	w := WeightOf(tool)
	want := []string{"argument Inner.More", "argument Inner.Twice", "argument Inner.Wide"}
	if len(w.Parts) != len(want) {
		t.Fatalf("%+v", w)
	}
	for i, part := range w.Parts {
		if !strings.Contains(strings.Join(w.Parts, "\n"), want[i]+" 6,") {
			t.Errorf("%q, want %s", part, want[i])
		}
	}
	if w.Input != len(InputOf(tool)) || w.Output != len(OutputOf(tool)) || w.Total() < LargeSchema {
		t.Errorf("%+v", w)
	}
	// Without the schema of the result, its weight is 0, and the hint names other measures.
	tool.Output = model.OutputText
	if w := WeightOf(tool); w.Output != 0 || strings.Contains(w.Hint(tool), "output=") {
		t.Errorf("%+v: %s", w, w.Hint(tool))
	}
}
