package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

// readUnion prints the reading of a sealed interface: which variant it is, and
// that variant.
func (g *generator) readUnion(u *codec.Union, v operand) []jen.Code {
	d, x := g.local("d"), g.locals.of("x")
	var cases []jen.Code
	for _, variant := range u.Variants {
		value := id(x)
		if variant.Pointer {
			value = id("&" + x)
		}
		cases = append(cases,
			id("case "+strconv.Quote(variant.Name)+":"),
			id("var "+x).Add(g.typ(variant.Go)),
			id("if").Add(call(id(variant.Func), d.Clone(), id("&"+x)), id(";")).Op("!").Add(call(d.Clone().Dot("Failed"))).
				Block(id(v.value).Op("=").Add(value)),
		)
	}
	return []jen.Code{
		id("switch").Add(call(d.Clone().Dot("Variant"), id(strconv.Quote(u.Discriminator)), id(u.Names.Name()))).Block(cases...),
	}
}

// putUnion prints the writing of a sealed interface.
func (g *generator) putUnion(u *codec.Union, v operand) []jen.Code {
	e, x := g.local("e"), g.locals.of("x")
	var cases []jen.Code
	for _, variant := range u.Variants {
		if !variant.Pointer {
			cases = append(cases, id("case").Add(g.typ(variant.Go)).Op(":"), call(id(variant.Func), e.Clone(), id("&"+x)))
		}
		cases = append(cases, id("case *").Add(g.typ(variant.Go)).Op(":"), call(g.wire("PutVariant"), e.Clone(), id(x), id(variant.Func)))
	}
	cases = append(cases, id("default:"), call(g.wire("PutUnknown"), e.Clone(), id(x)))
	return []jen.Code{id("switch " + x + " := (" + v.value + ").(type)").Block(cases...)}
}
