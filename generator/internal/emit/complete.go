package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// completerName returns the name of the function that completes one argument of a feature.
func completerName(stem string, c *model.Completion) string {
	return "mcpComplete" + stem + codec.Camel(c.Argument)
}

// ownReceiver reports whether a completer is a method of a receiver that exists when features are
// registered.
func ownReceiver(c *model.Completer) bool { return c.Receiver.Passed() }

// completers returns the completers with which a feature is registered.
func (g *generator) completers(stem string, list []*model.Completion) []jen.Code {
	var out []jen.Code
	for _, c := range list {
		if c.Func == nil {
			continue
		}
		f := jen.Id(completerName(stem, c))
		if ownReceiver(c.Func) {
			f.Call(jen.Id(g.locals.user(c.Func.Receiver.Param)))
		}
		out = append(out, g.impl("WithCompletion").Call(jen.Lit(c.Argument), f))
	}
	return out
}

// completerFuncs prints the functions behind them. For a method it prints a function that returns
// the completer, since the receiver does not exist yet when the feature is described.
func (g *generator) completerFuncs(stem, feature string, all []*model.Completion) {
	for _, c := range all {
		if c.Func == nil {
			continue
		}
		name := completerName(stem, c)
		doc := name + " completes " + c.Argument + " of " + feature + "."
		params := breakParams(
			g.local("ctx").Add(g.std("context", "Context")), g.local("value").String(), g.local("arguments").Map(jen.String()).String())
		results := jen.Params(g.mcp("Completion"), jen.Error())
		lines := g.completerBody(c.Func)
		if ownReceiver(c.Func) {
			lines = []jen.Code{jen.Return(jen.Func().Add(params, results).Block(lines...))}
			params = breakParams(g.local("recv").Add(g.typ(c.Func.Receiver.Type)))
			results = g.mcp("CompleteFunc")
		}
		g.add(doc, jen.Func().Id(name).Add(params, results).Block(lines...))
		g.completerGuard(c.Func)
	}
}

func (g *generator) completerBody(f *model.Completer) []jen.Code {
	b := &body{generator: g, provided: map[*model.Provider]string{}, failed: g.mcp("Completion").Values()}
	fn := g.declared(f.Pkg, f.Name)
	if r := f.Receiver; r != nil {
		fn = g.local("recv").Dot(f.Name)
		if r.Provider != nil {
			b.provider(r.Provider, g.locals.of("recv"))
		}
	}
	var args []jen.Code
	if f.Context {
		args = append(args, g.local("ctx"))
	}
	args = append(args, g.local("value"))
	if f.Others {
		args = append(args, g.local("arguments"))
	}
	last := jen.Nil()
	value := fn.Call(args...)
	if f.Error {
		b.add(jen.List(g.local("result"), g.local("err")).Op(":=").Add(value))
		value, last = g.local("result"), g.local("err")
	}
	b.add(jen.Return(g.mcp("Candidates").Call(value), last))
	return b.lines
}

// completerGuard asserts the signature of a completer.
func (g *generator) completerGuard(c *model.Completer) {
	var in []jen.Code
	name := g.declared(c.Pkg, c.Name)
	if r := c.Receiver; r != nil {
		in = append(in, g.typ(r.Type))
		name = g.method(r.Type, c.Name)
	}
	if c.Context {
		in = append(in, g.std("context", "Context"))
	}
	in = append(in, jen.String())
	if c.Others {
		in = append(in, jen.Map(jen.String()).String())
	}
	out := []jen.Code{stringSlice()}
	if c.Error {
		out = append(out, jen.Error())
	}
	g.guardLine(assertion(jen.Params(in...), out, name))
}
