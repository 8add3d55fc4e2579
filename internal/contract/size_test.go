package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// TestLargeSchemas compares schemas for which a full comparison would take too long: the comparison
// ends, and an incomplete one is never reported as compatible.
func TestLargeSchemas(t *testing.T) {
	// Each definition refers twice to the next, so that there are 2^40 paths.
	diamonds := func(limit int) string {
		var defs []string
		for i := range 40 {
			defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1))
		}
		defs = append(defs, fmt.Sprintf(`"d40":{"type":"integer","maximum":%d}`, limit))
		return `{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
	}
	// Nested unions with slightly different alternatives.
	var choices func(depth, limit int) string
	choices = func(depth, limit int) string {
		if depth == 0 {
			return fmt.Sprintf(`{"type":"integer","maximum":%d}`, limit)
		}
		var all []string
		for i := range 6 {
			all = append(all, fmt.Sprintf(`{"type":"array","minItems":%d,"items":%s}`, i, choices(depth-1, limit+i)))
		}
		return `{"anyOf":[` + strings.Join(all, ",") + `]}`
	}
	// A union that refers directly to itself.
	circle := func(more string) string {
		return `{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/a"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}` + more + `]}}}`
	}
	wide := func(limit int) string {
		var all []string
		for i := range 2000 {
			all = append(all, fmt.Sprintf(`"p%d":{"type":"integer","maximum":%d}`, i, limit))
		}
		return `{"type":"object","properties":{` + strings.Join(all, ",") + `}}`
	}
	for name, pair := range map[string][2]string{
		"diamonds": {diamonds(10), diamonds(5)},
		"choices":  {choices(4, 10), choices(4, 5)},
		"circle":   {circle(`,{"type":"string"}`), circle("")},
		"wide":     {wide(10), wide(5)},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := parse(t, pair[0]), parse(t, pair[1])
			findings := compareSchemas(before, after, false)
			breaking := false
			for _, f := range findings {
				breaking = breaking || f.effect&narrows != 0
			}
			if !breaking {
				t.Errorf("not breaking: %d findings", len(findings))
			}
			if same := compareSchemas(before, parse(t, pair[0]), true); len(same) > 0 && same[0].rule != "size" {
				t.Errorf("with itself: %+v", same[0])
			}
		})
	}
}

func parse(t *testing.T, text string) *jsontree.Value {
	t.Helper()
	all, err := jsontree.Read([]byte(text))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return all[0]
}
