package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// choicesVariable returns the variable of RegisterMCP for the values of a function. Two packages
// may share one name, but two variables of the file must not.
func (g *generator) choicesVariable(c *model.Choices) string {
	name := "mcpChoices" + c.Name
	if c.Pkg != nil {
		name += "Of" + g.imports.use(c.Pkg.Path(), c.Pkg.Name())
	}
	return name
}

// askChoices prints the calls of the functions of choices=, one for each function.
func (g *generator) askChoices() []jen.Code {
	var lines []jen.Code
	seen := map[string]bool{}
	for _, feature := range g.p.Calls() {
		for _, c := range feature.Choices {
			name := g.choicesVariable(c)
			if seen[name] {
				continue
			}
			seen[name] = true
			maker := "NewChoices"
			if c.Error {
				maker = "NewChoicesErr"
			}
			lines = append(lines, jen.Id(name).Op(":=").Add(g.impl(maker)).Call(jen.Lit(c.Name), g.declared(c.Pkg, c.Name)))
		}
	}
	return lines
}

// withChoices returns the address of a feature's description, with its choices.
func (g *generator) withChoices(kind, info string, c *model.Call) code {
	address := jen.Op("&").Id(info)
	if len(c.Choices) == 0 {
		return address
	}
	args := []jen.Code{address}
	for _, choice := range c.Choices {
		values := []jen.Code{jen.Lit(choice.Argument)}
		for _, text := range choice.Texts {
			values = append(values, jen.Lit(text))
		}
		args = append(args, jen.Id(g.choicesVariable(choice)).Dot("For").Call(values...))
	}
	return g.impl(kind + "Choices").Call(args...)
}
