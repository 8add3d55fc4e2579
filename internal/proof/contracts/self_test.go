package contracts

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSelf compares random schemas with themselves after writing and reading, also with members in
// another order: nothing differs.
func TestSelf(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2026))
	for range 2000 {
		g := &schemas{r: r, habits: r.IntN(2) == 0}
		schema := defining(g.schema(3), g.definition())
		a, b := text(around(schema)), shuffled(r, around(schema))
		for _, output := range []bool{false, true} {
			if changes := compare(t, a, b, output); len(changes) > 0 {
				t.Fatalf("%s\n%s: %v", a, b, &changes[0])
			}
		}
	}
}

// shuffled returns a value as JSON, with its members in a random order.
func shuffled(r *rand.Rand, v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, text(name)+":"+shuffled(r, v[name]))
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, shuffled(r, item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return text(v)
}
