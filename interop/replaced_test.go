package interop

import "testing"

// A client that validates results with a list that it fetched before accepts results of a newer
// server, which contain additional members, even in nested objects.
func TestTypeScriptReplaced(t *testing.T) {
	node(t)
	for _, of := range []struct {
		sdk string
		way way
	}{
		{sdk1, way{stdio, links}}, {sdk1, way{http, links}},
		{sdk2, way{stdio, links}}, {sdk2, way{http, links}}, {sdk2, way{stdio, modern}}, {sdk2, way{http, modern}},
	} {
		t.Run(of.sdk+"/"+of.way.String(), func(t *testing.T) {
			t.Parallel()
			f := follow(t, of.sdk, replaced, of.way, plan{Walk: "replaced"})
			f.same("tools", []string{"find", "replace"})
			f.same("before", map[string]any{"title": "Emma", "loans": []any{map[string]any{"reader": "Ada"}}})
			f.same("replace", "replaced")
			f.same("after", map[string]any{"title": "Emma", "pages": 320, "loans": []any{map[string]any{"reader": "Ada", "days": 14}}})
			f.same("complaints", []string{})
			f.take("wire")
			f.take("compressed")
			f.end(replaced)
		})
	}
}
