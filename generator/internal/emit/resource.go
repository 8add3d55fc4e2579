package emit

import (
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// resources prints the declarations for resources and templates.
func (g *generator) resources() {
	for _, r := range g.p.Resources {
		g.resource(r, "Resource")
	}
	for _, r := range g.p.Templates {
		g.resource(r, "Template")
	}
}

func (g *generator) resource(r *model.Resource, kind string) {
	plan := g.plan.Calls[&r.Call]
	what := "the resource " + strconv.Quote(r.URI)
	if kind == "Template" {
		what = "the resource template " + strconv.Quote(r.URI)
	}
	g.resourceInfo(r, kind, plan.Stem, what)
	if r.Value == nil {
		g.answer("mcpRead"+plan.Stem, "reads "+what+".", "ResourceResult", &body{tool: &r.Call, plan: plan, feature: resourceFeature, page: r.UI != nil})
	}
	if plan.Args != nil {
		g.fields(plan.Args)
	}
	g.completerFuncs(plan.Stem, what, r.Completions)
}

// resourceInfo prints the description of a resource or template.
func (g *generator) resourceInfo(r *model.Resource, kind, stem, what string) {
	var l items
	if r.Files() {
		g.filesInfo(r, stem)
		return
	}
	if kind == "Template" {
		l.put("URITemplate", text(r.URI))
	} else {
		l.put("URI", text(r.URI))
	}
	g.identity(&l, &r.Feature, r.Symbol())
	l.put("Icons", g.icons(r.Icons))
	l.put("UI", g.pageUI(r.UI))
	l.put("Meta", g.meta(r.Meta))
	l.text("MIMEType", r.MIME)
	l.put("Annotations", g.annotations(r))
	if rows := g.variables(r); len(rows) > 0 {
		l.put("Variables", jen.Index().Add(g.mcp("TemplateVariable"), composite(true, rows...)))
	}
	g.readInfo(&l, r)
	name := "mcp" + kind + stem
	from := "func"
	switch {
	case r.Value != nil:
		from = "value"
	case r.Func.Receiver != nil:
		from = "method"
	}
	g.add(name+" describes "+what+" ("+from+" "+r.Symbol()+").", define(name, g.mcp(kind+"Info").Add(composite(true, l...))))
}

// readInfo puts the options for reading a resource, if there are any.
func (g *generator) readInfo(l *items, r *model.Resource) {
	var in items
	in.put("TTL", g.positive(r.TTL))
	if r.Cache != "" {
		in.put("Cache", g.mcp(map[string]string{"public": "CachePublic", "private": "CachePrivate"}[r.Cache]))
	}
	g.behaviour(&in, &r.Feature)
	if len(in) > 0 {
		l.put("ReadInfo", g.mcp("ReadInfo").Add(composite(width(jen.Values(in...)) > lineWidth-30, in...)))
	}
}

// filesInfo prints the description of embedded files.
func (g *generator) filesInfo(r *model.Resource, stem string) {
	var l items
	l.put("Prefix", text(r.URI))
	l.put("Name", text(r.Name))
	l.text("Title", r.Title)
	l.text("Description", r.Description)
	l.list("Groups", r.Groups)
	l.list("Scopes", r.Scopes)
	l.put("Annotations", g.annotations(r))
	if r.MIME != "" {
		l.put("MIMEType", jen.Func().Params(jen.String()).String().Add(inline(jen.Return(jen.Lit(r.MIME)))))
	}
	g.readInfo(&l, r)
	g.add("mcpTemplate"+stem+" describes the files of "+r.Symbol()+" below "+strconv.Quote(r.URI)+".",
		define("mcpTemplate"+stem, g.mcp("FilesInfo").Add(composite(true, l...))))
}

// annotations returns the audience and the priority of a resource, or nil if neither is set.
func (g *generator) annotations(r *model.Resource) code {
	var l items
	var audience []jen.Code
	for _, role := range r.Audience {
		audience = append(audience, g.mcp(map[string]string{"user": "RoleUser", "assistant": "RoleAssistant"}[role]))
	}
	if len(audience) > 0 {
		l.put("Audience", jen.Index().Add(g.mcp("Role")).Values(audience...))
	}
	if r.Priority != "" {
		number, err := strconv.ParseFloat(r.Priority, 64)
		if err != nil {
			g.fail("priority of %s: %w", r.URI, err)
		}
		l.put("Priority", jen.New(jen.Lit(number)))
	}
	if len(l) == 0 {
		return nil
	}
	return jen.Op("&").Add(g.mcp("Annotations")).Values(l...)
}

// variables lists the variables with a fixed set of values.
func (g *generator) variables(r *model.Resource) []jen.Code {
	var rows []jen.Code
	for _, c := range r.Completions {
		if c.Func == nil {
			rows = append(rows, jen.Values(keyed("Name", jen.Lit(c.Argument)), keyed("Values", stringList(c.Values))))
		}
	}
	return rows
}

// resourceFeature returns the feature that RegisterMCP registers.
func (g *generator) resourceFeature(kind string, r *model.Resource) code {
	stem := g.plan.Calls[&r.Call].Stem
	info := "mcp" + kind + stem
	if r.Value == nil {
		return g.registered(kind, g.withChoices(kind, info, &r.Call), "mcpRead"+stem, r.Func.Receiver, g.completers(stem, r.Completions))
	}
	value := g.declared(r.Value.Pkg, r.Value.Name)
	switch r.Value.Kind {
	case model.ValueFiles:
		return g.mcp("NewFS").Call(jen.Id("mcpTemplate"+stem), value)
	case model.ValueBytes:
		if r.UI != nil { // a text is smaller than base64
			return g.mcp("TextResource").Call(jen.Op("&").Id(info), jen.String().Call(value))
		}
		return g.mcp("BlobResource").Call(jen.Op("&").Id(info), value)
	}
	if !types.Identical(r.Value.Type, types.Typ[types.String]) && !isUntyped(r.Value.Type) {
		value = jen.String().Call(value)
	}
	return g.mcp("TextResource").Call(jen.Op("&").Id(info), value)
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// finishResource converts the value to the result of a resource.
func (b *body) finishResource(t types.Type) {
	v := b.result()
	r := &b.tool.Result
	switch r.Kind {
	case model.ResultText:
		b.done(b.mcp("TextContents").Call(b.text(t)))
	case model.ResultBlob:
		if b.page {
			b.done(b.mcp("TextContents").Call(jen.String().Call(v.value())))
			return
		}
		b.done(b.mcp("BlobContents").Call(v.value()))
	case model.ResultReader:
		b.notNil(t)
		b.add(jen.Return(b.impl("ReadBlob").Call(b.local("req"), v.value())))
	case model.ResultResource:
		b.whole(r.Form, "ResourceResult", "Contents", "ResourceContents")
	case model.ResultStructured:
		b.structured(v, b.impl("JSONContents").Call(b.local("req"), b.local("e")))
	default:
		b.fail("result of %s is not a resource", b.tool.Func.Symbol)
	}
}

// notNil returns "nothing found" for a nil pointer or interface.
func (b *body) notNil(t types.Type) {
	if isNilable(t) {
		b.add(b.nothing(b.result().isNil()))
	}
}

// whole returns a value of one of the runtime's types. outer is the struct for the parts.
func (b *body) whole(form model.ResultForm, outer, field, part string) {
	v := b.result()
	put := func(parts code) code {
		return jen.Op("&").Add(b.mcp(outer)).Values(keyed(field, parts))
	}
	switch form {
	case model.FormMany:
		b.done(put(v.value()))
	case model.FormOne:
		b.done(put(jen.Index().Add(b.mcp(part)).Values(v.value())))
	case model.FormWhole:
		b.done(v.addr())
	default:
		b.done(v.value())
	}
}
