package emit

import (
	"cmp"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// countSchemas finds the texts that the schemas of the file share.
func (g *generator) countSchemas() {
	for _, t := range g.p.Tools {
		stem := g.plan.Tools[t].Stem
		var in *model.Type
		if t.Input != nil {
			in = t.Input.Object
		}
		g.shared.count(g.schemas.input(t), in, stem+"Arguments")
		if text := g.schemas.output(t); text != "" {
			g.shared.count(text, t.Result.Output, stem+"Result")
		}
	}
	g.shared.name()
}

// tool prints the declarations for one tool.
func (g *generator) tool(t *model.Tool) {
	plan := g.plan.Tools[t]
	stem := plan.Stem
	var used []*sharedText
	g.info(t, stem, &used)
	g.sharedSchemas(used)
	g.answer("mcpCall"+stem, "answers calls of the tool "+strconv.Quote(t.Name)+".", "ToolResult",
		&body{tool: &t.Call, plan: plan, mime: t.MIME})
	if plan.Args != nil {
		g.fields(plan.Args)
	}
}

// schema returns a schema as the value of a field, and appends the shared texts in it to used. Such
// a text may be a whole schema.
func (g *generator) schema(field, json string, used *[]*sharedText) code {
	return g.longText(breakJSON(g.shared.compose(json, false, used), len(field)+len(": "), lineWidth-8), 2)
}

// sharedSchemas prints the constants for shared texts at their first use.
func (g *generator) sharedSchemas(used []*sharedText) {
	for i := 0; i < len(used); i++ {
		k := used[i]
		if k.printed {
			continue
		}
		k.printed = true
		text := breakJSON(g.shared.compose(k.text, true, &used), len("const = ")+len(k.name), lineWidth-4)
		g.add(k.name+" occurs several times in schemas.", jen.Const().Id(k.name).Op("=").Add(g.longText(text, 1)))
	}
}

// answer prints the function that calls a feature and returns a result of the runtime.
func (g *generator) answer(name, doc, result string, b *body) {
	params := []jen.Code{
		g.local("ctx").Add(g.std("context", "Context")),
		g.local("req").Op("*").Add(g.mcp("Request")),
	}
	if r := b.tool.Func.Receiver; r.Passed() {
		params = append(params, g.local("recv").Add(g.typ(r.Type)))
	}
	b.generator, b.provided = g, map[*model.Provider]string{}
	b.decode()
	b.pageOf()
	b.provide()
	b.invoke()
	g.add(name+" "+doc, jen.Func().Id(name).Add(breakParams(params...)).
		Params(jen.Op("*").Add(g.mcp(result)), jen.Error()).Block(b.lines...))
	g.guard(b.tool)
}

// body collects the statements of one such function.
type body struct {
	*generator
	tool     *model.Call
	plan     *codec.Tool
	lines    []jen.Code
	provided map[*model.Provider]string // the variable for each
	hasErr   bool                       // err is declared
	feature  feature
	page     bool   // the resource is a page
	failed   code   // the value returned with an error; nil for nil
	mime     string // media type of a blob
	absent   code   // a condition for "nothing found" that is not checked yet
}

func (b *body) add(lines ...jen.Code) { b.lines = append(b.lines, lines...) }

// done returns a value without an error.
func (b *body) done(value jen.Code) { b.add(jen.Return(value, jen.Nil())) }

// giveUp returns the block that returns an error.
func (b *body) giveUp(err code) code {
	return jen.If(err.Clone().Op("!=").Nil()).Block(jen.Return(cmp.Or(b.failed, jen.Nil()), err))
}

// guarded returns if err := expr; err != nil { return nil, err }.
func (b *body) guarded(expr jen.Code) code {
	return jen.If(b.local("err").Op(":=").Add(expr), b.local("err").Op("!=").Nil()).Block(jen.Return(jen.Nil(), b.local("err")))
}

// decode reads the arguments.
func (b *body) decode() {
	args := operand{expr: b.local("args"), untagged: true}
	decoder := b.local("d").Op(":=").Add(b.impl("Decoder").Call(b.local("req")))
	switch {
	case b.plan.Whole != nil:
		b.add(jen.Var().Add(args.value(), b.typ(b.tool.Input.Object.Go)), decoder)
		b.add(b.read(b.plan.Whole, args)...)
	case b.plan.Args != nil:
		b.add(b.argsVar())
		b.add(b.readObject(b.plan.Args, args, decoder)...)
	case b.feature == resourceFeature:
		return // the URI is the only input
	default:
		b.add(b.guarded(b.impl("NoArguments").Call(b.local("req"))))
		return
	}
	b.add(b.guarded(b.local("d").Dot("Finish").Call()))
}

// argsVar declares a variable with a field for each argument.
func (b *body) argsVar() code {
	var fields []jen.Code
	for _, p := range b.tool.Params() {
		if p.Source == model.FromArgument && !p.Shared {
			fields = append(fields, jen.Id(p.Field.Path[0].Name).Add(b.typ(argumentType(p))))
		}
	}
	if s := b.tool.Result.Short; s != nil && s.Offset != nil {
		fields = append(fields, jen.Id(s.Offset.Path[0].Name).Int())
	}
	if len(fields) == 1 {
		return jen.Var().Add(b.local("args")).Id("struct").Values(fields...)
	}
	return jen.Var().Add(b.local("args")).Struct(fields...)
}

// argumentType returns the type of a parameter in the struct of arguments. For a parameter whose
// members are arguments, it is the struct and not a pointer, so that it always exists.
func argumentType(p *model.Param) types.Type {
	if t, ok := types.Unalias(p.Type).(*types.Pointer); ok && p.Inlined && !madeAs(p) {
		return t.Elem()
	}
	return p.Type
}

// madeAs reports whether a function makes the pointer for the parameter.
func madeAs(p *model.Param) bool {
	c := p.Field.Path[0].Convert
	return c != nil && types.Identical(c.Go, p.Type)
}

// provide calls the providers, each once, in the order of parameters, members and receiver. If
// providers have arguments, members come first, since the arguments may contain them.
func (b *body) provide() {
	if len(b.tool.Provided) > 0 {
		b.fillMembers()
	}
	for _, p := range b.tool.Func.Params {
		if p.Source == model.FromProvider {
			b.callOnce(p.Provider, providedName(p))
		}
	}
	if len(b.tool.Provided) == 0 {
		b.fillMembers()
	}
	if r := b.tool.Func.Receiver; r != nil && r.Provider != nil {
		if name := b.provided[r.Provider]; name != "" {
			b.add(b.local("recv").Op(":=").Id(name))
			return
		}
		b.supply(r.Provider)
		b.provider(r.Provider, b.locals.of("recv"))
	}
}

func (b *body) fillMembers() {
	for _, f := range b.plan.Fills {
		b.callOnce(f.Provider, f.Provider.Func)
		b.add(b.fill(operand{expr: b.local("args"), untagged: true}, f.Fields, f.Provider.Type, jen.Id(b.provided[f.Provider]))...)
	}
}

// callOnce calls a provider unless it was called before.
func (b *body) callOnce(p *model.Provider, name string) {
	if b.provided[p] != "" {
		return
	}
	b.supply(p)
	name = b.locals.user(name)
	taken := slices.Collect(maps.Values(b.provided))
	for slices.Contains(taken, name) {
		name += "2"
	}
	b.provided[p] = name
	b.provider(p, name)
}

// supply calls the providers that another one needs.
func (b *body) supply(p *model.Provider) {
	if call := b.tool.ProvidedBy(p); call != nil {
		for _, param := range call.Params {
			if param.Source == model.FromProvider {
				b.callOnce(param.Provider, param.Provider.Func)
			}
		}
	}
}

// fill sets a member of a value, unless a pointer on the way is nil: then the object of the member
// is missing. Embedded pointers are allocated, since they are part of the object around them.
func (b *body) fill(at operand, fields []codec.FillStep, t types.Type, value code) []jen.Code {
	var out []jen.Code
	at, pointers := at.follow(fields[0].Path)
	for _, p := range pointers {
		out = append(out, b.allocateNil(p))
	}
	if len(fields) == 1 {
		return append(out, b.untagged(t, at).set(value))
	}
	rest := b.fill(at, fields[1:], t, value)
	if fields[0].Pointer {
		rest = []jen.Code{jen.If(at.notNil()).Block(rest...)}
	}
	return append(out, rest...)
}

func (b *body) provider(p *model.Provider, name string) {
	args := []jen.Code{b.local("ctx")}
	if b.tool != nil {
		if call := b.tool.ProvidedBy(p); call != nil {
			args = b.arguments(call.Params, false)
		}
	}
	value := b.providerFunc(p).Call(args...)
	if !p.Error {
		b.add(jen.Id(name).Op(":=").Add(value))
		return
	}
	b.add(jen.List(jen.Id(name), b.local("err")).Op(":=").Add(value), b.giveUp(b.local("err")))
	b.hasErr = true
}

// providedName returns the name of the variable for a provided parameter.
func providedName(p *model.Param) string {
	if p.Name != "" && p.Name != "_" {
		return p.Name
	}
	t := types.Unalias(p.Type)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return "the" + codec.Camel(named.Obj().Name())
	}
	return "provided"
}

