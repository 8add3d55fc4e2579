package codec

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// key identifies a type together with everything that its functions depend on. Plans of one Go type
// may differ in kind (a duration as text or as a number), in the values of an enumeration, and in
// the variant that //mcp:arg made of them.
func (b *builder) key(t *model.Type) string { return b.typeKey(t, true, map[*model.Type]bool{}) }

// writeKey is like key, without the values of an enumeration.
func (b *builder) writeKey(t *model.Type) string { return b.typeKey(t, false, map[*model.Type]bool{}) }

// taggedMark marks plans that require only their tagged fields.
const taggedMark = "!"

func (b *builder) typeKey(t *model.Type, enums bool, seen map[*model.Type]bool) string {
	if t == nil {
		return ""
	}
	name := ""
	if t.Go != nil {
		name = types.TypeString(t.Go, nil)
	}
	if seen[t] {
		return name
	}
	seen[t] = true
	defer delete(seen, t)
	var s strings.Builder
	fmt.Fprintf(&s, "%d:%s", t.Kind, name)
	if t.Variant != "" && (t.Kind == model.Struct || t.Kind == model.Union) {
		s.WriteString("@" + b.variant(t))
	}
	if t.Tagged {
		s.WriteString(taggedMark)
	}
	if t.Tags != 0 {
		fmt.Fprintf(&s, "#%d", t.Tags)
	}
	if t.Layout != "" {
		fmt.Fprintf(&s, "%q%t", t.Layout, t.Local)
	}
	if enums {
		for _, v := range t.Enum.Closed() {
			s.WriteString("|" + v.JSON)
		}
		for _, name := range slices.Sorted(maps.Keys(t.Limits)) {
			s.WriteString("|" + name + "=" + t.Limits[name])
		}
	}
	if t.Kind != model.Struct && t.Elem != nil {
		s.WriteString("(" + b.typeKey(t.Key, enums, seen) + "," + b.typeKey(t.Elem, enums, seen) + ")")
	}
	return s.String()
}

// variant numbers the plans that directives changed, in the order of use: two places of one feature
// may have changed the same type in different ways.
func (b *builder) variant(t *model.Type) string {
	id, ok := b.variants[t]
	if !ok {
		id = fmt.Sprintf("%s%d", t.Variant, len(b.variants))
		b.variants[t] = id
	}
	return id
}
