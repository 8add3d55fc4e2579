package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// guards prints what makes the compiler notice that functions and structs are no
// longer those that the file was generated for.
func (g *generator) guards() {
	if calls := g.p.Calls(); len(calls) > 0 {
		var lines []jen.Code
		seen := map[*model.Provider]bool{}
		for _, t := range calls {
			lines = append(lines, g.signatureGuard(t))
			for _, p := range t.Func.Params {
				if p.Source == model.FromProvider {
					lines = append(lines, g.providerGuard(p.Provider, seen)...)
				}
			}
			if r := t.Func.Receiver; r != nil && r.Provider != nil {
				lines = append(lines, g.providerGuard(r.Provider, seen)...)
			}
		}
		lines = append(lines, g.completerGuards()...)
		g.add("The functions have these signatures. Where a line does not compile, the function has changed since: run mcpgen again.",
			jen.Add(separate(lines)...))
	}
	for i, named := range g.plan.Guards {
		doc := "mcpgen saw these fields of " + g.describe(named) + "."
		if i == 0 {
			doc = "The structs have these fields. Where a declaration below does not compile, the struct has changed since: run mcpgen again."
		}
		g.add(doc, id("var _ =").Add(
			g.shape(named.Underlying()).Parens(g.typ(named).Add(composite(false)))))
	}
}

// signatureGuard assigns the function to a variable of the type it had.
func (g *generator) signatureGuard(t *model.Call) code {
	f := &t.Func
	var in, out []jen.Code
	name := g.declared(f.Pkg, f.Name)
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

// providerGuard does the same for a provider, once.
func (g *generator) providerGuard(p *model.Provider, seen map[*model.Provider]bool) []jen.Code {
	if seen[p] {
		return nil
	}
	seen[p] = true
	out := []jen.Code{g.typ(p.Type)}
	if p.Error {
		out = append(out, id("error"))
	}
	return []jen.Code{id("var _ func").Add(g.plainSignature([]jen.Code{g.std("context", "Context")}, out)).Op("=").Add(g.declared(p.Pkg, p.Func))}
}
