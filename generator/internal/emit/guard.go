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
	for _, p := range c.Func.Params {
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
	return id("var _ =").Add(g.shape(named.Underlying()).Parens(g.typ(named).Add(composite(false))))
}

// signatureGuard assigns the function to a variable of the type it had.
func (g *generator) signatureGuard(t *model.Call) code {
	f := &t.Func
	var in, out []jen.Code
	name := g.plainFunction(f)
	if r := f.Receiver; r != nil {
		recv := g.typ(r.Type)
		in = append(in, recv)
		if _, ok := r.Type.(*types.Pointer); ok {
			recv = jen.Parens(g.typ(r.Type))
		}
		name = jen.Add(recv).Dot(f.Name)
	}
	for i, p := range f.Params {
		if s, ok := p.Type.Underlying().(*types.Slice); ok && f.Variadic && i == len(f.Params)-1 {
			in = append(in, jen.Op("...").Add(g.typ(s.Elem())))
			continue
		}
		in = append(in, g.typ(p.Type))
	}
	for _, v := range t.Result.Values {
		out = append(out, g.typ(v.Type))
	}
	c := id("var _ func").Add(g.plainSignature(in, out))
	if width(c.Clone().Add(name)) > lineWidth {
		c = id("var _ func").Add(g.wrappedSignature(in, out))
	}
	return c.Op("=").Add(name)
}

// providerGuard does the same for a provider.
func (g *generator) providerGuard(p *model.Provider) code {
	out := []jen.Code{g.typ(p.Type)}
	if p.Error {
		out = append(out, id("error"))
	}
	return id("var _ func").Add(g.plainSignature([]jen.Code{g.std("context", "Context")}, out)).Op("=").Add(g.declared(p.Pkg, p.Func))
}
