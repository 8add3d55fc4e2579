package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// guard prints assertions by which the compiler notices that the signature of a function, or of one
// of its providers, differs from the one that the file was generated for.
func (g *generator) guard(c *model.Call) {
	if !callsUnnamed(c) { // otherwise it is converted at the call
		g.guardLine(g.signatureGuard(c))
	}
	for _, p := range c.Params() {
		if p.Source == model.FromProvider {
			g.guardProvider(p.Provider)
		}
	}
	for _, f := range c.Fills {
		g.guardProvider(f.Provider)
	}
	if r := c.Func.Receiver; r != nil && r.Provider != nil {
		g.guardProvider(r.Provider)
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

// structGuard prints such an assertion for the fields of a struct, under the function that reads or
// writes it.
func (g *generator) structGuard(t types.Type) {
	name := types.TypeString(types.Unalias(t), nil)
	if named := g.shapes[name]; named != nil {
		delete(g.shapes, name)
		g.addBare(g.shapeGuard(named))
	}
}

// structGuards prints the assertions for the structs without a function.
func (g *generator) structGuards() {
	for _, named := range g.plan.Guards {
		if g.shapes[types.TypeString(named, nil)] != nil {
			g.add("The fields of "+g.describe(named)+".", g.shapeGuard(named))
		}
	}
}

func (g *generator) shapeGuard(named types.Type) code {
	shape, _ := named.Underlying().(*types.Struct)
	return define("_", g.structure(shape, false).Parens(g.typ(named).Values()))
}

// assertion assigns a function to a variable of its former type.
func assertion(params code, out []jen.Code, function code) code {
	return jen.Var().Id("_").Func().Add(params, results(out)).Op("=").Add(function)
}

func (g *generator) signatureGuard(c *model.Call) code {
	name, params, returned := g.signature(c)
	guard := assertion(jen.Params(params...), returned, name)
	if width(guard) > lineWidth+len("= ") {
		return assertion(wrapped("(", ")", params...), returned, name)
	}
	return guard
}

// signature returns a function, or a method's expression, with the types of its parameters and
// results.
func (g *generator) signature(c *model.Call) (name code, params, returned []jen.Code) {
	f := &c.Func
	var in, out []types.Type
	for _, p := range f.Params {
		in = append(in, p.Type)
	}
	for _, v := range c.Result.Values {
		out = append(out, v.Type)
	}
	params, returned = g.parameters(in, f.Variadic, false), g.parameters(out, false, c.Result.ByReflection)
	if f.Receiver == nil {
		return g.plainFunction(f), params, returned
	}
	return g.method(f.Receiver.Type, f.Name), append([]jen.Code{g.typ(f.Receiver.Type)}, params...), returned
}

// guardProvider asserts the signature of a provider, unless it is converted at the call.
func (g *generator) guardProvider(p *model.Provider) {
	if !providesUnnamed(p) {
		g.guardLine(g.providerGuard(p))
	}
}

func (g *generator) providerGuard(p *model.Provider) code {
	params, out := g.parameters(p.Params, false, true), g.provided(p)
	guard := assertion(jen.Params(params...), out, g.declared(p.Pkg, p.Func))
	if width(guard) > lineWidth+len("= ") {
		return assertion(wrapped("(", ")", params...), out, g.declared(p.Pkg, p.Func))
	}
	return guard
}
