package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

// readUnion prints the reading of a sealed interface: the discriminator, and the variant.
func (g *generator) readUnion(u *codec.Union, v operand) code {
	d, x := g.local("d"), variable(g.local("x"))
	var cases []jen.Code
	for _, variant := range u.Variants {
		value := x.value()
		if variant.Pointer {
			value = x.addr()
		}
		cases = append(cases, jen.Case(jen.Lit(variant.Name)).Block(
			jen.Var().Add(x.value(), g.typ(variant.Go)),
			jen.If(jen.Id(variant.Func).Call(d, x.addr()), jen.Op("!").Add(d.Clone().Dot("Failed").Call())).Block(v.set(value)),
		))
	}
	return jen.Switch(d.Clone().Dot("Variant").Call(jen.Lit(u.Discriminator), jen.Id(u.Names.Name()))).Block(cases...)
}

// putUnion prints the writing of a sealed interface.
func (g *generator) putUnion(u *codec.Union, v operand) code {
	e, x := g.local("e"), variable(g.local("x"))
	var cases []jen.Code
	for _, variant := range u.Variants {
		put := jen.Id(variant.Func)
		if !variant.Pointer {
			cases = append(cases, jen.Case(g.typ(variant.Go)).Block(put.Clone().Call(e, x.addr())))
		}
		cases = append(cases, jen.Case(jen.Op("*").Add(g.typ(variant.Go))).Block(g.wire("PutVariant").Call(e, x.value(), put)))
	}
	cases = append(cases, jen.Default().Block(g.wire("PutUnknown").Call(e, x.value())))
	return jen.Switch(x.value().Op(":=").Parens(v.value()).Assert(jen.Type())).Block(cases...)
}
