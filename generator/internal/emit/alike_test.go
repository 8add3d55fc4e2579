package emit

import (
	"fmt"
	"go/types"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

// TestGroups: only members that the same code reads share a case, at most mostAlike of them, and
// none beyond the rows that Pick can find.
func TestGroups(t *testing.T) {
	text, number := types.Typ[types.String], types.Typ[types.Int]
	member := func(name string, change ...func(*codec.Member)) *codec.Member {
		m := &codec.Member{Name: name, Path: []codec.Step{{Name: name}}, Read: &codec.Read{Go: text, Func: codec.Func{Name: "String"}}}
		for _, c := range change {
			c(m)
		}
		return m
	}
	least := func(n string) func(*codec.Member) {
		return func(m *codec.Member) { m.Read.Checks = []*codec.Check{{Func: "MinLength", Text: n}} }
	}
	numbers := func(m *codec.Member) { m.Read.Go, m.Read.Func.Name = number, "Int" }
	elem := func(name string) func(*codec.Member) {
		return func(m *codec.Member) {
			m.Read.Go, m.Read.Func.Name, m.Read.Elem = types.NewSlice(text), "Slice", &codec.Func{Name: name}
		}
	}
	got := names(&codec.Object{Members: []*codec.Member{
		member("a"), member("n", numbers), member("short", least("1")), member("b"), member("long", least("9")),
		member("m", numbers), member("brief", least("1")), member("list", elem("String")), member("other", elem("mcpDecodeX")),
		member("same", elem("String")), member("defined", func(m *codec.Member) { m.Read.Go = types.NewNamed(types.NewTypeName(0, nil, "T", nil), text, nil) }),
		member("null", func(m *codec.Member) { m.Null = text }), member("preset", func(m *codec.Member) { m.Reset = text }),
		member("made", func(m *codec.Member) { m.Made = &codec.Made{} }),
		member("behind", func(m *codec.Member) { m.Path = []codec.Step{{Name: "P", Pointer: text}, {Name: "f"}} }),
		member("c"),
	}})
	want := [][]string{
		{"a", "b", "c"}, {"n", "m"}, {"short", "brief"}, {"long"}, {"list", "same"}, {"other"}, {"defined"},
		{"null"}, {"preset"}, {"made"}, {"behind"},
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
	}

	many := &codec.Object{}
	for i := range pickable + 2 {
		many.Members = append(many.Members, member(fmt.Sprint(i)))
	}
	total := 0
	for i, group := range names(many) {
		total += len(group)
		if size := len(group); i < pickable/mostAlike && size != mostAlike || i >= pickable/mostAlike && size != 1 {
			t.Errorf("group %d has %d members", i, size)
		}
	}
	if total != len(many.Members) {
		t.Errorf("%d members of %d", total, len(many.Members))
	}
}

func names(o *codec.Object) [][]string {
	var out [][]string
	for _, group := range groups(o) {
		var list []string
		for _, r := range group {
			list = append(list, r.Name)
		}
		out = append(out, list)
	}
	return out
}
