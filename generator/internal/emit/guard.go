package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// guard prints what makes the compiler notice that a function, or one that provides
// for it, is no longer the one that the file was generated for.
func (g *generator) guard(c *model.Call) {
	g.guardLine(g.signatureGuard(c))
	for _, p := range c.Params() {
		if p.Source == model.FromProvider {
			g.guardLine(g.providerGuard(p.Provider))
		}
	}
	for _, f := range c.Fills {
		g.guardLine(g.providerGuard(f.Provider))
	}
	if r := c.Func.Receiver; r != nil && r.Provider != nil {
		g.guardLine(g.providerGuard(r.Provider))
	}
}

// guardLine prints an assertion once.
func (g *generator) guardLine(c code) {
	text := source(c.Clone())
	if !g.guarded[text] {
		g.guarded[text] = true
		g.addBare(c)
	}
}

// structGuard does the same for the fields of a struct, under the function that reads
// or writes it.
func (g *generator) structGuard(t types.Type) {
	name := types.TypeString(types.Unalias(t), nil)
	if named := g.structs[name]; named != nil {
		delete(g.structs, name)
		g.addBare(g.shapeGuard(named))
	}
}

// structGuards prints those of the structs that have no function of their own.
func (g *generator) structGuards() {
	for _, named := range g.plan.Guards {
		if g.structs[types.TypeString(named, nil)] != nil {
			g.add("The fields of "+g.describe(named)+".", g.shapeGuard(named))
		}
	}
}

func (g *generator) shapeGuard(named types.Type) code {
	return define("_", g.shape(named.Underlying()).Parens(g.typ(named).Values()))
}

// assertion assigns a function to a variable of the type that it had.
func assertion(params code, out []jen.Code, function code) code {
	return jen.Var().Id("_").Func().Add(params, results(out)).Op("=").Add(function)
}

func (g *generator) signatureGuard(c *model.Call) code {
	f := &c.Func
	var name code
	var in, out []types.Type
	if f.Receiver == nil {
		name = g.plainFunction(f)
	} else {
		name = g.method(f.Receiver.Type, f.Name)
	}
	for _, p := range f.Params {
		in = append(in, p.Type)
	}
	for _, v := range c.Result.Values {
		out = append(out, v.Type)
	}
	params := g.parameters(in, f.Variadic, true)
	if f.Receiver != nil {
		params = append([]jen.Code{g.typ(f.Receiver.Type)}, params...)
	}
	returned := g.parameters(out, false, true)
	guard := assertion(jen.Params(params...), returned, name)
	if width(guard) > lineWidth+len("= ") {
		return assertion(wrapped("(", ")", params...), returned, name)
	}
	return guard
}

func (g *generator) providerGuard(p *model.Provider) code {
	out := []jen.Code{g.typ(p.Type)}
	if p.Error {
		out = append(out, jen.Error())
	}
	params := g.parameters(p.Params, false, true)
	guard := assertion(jen.Params(params...), out, g.declared(p.Pkg, p.Func))
	if width(guard) > lineWidth+len("= ") {
		return assertion(wrapped("(", ")", params...), out, g.declared(p.Pkg, p.Func))
	}
	return guard
}
