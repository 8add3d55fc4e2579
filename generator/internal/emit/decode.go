package emit

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

// operand has the expressions for a value, for its address, and for what selectors and
// brackets follow.
type operand struct {
	value, addr, base string
}

// variable is the operand of a variable.
func variable(name string) operand { return operand{name, "&" + name, name} }

// pointer is the operand that an expression points to.
func pointer(expr string) operand { return operand{"*" + expr, expr, expr} }

func (p operand) field(name string) operand { return variable(p.base + "." + name) }

// at follows selectors.
func (p operand) at(path []codec.Step) operand {
	for _, s := range path {
		p = p.field(s.Name)
	}
	return p
}

// slice is an array as a slice.
func (p operand) slice() string { return p.base + "[:]" }

// fn is a function of runtime/wire or of the generated file.
func (g *generator) fn(f codec.Func) code {
	if f.Local {
		return id(f.Name)
	}
	return g.wire(f.Name)
}

// method is a method expression.
func (g *generator) method(t types.Type, name string) code { return g.converter(t).Dot(name) }

// read prints the reading of a value and its checks.
func (g *generator) read(r *codec.Read, v operand) []jen.Code {
	args := []jen.Code{g.local("d")}
	switch {
	case r.Array:
		args = append(args, id(v.slice()))
	case r.AsAny:
		args = append(args, id("(*any)("+v.addr+")"))
	case r.Cast != nil:
		args = append(args, jen.Parens(jen.Op("**").Add(g.typ(r.Cast))).Parens(id(v.addr)))
	case r.Flagged != "":
		args = append(args, id(v.field(r.Flagged).addr), id(v.field("Valid").addr))
	default:
		args = append(args, id(v.addr))
	}
	if r.Method != "" {
		args = append(args, g.method(types.NewPointer(r.Type), r.Method))
	}
	if r.Enum != nil {
		args = append(args, id(r.Enum.Name()))
	}
	if r.Schema != nil {
		args = append(args, id(r.Schema.Name()))
	}
	if r.Choice != "" {
		args = append(args, id(strconv.Quote(r.Choice)))
	}
	if r.Format != "" {
		args = append(args, g.wire(r.Format))
	}
	if r.Elem != nil {
		args = append(args, g.fn(*r.Elem))
	}
	if r.Convert != nil {
		args = append(args, g.object(r.Convert))
	}
	out := []jen.Code{call(g.fn(r.Func), args...)}
	if len(r.Checks) == 0 {
		return out
	}
	var nils []string
	for range r.Deref {
		nils = append(nils, v.value+" != nil")
		v = pointer(v.value)
	}
	var checks []jen.Code
	for _, c := range r.Checks {
		checks = append(checks, g.check(c, v))
	}
	if len(nils) == 0 {
		return append(out, checks...)
	}
	return append(out, id("if "+strings.Join(nils, " && ")).Block(checks...))
}

func (g *generator) check(c *codec.Check, v operand) code {
	value := v.value
	switch {
	case c.Len:
		value = "len(" + value + ")"
	case c.Array:
		value = v.slice()
	}
	args := []jen.Code{g.local("d"), id(value)}
	switch {
	case c.Pattern != nil:
		args = append(args, id(c.Pattern.Name()))
	case c.Format != "":
		args = append(args, g.wire(c.Format))
	case c.Text != "":
		args = append(args, id(c.Text))
	}
	return call(g.wire(c.Func), args...)
}

// defaults prints the values that are set before an object is read.
func (g *generator) defaults(o *codec.Object, v operand) []jen.Code {
	var out []jen.Code
	allocated := map[string]bool{}
	for _, d := range o.Defaults {
		at := v
		for i, s := range d.Path {
			at = at.field(s.Name)
			if s.Pointer != nil && i < len(d.Path)-1 && !allocated[at.value] {
				allocated[at.value] = true
				out = append(out, id(at.value).Op("=").Add(call(id("new"), g.typ(s.Pointer))))
			}
		}
		out = append(out, id(at.value).Op("=").Add(g.literal(d.Value, false)))
	}
	return out
}

// loop prints the reading of the members of an object.
func (g *generator) loop(o *codec.Object, v operand) code {
	var cases []jen.Code
	allocated := allocatedBy(o.Defaults, v)
	for _, m := range o.Members {
		cases = append(cases, id("case "+strconv.Quote(m.Name)+":"))
		cases = append(cases, g.member(m, v, allocated)...)
	}
	loop := g.local("o")
	next := id("for").Add(loop, id(":=").Add(call(g.local("d").Dot("Object"), id(o.Table()))), id(";"), call(loop.Clone().Dot("Next")), id(";"))
	if len(cases) == 0 {
		return next.Block()
	}
	return next.Block(id("switch").Add(call(loop.Clone().Dot("Name"))).Block(cases...))
}