// arguments returns the arguments of a function call.
func (b *body) arguments(params []*model.Param, variadicLast bool) []jen.Code {
	var out []jen.Code
	for i, p := range params {
		variadic := variadicLast && i == len(params)-1
		var arg code
		switch p.Source {
		case model.FromContext:
			arg = b.local("ctx")
		case model.FromWhole:
			arg = b.local("args")
			if b.tool.Input.Pointer {
				arg = jen.Op("&").Add(arg)
			}
		case model.FromArgument:
			at := variable(b.local("args").Dot(p.Field.Path[0].Name))
			if path := b.plan.Shared[p]; path != nil {
				at, _ = variable(b.local("args")).follow(path)
			}
			if arg = at.value(); argumentType(p) != p.Type {
				arg = at.addr()
			}
		case model.FromProvider:
			arg = jen.Id(b.provided[p.Provider])
		case model.FromFixed:
			arg = b.literal(b.plan.Fixed[p], false)
		case model.FromZero:
			if variadic {
				continue
			}
			arg = b.zero(p.Type)
		default:
			b.fail("parameter %d of %s has no source", i+1, b.tool.Func.Symbol)
			continue
		}
		if variadic {
			arg.Op("...")
		}
		out = append(out, arg)
	}
	return out
}

// function returns the function to call.
func (b *body) function() code {
	switch recv := b.tool.Recv; {
	case recv != nil && recv.Source == model.FromWhole:
		return b.local("args").Dot(b.tool.Func.Name)
	case recv != nil:
		return b.local("args").Dot(recv.Field.Path[0].Name).Dot(b.tool.Func.Name)
	case b.tool.Func.Receiver != nil:
		return b.local("recv").Dot(b.tool.Func.Name)
	}
	return b.plainFunction(&b.tool.Func)
}

// plainFunction returns a function without a receiver, with its type arguments.
func (g *generator) plainFunction(f *model.Func) code {
	return g.declared(f.Pkg, f.Name).Types(g.parameters(f.TypeArgs, false, true)...)
}

// fields prints the table of the members of an object, below the assertions of what reads it.
func (g *generator) fields(o *codec.Object) {
	var lines, line []jen.Code
	n := 0
	for _, e := range o.Entries {
		key := "Name"
		if e.Required {
			key = "Must"
		}
		row := items{keyed(key, jen.Lit(e.Name))}
		row.flag("Null", e.Null)
		row.flag("ReadOnly", e.ReadOnly)
		row.list("Aliases", e.Aliases)
		value := jen.Values(row...)
		if n += width(value) + len(", "); n > lineWidth-4 && len(line) > 0 {
			lines, line, n = append(lines, jen.List(line...)), nil, width(value)+len(", ")
		}
		line = append(line, value)
	}
	if len(line) > 0 {
		lines = append(lines, jen.List(line...))
	}
	before := len("var  = wire.Fields{}") + len(o.Table())
	g.addBelow(define(o.Table(), g.wire("Fields").Add(composite(len(lines) > 1 || before+n > lineWidth, lines...))))
}
