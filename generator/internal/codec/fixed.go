package codec

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Fixed is a function that returns a constant or a default without a Go expression: it is read from
// JSON, like an argument.
type Fixed struct {
	Ident   string
	What    string // for messages, such as "tool find: the default of argument host"
	Default bool
	Go      types.Type
	JSON    string
	Read    Func
}

// fixed plans the constant of a field of t, or of a parameter, once. A function for it takes its
// name from place.
func (b *builder) fixed(t *model.Type, f *model.Field, place string) *Literal {
	if lit := b.constants[f]; lit != nil {
		return lit
	}
	lit := b.expression(f)
	if lit == nil {
		lit = b.made(&Fixed{What: "fixed value", Ident: "mcpFixed"}, t, f, place)
	}
	b.constants[f] = lit
	return lit
}

// preset plans the default of a field of t.
func (b *builder) preset(t *model.Type, f *model.Field, place string) *Literal {
	lit := b.literal(f.Type, f.Default.JSON)
	if lit.needsMethod() {
		lit = b.made(&Fixed{What: "default", Ident: "mcpDefault", Default: true}, t, f, place)
	}
	return lit
}

// made plans a function that makes the value of a field of t. t is nil for a parameter.
func (b *builder) made(fn *Fixed, t *model.Type, f *model.Field, place string) *Literal {
	of := "argument " + f.Name
	if t != nil && t.Go != nil {
		of = "field " + f.Name + " of " + types.TypeString(t.Go, types.RelativeTo(b.pkg.Types))
	}
	fn.What = b.subject + ": the " + fn.What + " of " + of
	fn.Ident += b.names.table(fn.Ident, place)
	fn.Go, fn.JSON, fn.Read = f.Type.Go, f.Default.JSON, b.elemFunc(f.Type, nil, place)
	b.plan.Fixed = append(b.plan.Fixed, fn)
	return &Literal{Kind: LitFixed, Type: f.Type.Go, Text: fn.Ident}
}

// expression returns the Go expression of a constant, or nil if only methods or functions can make
// the value.
func (b *builder) expression(f *model.Field) *Literal {
	if f.Default.JSON == "null" {
		return b.nothing(f.Type)
	}
	try := &builder{pkg: b.pkg}
	lit := try.literal(f.Type, f.Default.JSON)
	if try.err != nil || lit.needsMethod() {
		return nil
	}
	return lit
}

// nothing returns the expression of null, or nil if the type has its own value for null.
func (b *builder) nothing(t *model.Type) *Literal {
	switch t.Kind {
	case model.Flagged:
		return &Literal{Kind: LitStruct, Type: t.Go}
	case model.JSON, model.Converted, model.RawJSON, model.Reflect:
		return nil
	}
	return &Literal{Text: "nil", Type: t.Go}
}

// fixedFields returns the constants in a struct and in the structs inside it. They are set even if
// the member that contains them is missing.
func (b *builder) fixedFields(o *Object, t *model.Type, at []Step, place string) []*Default {
	var out []*Default
	for _, f := range t.Fixed {
		made, path := o.way(b, t, f)
		out = append(out, &Default{Made: made, Path: join(at, path), Value: b.fixed(t, f, place+fieldStem(f))})
	}
	for _, f := range t.Fields {
		if f.Type.Kind == model.Struct {
			made, path := o.way(b, t, f)
			for _, d := range b.fixedFields(o, f.Type, join(at, path), place+fieldStem(f)) {
				if d.Made == nil {
					d.Made = made
				}
				out = append(out, d)
			}
		}
	}
	return out
}

func join(at, more []Step) []Step { return append(at[:len(at):len(at)], more...) }