// allocatedBy are the embedded pointers that defaults have allocated.
func allocatedBy(defaults []*codec.Default, v operand) map[string]bool {
	out := map[string]bool{}
	for _, d := range defaults {
		at := v
		for i, s := range d.Path {
			at = at.field(s.Name)
			if s.Pointer != nil && i < len(d.Path)-1 {
				out[at.value] = true
			}
		}
	}
	return out
}

func (g *generator) member(m *codec.Member, v operand, allocated map[string]bool) []jen.Code {
	var out []jen.Code
	at := v
	for i, s := range m.Path {
		at = at.field(s.Name)
		if s.Pointer != nil && i < len(m.Path)-1 && !allocated[at.value] {
			out = append(out, id("if "+at.value+" == nil").Block(id(at.value).Op("=").Add(call(id("new"), g.typ(s.Pointer)))))
		}
	}
	if m.Null != nil {
		return append(out, id("if").Add(call(g.local("d").Dot("Null"))).Block(
			id(at.value).Op("=").Add(g.zero(m.Null)),
		).Else().Block(g.read(m.Read, at)...))
	}
	if m.Reset != nil {
		out = append(out, id(at.value).Op("=").Add(g.zero(m.Reset)))
	}
	return append(out, g.read(m.Read, at)...)
}

// codecs prints tables, decoders and encoders.
func (g *generator) codecs() {
	for _, e := range g.plan.Enums {
		g.enum(e)
	}
	for _, p := range g.plan.Patterns {
		g.add(p.Name()+" is compiled when it is first needed.",
			id("var "+p.Name()+" =").Add(call(g.wire("NewPattern"), raw(p.Expr))))
	}
	for _, s := range g.plan.Schemas {
		g.add(s.Name()+" is read when it is first needed.",
			id("var "+s.Name()+" =").Add(call(g.wire("NewSchema"), raw(s.JSON))))
	}
	for _, f := range g.plan.Fixed {
		doc := " returns a value that no client can change."
		if f.Default {
			doc = " returns the value of a missing argument."
		}
		made := call(g.impl("Fixed").Types(g.typ(f.Go)), id(strconv.Quote(f.What)), raw(f.JSON), g.fn(f.Read))
		g.add(f.Ident+doc, id("func "+f.Ident+"()").Add(g.typ(f.Go)).Block(id("return").Add(made)))
	}
	for _, d := range g.plan.Decoders {
		g.decoder(d)
	}
	for _, e := range g.plan.Encoders {
		g.encoder(e)
	}
}

func (g *generator) enum(e *codec.Enum) {
	var values []jen.Code
	n := 0
	for _, v := range e.Values {
		value := g.literal(v, false)
		n += width(jen.Add(value)) + 2
		values = append(values, value)
	}
	doc := "the values that are accepted for " + g.describe(e.Go)
	if e.What != "" {
		doc = e.What
	}
	g.add(e.Name()+" are "+doc+".",
		id("var "+e.Name()+" =").Index().Add(g.typ(e.Go), composite(n > lineWidth-40, values...)))
}

// describe is a type in a comment.
func (g *generator) describe(t types.Type) string {
	s := types.TypeString(t, func(p *types.Package) string {
		if p.Path() == g.p.Path {
			return ""
		}
		return p.Name()
	})
	if len(s) > 60 || strings.Contains(s, "struct{") {
		return "unnamed type"
	}
	return s
}

// valueOf is a value of a type in a comment.
func (g *generator) valueOf(t types.Type) string {
	if s := g.describe(t); s != "unnamed type" {
		return "a value of type " + s
	}
	return "a value of a type that has no name"
}

func (g *generator) decoder(d *codec.Decoder) {
	v := pointer(g.locals.of("v"))
	var lines []jen.Code
	doc := d.Name() + " reads " + g.valueOf(d.Go) + "."
	switch {
	case d.Object != nil:
		lines = append(g.defaults(d.Object, v), g.loop(d.Object, v))
	case d.Union != nil:
		lines = g.readUnion(d.Union, v)
	default:
		lines = g.read(d.Value, v)
	}
	g.add(doc, id("func "+d.Name()).Add(list("(", ")", false,
		g.local("d").Op("*").Add(g.wire("Decoder")),
		g.local("v").Op("*").Add(g.typ(d.Go)),
	)).Block(lines...))
	g.structGuard(d.Go)
	if d.Object != nil {
		g.fields(d.Object, "the members of "+g.valueOf(d.Go))
	}
}
