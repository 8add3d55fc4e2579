package model

import (
	"slices"
	"testing"
)

// TestArgumentAliases covers former names in lists, maps, alternatives, shared types and cycles.
func TestArgumentAliases(t *testing.T) {
	leaf := &Type{Kind: Struct, Fields: []*Field{{Name: "id", Type: &Type{Kind: String}, Aliases: []Alias{{Name: "key"}, {Name: "no"}}}}}
	node := &Type{Kind: Struct, Fields: []*Field{{Name: "leaf", Type: leaf}}}
	node.Fields = append(node.Fields, &Field{Name: "next", Type: &Type{Kind: Pointer, Elem: node}})
	shapes := &Type{Kind: Union, Union: &UnionInfo{Variants: []*UnionVariant{{Type: leaf}, {Type: node}, {Type: leaf}}}}
	call := &Call{Input: &Input{Object: &Type{Kind: Struct, Fields: []*Field{
		{Name: "plain", Type: &Type{Kind: String}},
		{Name: "rows", Type: &Type{Kind: Slice, Elem: leaf}},
		{Name: "by", Type: &Type{Kind: Map, Elem: &Type{Kind: Pointer, Elem: leaf}}, Aliases: []Alias{{Name: "per"}}},
		{Name: "shape", Type: shapes},
	}}}}
	want := []string{
		"rows[].id=key", "rows[].id=no", "by=per", "by.*.id=key", "by.*.id=no",
		"shape.id=key", "shape.id=no", "shape.leaf.id=key", "shape.leaf.id=no",
	}
	if got := call.ArgumentAliases(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (&Call{}).ArgumentAliases(); got != nil {
		t.Errorf("without arguments: %q", got)
	}
}
