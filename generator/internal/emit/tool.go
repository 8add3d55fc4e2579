package emit

import (
	"go/types"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// countSchemas finds what the schemas of the file have in common.
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

// tool prints what belongs to one tool alone.
func (g *generator) tool(t *model.Tool) {
	plan := g.plan.Tools[t]
	stem := plan.Stem
	output := g.schemas.output(t)
	g.info(t, stem, output != "")
	g.schema("mcpInput"+stem, "the input schema of the tool "+strconv.Quote(t.Name), g.schemas.input(t))
	if output != "" {
		g.schema("mcpOutput"+stem, "the output schema of the tool "+strconv.Quote(t.Name), output)
	}
	g.call(t, plan)
	g.guard(&t.Call)
	if plan.Args != nil {
		g.fields(plan.Args, "the arguments of the tool "+strconv.Quote(t.Name))
	}
}

// schema prints a schema as a constant, and after it those of the texts in it that occur
// several times, if this is the first one of each. Such a text may be a whole schema.
func (g *generator) schema(name, what, json string) {
	var used []*sharedText
	g.jsonConstant(name, "is "+what, g.shared.compose(json, false, &used))
	for i := 0; i < len(used); i++ {
		if k := used[i]; !k.printed {
			k.printed = true
			g.jsonConstant(k.name, "occurs several times in schemas", g.shared.compose(k.text, true, &used))
		}
	}
}

func (g *generator) jsonConstant(name, says, text string) {
	value := g.longText(breakJSON(text, len("const = ")+len(name), lineWidth-4))
	g.add(name+" "+says+".", id("const "+name+" =").Add(value))
}

// call prints the function that answers a tool.
func (g *generator) call(t *model.Tool, plan *codec.Tool) {
	params := []jen.Code{
		g.local("ctx").Add(g.std("context", "Context")),
		g.local("req").Op("*").Add(g.mcp("Request")),
	}
	if r := t.Func.Receiver; r != nil && r.Provider == nil {
		params = append(params, g.local("recv").Add(g.typ(r.Type)))
	}
	b := &body{generator: g, tool: &t.Call, plan: plan, provided: map[*model.Provider]string{}, mime: t.MIME}
	b.decode()
	b.provide()
	b.invoke()
	g.add("mcpCall"+plan.Stem+" answers calls of the tool "+strconv.Quote(t.Name)+".",
		id("func mcpCall"+plan.Stem).Add(g.params(params...), list("(", ")", false, jen.Op("*").Add(g.mcp("ToolResult")), id("error"))).
			Block(b.lines...))
}

// body collects the statements of one such function.
type body struct {
	*generator
	tool     *model.Call
	plan     *codec.Tool
	lines    []jen.Code
	provided map[*model.Provider]string // variable of each
	hasErr   bool                       // err is declared
	feature  feature
	failed   code   // what is returned with an error, nil for nil
	mime     string // of a blob
}

func (b *body) add(lines ...jen.Code) { b.lines = append(b.lines, lines...) }

// giveUp is the block that returns an error.
func (b *body) giveUp() code {
	failed := id("nil")
	if b.failed != nil {
		failed = b.failed.Clone()
	}
	return id("if").Add(b.local("err")).Op("!=").Id("nil").Block(id("return").Add(failed).Op(",").Add(b.local("err")))
}

// guarded is if err := expr; err != nil { return nil, err }.
func (b *body) guarded(expr jen.Code) code {
	return id("if").Add(b.local("err")).Op(":=").Add(expr, id(";")).Add(b.local("err")).Op("!=").Id("nil").
		Block(id("return nil,").Add(b.local("err")))
}

// decode reads the arguments.
func (b *body) decode() {
	in := b.tool.Input
	switch {
	case b.plan.Whole != nil:
		b.add(id("var").Add(b.local("args"), b.typ(in.Object.Go)))
		b.add(b.local("d").Op(":=").Add(call(b.impl("Decoder"), b.local("req"))))
		b.add(b.read(b.plan.Whole, variable(b.locals.of("args")))...)
	case b.plan.Args != nil:
		b.add(b.argsVar())
		b.add(b.defaults(b.plan.Args, variable(b.locals.of("args")))...)
		b.add(b.local("d").Op(":=").Add(call(b.impl("Decoder"), b.local("req"))))
		b.add(b.loop(b.plan.Args, variable(b.locals.of("args"))))
	case b.feature == resourceFeature:
		return // the URI is all there is
	default:
		b.add(b.guarded(call(b.impl("NoArguments"), b.local("req"))))
		return
	}
	b.add(b.guarded(call(b.local("d").Dot("Finish"))))
}

// argsVar declares a variable with a field for each argument.
func (b *body) argsVar() code {
	var fields []jen.Code
	for _, p := range b.tool.Func.Params {
		if p.Source == model.FromArgument {
			fields = append(fields, id(p.Field.Path[0].Name).Add(b.typ(argumentType(p))))
		}
	}
	return id("var").Add(b.local("args"), structType(fields...))
}

// argumentType is the type of a parameter in the struct of arguments: of one whose members
// are arguments, the struct and no pointer, so that it is there in any case.
func argumentType(p *model.Param) types.Type {
	if t, ok := types.Unalias(p.Type).(*types.Pointer); ok && p.Inlined {
		return t.Elem()
	}
	return p.Type
}

// provide calls the providers, each once, in the order of parameters, members and
// receiver.
func (b *body) provide() {
	for _, p := range b.tool.Func.Params {
		if p.Source == model.FromProvider {
			b.callOnce(p.Provider, providedName(p))
		}
	}
	for _, f := range b.plan.Fills {
		b.callOnce(f.Provider, f.Provider.Func)
		b.fill(f)
	}
	if r := b.tool.Func.Receiver; r != nil && r.Provider != nil {
		if name := b.provided[r.Provider]; name != "" {
			b.add(b.local("recv").Op(":=").Add(id(name)))
			return
		}
		b.provider(r.Provider, b.locals.of("recv"))
	}
}

// callOnce calls a provider unless it has been called.
func (b *body) callOnce(p *model.Provider, name string) {
	if b.provided[p] != "" {
		return
	}
	name = b.locals.user(name)
	for slices.Contains(b.taken(), name) {
		name += "2"
	}
	b.provided[p] = name
	b.provider(p, name)
}

// fill sets a member of the arguments.
func (b *body) fill(f *codec.Fill) {
	b.add(b.fillFrom(variable(b.locals.of("args")), f.Fields, b.provided[f.Provider])...)
}

// fillFrom sets a member of a value. Nothing is set where a pointer on the way is nil: what
// holds the member is missing then. Embedded pointers are a part of what holds them.
func (b *body) fillFrom(at operand, fields []codec.FillStep, value string) []jen.Code {
	var out []jen.Code
	path := fields[0].Path
	for i, step := range path {
		at = at.field(step.Name)
		if step.Pointer != nil && i < len(path)-1 {
			out = append(out, id("if "+at.value+" == nil").Block(id(at.value).Op("=").Add(call(id("new"), b.typ(step.Pointer)))))
		}
	}
	if len(fields) == 1 {
		return append(out, id(at.value).Op("=").Id(value))
	}
	rest := b.fillFrom(at, fields[1:], value)
	if fields[0].Pointer {
		return append(out, id("if "+at.value+" != nil").Block(rest...))
	}
	return append(out, rest...)
}

func (b *body) taken() []string {
	var out []string
	for _, name := range b.provided {
		out = append(out, name)
	}
	return out
}

func (b *body) provider(p *model.Provider, name string) {
	value := call(b.declared(p.Pkg, p.Func), b.local("ctx"))
	if !p.Error {
		b.add(id(name).Op(":=").Add(value))
		return
	}
	b.add(id(name + ",").Add(b.local("err")).Op(":=").Add(value))
	b.add(b.giveUp())
	b.hasErr = true
}

// providedName is the name of the variable for a provided parameter.
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

// arguments are what the function is called with.
func (b *body) arguments() []jen.Code {
	var out []jen.Code
	params := b.tool.Func.Params
	for i, p := range params {
		spread := b.tool.Func.Variadic && i == len(params)-1
		switch p.Source {
		case model.FromContext:
			out = append(out, b.local("ctx"))
		case model.FromWhole:
			arg := b.local("args")
			if b.tool.Input.Pointer {
				arg = jen.Op("&").Add(arg)
			}
			out = append(out, arg)
		case model.FromArgument:
			arg := b.local("args").Dot(p.Field.Path[0].Name)
			if argumentType(p) != p.Type {
				arg = jen.Op("&").Add(arg)
			}
			if spread {
				arg = arg.Op("...")
			}
			out = append(out, arg)
		case model.FromProvider:
			arg := id(b.provided[p.Provider])
			if spread {
				arg = arg.Op("...")
			}
			out = append(out, arg)
		case model.FromFixed:
			arg := jen.Add(b.literal(b.plan.Fixed[p], false))
			if spread {
				arg = arg.Op("...")
			}
			out = append(out, arg)
		case model.FromZero:
			if !spread {
				out = append(out, b.zero(p.Type))
			}
		default:
			b.fail("parameter %d of %s has no source", i+1, b.tool.Func.Symbol)
		}
	}
	return out
}

// function is what is called.
func (b *body) function() code {
	if b.tool.Func.Receiver != nil {
		return b.local("recv").Dot(b.tool.Func.Name)
	}
	return b.plainFunction(&b.tool.Func)
}

// plainFunction names a function without a receiver, with its type arguments.
func (g *generator) plainFunction(f *model.Func) code {
	name := g.declared(f.Pkg, f.Name)
	if len(f.TypeArgs) == 0 {
		return name
	}
	var args []jen.Code
	for _, t := range f.TypeArgs {
		args = append(args, g.typ(t))
	}
	return name.Add(list("[", "]", false, args...))
}

// breakArgs breaks a call over lines where it is long.
func breakArgs(fn code, before int, args []jen.Code) code {
	n := before + width(fn.Clone())
	for _, a := range args {
		n += width(jen.Add(a)) + len(", ")
	}
	if n > lineWidth {
		return callWrapped(fn, args...)
	}
	return call(fn, args...)
}

// fields prints the table of the members of an object.
func (g *generator) fields(o *codec.Object, what string) {
	var rows []jen.Code
	for _, e := range o.Entries {
		row := []jen.Code{keyed("Name", id(strconv.Quote(e.Name)))}
		if e.Required {
			row = append(row, keyed("Required", id("true")))
		}
		if e.Null {
			row = append(row, keyed("Null", id("true")))
		}
		rows = append(rows, composite(false, row...))
	}
	g.add(o.Table()+" are "+what+".", id("var "+o.Table()+" =").Add(g.wire("Fields"), composite(true, rows...)))
}
