package emit

import (
	"go/types"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

// operand is a variable, or the target of an expression.
type operand struct {
	expr   code // followed by selectors and brackets
	behind bool // the value is the target of expr
	// untagged is set if its type is one that typ prints, whatever the tags of the struct that
	// contains it.
	untagged bool
}

func variable(name code) operand { return operand{expr: name} }

func pointer(expr code) operand { return operand{expr: expr, behind: true} }

// value returns the expression of the value.
func (p operand) value() code {
	if p.behind {
		return jen.Op("*").Add(p.expr)
	}
	return p.expr.Clone()
}

// addr returns the expression of its address.
func (p operand) addr() code {
	if p.behind {
		return p.expr.Clone()
	}
	return jen.Op("&").Add(p.expr)
}

// anyAddr returns the address of a value of a defined type whose underlying type is any.
func (p operand) anyAddr() code { return jen.Parens(jen.Op("*").Any()).Parens(p.addr()) }

// slice returns an array as a slice.
func (p operand) slice() code { return p.expr.Clone().Index(jen.Empty(), jen.Empty()) }

func (p operand) isNil() code { return p.value().Op("==").Nil() }

func (p operand) notNil() code { return p.value().Op("!=").Nil() }

func (p operand) set(value jen.Code) code { return p.value().Op("=").Add(value) }

func (p operand) field(name string) operand { return variable(p.expr.Clone().Dot(name)) }

// embedded is an embedded pointer, with the type that it points to.
type embedded struct {
	operand
	elem types.Type
}

// follow follows selectors. It also returns the embedded pointers on the way.
func (p operand) follow(path []codec.Step) (field operand, pointers []embedded) {
	untagged := p.untagged && len(path) == 1
	for i, s := range path {
		p = p.field(s.Name)
		if s.Pointer != nil && i < len(path)-1 {
			pointers = append(pointers, embedded{p, s.Pointer})
		}
	}
	p.untagged = untagged
	return p, pointers
}

// allocate prints the assignment of a new value to an embedded pointer.
func (g *generator) allocate(p embedded) code { return p.set(jen.New(g.typ(p.elem))) }

// allocateNil is like allocate, if the pointer is nil.
func (g *generator) allocateNil(p embedded) code { return jen.If(p.isNil()).Block(g.allocate(p)) }

// fn returns a function of runtime/wire or of the generated file.
func (g *generator) fn(f codec.Func) code {
	if f.Local {
		return jen.Id(f.Name)
	}
	return g.wire(f.Name)
}

// method returns a method expression.
func (g *generator) method(t types.Type, name string) code { return g.converter(t).Dot(name) }

// read prints the reading of a value and its checks.
func (g *generator) read(r *codec.Read, v operand) []jen.Code {
	if r.Flagged == "" && r.Func.Name != "Reflect" { // which reads the tags
		v = g.untagged(r.Go, v)
	}
	args := []jen.Code{g.local("d")}
	switch {
	case r.Array:
		args = append(args, v.slice())
	case r.AsAny:
		args = append(args, v.anyAddr())
	case r.Cast != nil:
		args = append(args, jen.Parens(jen.Op("**").Add(g.typ(r.Cast))).Parens(v.addr()))
	case r.Flagged != "":
		args = append(args, g.untagged(r.Go, v.field(r.Flagged)).addr(), v.field(r.Flag).addr())
	default:
		args = append(args, v.addr())
	}
	if r.Method != "" {
		args = append(args, g.method(types.NewPointer(r.Type), r.Method))
	}
	if r.Enum != nil {
		args = append(args, jen.Id(r.Enum.Name()))
	}
	if r.Schema != nil {
		args = append(args, jen.Id(r.Schema.Name()))
	}
	if r.Choice != "" {
		args = append(args, jen.Lit(r.Choice))
	}
	if r.Format != "" {
		args = append(args, g.wire(r.Format))
	}
	if r.Layout != "" {
		args = append(args, jen.Lit(r.Layout))
	}
	if r.Unit > 0 {
		args = append(args, jen.Lit(int(r.Unit)))
	}
	if r.Elem != nil {
		args = append(args, g.fn(*r.Elem))
	}
	if r.Convert != nil {
		args = append(args, g.convertedFunc(r.Convert))
	}
	fn, limits, rest := g.withLimits(r)
	out := []jen.Code{fn.Call(append(args, limits...)...)}
	if len(rest) == 0 {
		return out
	}
	var there, checks []jen.Code
	for range r.Deref {
		there = append(there, v.notNil())
		v = pointer(v.value())
	}
	for _, c := range rest {
		checks = append(checks, g.check(c, v))
	}
	if len(there) > 0 {
		checks = []jen.Code{jen.If(infix("&&", there...)).Block(checks...)}
	}
	return append(out, checks...)
}

// limited maps functions of runtime/wire that read a value, with the functions that check its
// limits, to functions that do both.
var limited = map[string]string{
	"Int Minimum":                "IntFrom",
	"Int Minimum Maximum":        "IntWithin",
	"String MinLength":           "StringFrom",
	"String MaxLength":           "StringTo",
	"String MinLength MaxLength": "StringWithin",
}

// withLimits returns the function that reads a value and checks its first limits, as many as one
// function does, with the limits and the remaining checks.
func (g *generator) withLimits(r *codec.Read) (fn code, limits []jen.Code, rest []*codec.Check) {
	fn, rest = g.fn(r.Func), r.Checks
	if r.Func.Local || r.Deref > 0 || r.AsAny || r.Array || r.Cast != nil || r.Flagged != "" {
		return fn, nil, rest
	}
	var texts []jen.Code
	names := r.Func.Name
	for i, c := range r.Checks {
		if c.Len || c.Array || c.Text == "" {
			break
		}
		names += " " + c.Func
		texts = append(texts, verbatim(c.Text))
		if name := limited[names]; name != "" {
			fn, limits, rest = g.wire(name), texts, r.Checks[i+1:]
		}
	}
	return fn, limits, rest
}

func (g *generator) check(c *codec.Check, v operand) code {
	value := v.value()
	switch {
	case c.Len:
		value = jen.Len(value)
	case c.Array:
		value = v.slice()
	}
	args := []jen.Code{g.local("d"), value}
	switch {
	case c.Pattern != nil:
		args = append(args, jen.Id(c.Pattern.Name()))
	case c.Format != "":
		args = append(args, g.wire(c.Format))
	case c.Text != "":
		args = append(args, verbatim(c.Text))
	}
	return g.wire(c.Func).Call(args...)
}

// readObject prints the reading of an object: its defaults, the statements that precede the
// reading, and its members.
func (g *generator) readObject(o *codec.Object, v operand, before ...jen.Code) []jen.Code {
	var out, cases []jen.Code
	allocated := map[string]bool{} // embedded pointers
	for _, m := range o.Made {
		t := g.typ(m.Go)
		if m.Optional {
			t = jen.Op("*").Add(t)
		}
		out = append(out, jen.Var().Id(m.Ident).Add(t))
	}
	for _, d := range o.Defaults {
		if d.Made != nil && d.Made.Optional {
			continue // see allocateMembers
		}
		at, pointers := from(d.Made, v).follow(d.Path)
		for _, p := range pointers {
			if name := source(p.expr); !allocated[name] {
				allocated[name] = true
				out = append(out, g.allocate(p))
			}
		}
		out = append(out, g.untagged(d.Value.Type, at).set(g.literal(d.Value, false)))
	}
	for _, alike := range groups(o) {
		m := alike[0].Member
		if len(alike) > 1 {
			cases = append(cases, g.readAlike(alike, v))
			continue
		}
		lines := g.member(m, v, allocated)
		if m.Made != nil && m.Made.Optional {
			lines = append([]jen.Code{g.allocateMembers(o, m.Made)}, lines...)
		}
		cases = append(cases, jen.Case(jen.Lit(m.Name)).Block(lines...))
	}
	var body []jen.Code
	if len(cases) > 0 {
		body = append(body, jen.Switch(g.local("o").Dot("Name").Call()).Block(cases...))
	}
	table := g.local("d").Dot("Object").Call(jen.Id(o.Table()))
	loop := jen.For(g.local("o").Op(":=").Add(table), g.local("o").Dot("Next").Call(), jen.Empty()).Block(body...)
	out = append(append(out, before...), loop)
	for _, m := range o.Made {
		out = append(out, g.makeValue(o, m, v)...)
	}
	return out
}

// from returns the operand at which the path of a member begins.
func from(m *codec.Made, v operand) operand {
	if m == nil {
		return v
	}
	return variable(jen.Id(m.Ident))
}

// allocateMembers prints the allocation of the variable for the members of an optional value, for
// when the first of them is read.
func (g *generator) allocateMembers(o *codec.Object, m *codec.Made) code {
	members := variable(jen.Id(m.Ident))
	lines := []jen.Code{members.set(jen.New(g.typ(m.Go)))}
	for _, d := range o.Defaults {
		if d.Made != m {
			continue
		}
		at, pointers := members.follow(d.Path)
		for _, p := range pointers {
			lines = append(lines, g.allocateNil(p))
		}
		lines = append(lines, at.set(g.literal(d.Value, false)))
	}
	return jen.If(members.isNil()).Block(lines...)
}

// makeValue prints the call of the function that makes a value from members that were read.
func (g *generator) makeValue(o *codec.Object, m *codec.Made, v operand) []jen.Code {
	var out []jen.Code
	at, pointers := v.follow(m.Path)
	for _, p := range pointers {
		out = append(out, g.allocateNil(p))
	}
	members := jen.Id(m.Ident)
	switch {
	case m.Optional && !m.Pointer:
		members = jen.Op("*").Id(m.Ident)
	case !m.Optional && m.Pointer:
		members = jen.Op("&").Id(m.Ident)
	}
	if m.Behind != nil {
		out = append(out, at.set(jen.New(g.typ(m.Behind))))
		at = pointer(at.value())
	}
	out = append(out, g.wire("Made").Call(g.local("d"), jen.Lit(o.Subject(m)), at.addr(), members, g.object(m.Convert)))
	if m.Optional {
		return []jen.Code{jen.If(jen.Id(m.Ident).Op("!=").Nil()).Block(out...)}
	}
	return out
}

func (g *generator) member(m *codec.Member, v operand, allocated map[string]bool) []jen.Code {
	var out []jen.Code
	at, pointers := from(m.Made, v).follow(m.Path)
	for _, p := range pointers {
		if !allocated[source(p.expr)] {
			out = append(out, g.allocateNil(p))
		}
	}
	switch {
	case m.Null != nil:
		null := g.clear(m.Null, at)
		return append(out, jen.If(g.local("d").Dot("Null").Call()).Block(null).Else().Block(g.read(m.Read, at)...))
	case m.Reset != nil:
		out = append(out, g.clear(m.Reset, at))
	}
	return append(out, g.read(m.Read, at)...)
}

// codecs prints tables, decoders and encoders.
func (g *generator) codecs() {
	for _, e := range g.plan.Enums {
		g.enum(e)
	}
	for _, p := range g.plan.Patterns {
		g.add(p.Name()+" is compiled when it is first needed.", define(p.Name(), g.wire("NewPattern").Call(raw(p.Expr))))
	}
	for _, s := range g.plan.Schemas {
		g.add(s.Name()+" is read when it is first needed.", define(s.Name(), g.wire("NewSchema").Call(raw(s.JSON))))
	}
	for _, f := range g.plan.Fixed {
		doc := " returns a value that no client can change."
		if f.Default {
			doc = " returns the value of a missing argument."
		}
		made := g.impl("Fixed").Types(g.typ(f.Go)).Call(jen.Lit(f.What), raw(f.JSON), g.fn(f.Read))
		g.add(f.Ident+doc, jen.Func().Id(f.Ident).Params().Add(g.typ(f.Go)).Block(jen.Return(made)))
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
		n += width(value) + 2
		values = append(values, value)
	}
	doc := "the values that are accepted for " + g.describe(e.Go)
	if e.What != "" {
		doc = e.What
	}
	g.add(e.Name()+" are "+doc+".", define(e.Name(), jen.Index().Add(g.typ(e.Go), composite(n > lineWidth-40, values...))))
}

// describe returns a type for a comment.
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

func (g *generator) decoder(d *codec.Decoder) {
	v := pointer(g.local("v"))
	v.untagged = !hasName(d.Go)
	g.declareStruct(d.Go)
	var lines []jen.Code
	switch {
	case d.Object != nil:
		lines = g.readObject(d.Object, v)
	case d.Union != nil:
		lines = []jen.Code{g.readUnion(d.Union, v)}
	default:
		lines = g.read(d.Value, v)
	}
	g.addBare(jen.Func().Id(d.Name()).Params(
		g.local("d").Op("*").Add(g.wire("Decoder")),
		g.local("v").Op("*").Add(g.typ(d.Go)),
	).Block(lines...))
	g.structGuard(d.Go)
	if d.Object != nil {
		g.fields(d.Object)
	}
}
