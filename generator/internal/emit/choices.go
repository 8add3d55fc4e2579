package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// choicesVariable is the variable of RegisterMCP with the values of a function. Two packages
// may have one name, but not two names in the file.
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
			lines = append(lines, id(name+" :=").Add(call(g.impl(maker), id(strconv.Quote(c.Name)), g.declared(c.Pkg, c.Name))))
		}
	}
	return lines
}

// withChoices is the description of a feature, with its choices.
func (g *generator) withChoices(kind, info string, c *model.Call) code {
	if len(c.Choices) == 0 {
		return id(info)
	}
	args := []jen.Code{id(info)}
	for _, choice := range c.Choices {
		values := []jen.Code{id(strconv.Quote(choice.Argument))}
		for _, text := range choice.Texts {
			values = append(values, id(strconv.Quote(text)))
		}
		args = append(args, call(id(g.choicesVariable(choice)).Dot("For"), values...))
	}
	return call(g.impl(kind+"Choices"), args...)
}
