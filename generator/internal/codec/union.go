package codec

import (
	"encoding/json"
	"go/types"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// readUnion plans the reading of a sealed interface. Its variants need their own functions, since
// they contain the discriminator beside their fields.
func (b *builder) readUnion(t *model.Type, stem string) *Union {
	u := &Union{
		Discriminator: t.Union.Discriminator,
		Names:         &Enum{Stem: b.names.table("mcpEnum", stem), Go: types.Typ[types.String], What: "the kinds of " + stem},
	}
	b.plan.Enums = append(b.plan.Enums, u.Names)
	for _, v := range t.Union.Variants {
		u.Names.Values = append(u.Names.Values, &Literal{Text: strconv.Quote(v.Name), Type: types.Typ[types.String]})
		d := &Decoder{Stem: b.variantStem(v, stem), Go: v.Type.Go}
		b.plan.Decoders = append(b.plan.Decoders, d)
		b.guard(v.Type.Go)
		d.Object = b.object(v.Type, d.Stem, d.Stem)
		d.Object.Entries = append([]Entry{{Name: t.Union.Discriminator, Required: true}}, d.Object.Entries...)
		u.Variants = append(u.Variants, Variant{Name: v.Name, Go: v.Type.Go, Pointer: v.Pointer, Func: d.Name()})
	}
	return u
}

// writeUnion plans the writing of a sealed interface.
func (b *builder) writeUnion(t *model.Type, stem string) *Union {
	u := &Union{Discriminator: t.Union.Discriminator}
	for _, v := range t.Union.Variants {
		e := &Encoder{
			Stem: b.variantStem(v, stem), Go: v.Type.Go,
			Tag: &Tag{Name: escaped(t.Union.Discriminator), Value: escaped(v.Name)},
		}
		b.plan.Encoders = append(b.plan.Encoders, e)
		b.guard(v.Type.Go)
		e.Members = b.putMembers(v.Type, e.Stem)
		u.Variants = append(u.Variants, Variant{Name: v.Name, Go: v.Type.Go, Pointer: v.Pointer, Func: e.Name()})
	}
	return u
}

// variantStem names a variant of a union, the same for reading and writing.
func (b *builder) variantStem(v *model.UnionVariant, stem string) string {
	key := "variant " + stem + " " + types.TypeString(v.Type.Go, nil)
	s, ok := b.stems[key]
	if !ok {
		s = b.names.codec(stem + typeStem(v.Type.Go))
		b.stems[key] = s
	}
	return s
}

// escaped returns a text as JSON writes it between quotes.
func escaped(s string) string {
	text, _ := json.Marshal(s) // a string cannot fail
	return string(text[1 : len(text)-1])
}
