package contract

import (
	"math/rand/v2"
	"testing"
)

// TestSelf compares random schemas with themselves, read again: nothing differs, also
// with members in another order.
func TestSelf(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2026))
	for range 2000 {
		g := &schemas{r: r, habits: r.IntN(2) == 0}
		schema := defining(g.schema(3), g.definition())
		a, b := around(t, schema), shuffled(r, around(t, schema))
		for _, output := range []bool{false, true} {
			if findings := compareSchemas(a, b, output); len(findings) > 0 {
				t.Fatalf("%s: %+v", text4test(schema), findings[0])
			}
		}
	}
}

// shuffled is a value with its members in another order.
func shuffled(r *rand.Rand, v *value) *value {
	w := &value{kind: v.kind, text: v.text}
	for _, item := range v.items {
		w.items = append(w.items, shuffled(r, item))
	}
	for _, m := range v.members {
		w.members = append(w.members, member{m.name, shuffled(r, m.value)})
	}
	r.Shuffle(len(w.members), func(i, j int) { w.members[i], w.members[j] = w.members[j], w.members[i] })
	return w
}
