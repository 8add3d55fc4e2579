package emit

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// server prints NewMCPServer, if the package has a server of its own.
func (g *generator) server() {
	s := g.p.Server
	if s == nil {
		return
	}
	info := []jen.Code{keyed("Name", text(s.Name))}
	for _, f := range []struct{ name, value string }{
		{"Title", s.Title},
		{"Version", s.Version},
		{"Description", s.Description},
		{"Instructions", s.Instructions},
		{"Website", s.Website},
	} {
		if f.value != "" {
			info = append(info, keyed(f.name, text(f.value)))
		}
	}
	if len(s.Icons) > 0 {
		info = append(info, keyed("Icons", g.icons(s.Icons)))
	}
	if s.TTL > 0 {
		info = append(info, keyed("ListTTL", g.duration(s.TTL)))
	}
	if s.Cache == "private" {
		info = append(info, keyed("PrivateLists", id("true")))
	}
	var params []jen.Code
	register := []jen.Code{g.local("s")}
	for _, r := range g.p.Receivers {
		name := id(g.locals.user(r.Param))
		params = append(params, name.Clone().Add(g.typ(r.Type)))
		register = append(register, name)
	}
	params = append(params, g.local("opts").Op("...").Add(g.mcp("Option")))
	g.add("NewMCPServer returns a server that offers "+g.offered()+". Options override the directives.",
		id("func NewMCPServer").Add(g.params(params...)).Op("*").Add(g.mcp("Server")).Block(
			g.local("s").Op(":=").Add(call(g.mcp("NewServer"), g.mcp("ServerInfo").Add(composite(true, info...)), g.local("opts").Op("..."))),
			call(id("RegisterMCP"), register...),
			id("return").Add(g.local("s")),
		))
}

// offered says which features the file is about.
func (g *generator) offered() string {
	const own = "the features of this package"
	if len(g.p.From) == 0 {
		return own
	}
	var names []string
	for _, p := range g.p.From {
		names = append(names, p.Path())
	}
	from := "features of " + strings.Join(names, " and ")
	if slices.ContainsFunc(g.p.Calls(), func(c *model.Call) bool { return c.Func.Pkg == nil }) {
		return own + ", and " + from
	}
	return from
}

// params is a list of parameters, broken over lines where it is long.
func (g *generator) params(list ...jen.Code) code {
	c := call(jen.Null(), list...)
	if width(c) > lineWidth-30 {
		return callWrapped(jen.Null(), list...)
	}
	return c
}

// register prints RegisterMCP.
func (g *generator) register() {
	params := []jen.Code{g.local("r").Add(g.mcp("Registrar"))}
	for _, r := range g.p.Receivers {
		params = append(params, id(g.locals.user(r.Param)).Add(g.typ(r.Type)))
	}
	var body []jen.Code
	if g.common != (defaults{}) {
		body = append(body, g.applyDefaults())
	}
	body = append(body, g.tryFixed()...)
	body = append(body, g.askChoices()...)
	for _, t := range g.p.Tools {
		stem := g.plan.Tools[t].Stem
		info := g.withChoices("Tool", "&mcpTool"+stem, &t.Call)
		feature := call(g.impl("FuncTool"), info, id("mcpCall"+stem))
		if r := t.Func.Receiver; r != nil && r.Provider == nil {
			feature = call(g.impl("MethodTool"), info, id(g.locals.user(r.Param)), id("mcpCall"+stem))
		}
		if t.Task != nil {
			feature = call(g.qualified(taskPath, "mcptask", "Tool"), feature, g.taskSupport(t.Task))
		}
		body = append(body, call(jen.Add(g.registrar(g.toolDefaults(t))).Dot("Register"), feature))
	}
	body = append(body, g.registerFeatures()...)
	doc := "RegisterMCP registers " + g.offered() + "."
	switch len(g.p.Receivers) {
	case 0:
	case 1:
		doc += " It does not touch the receiver: for listing, nil will do."
	default:
		doc += " It does not touch the receivers: for listing, nil will do."
	}
	g.add(doc, id("func RegisterMCP").Add(g.params(params...)).Block(body...))
}

// tryFixed prints calls of the functions for constants and defaults, which panic if a type
// refuses its value.
func (g *generator) tryFixed() []jen.Code {
	var lines []jen.Code
	for _, f := range g.plan.Fixed {
		lines = append(lines, call(id(f.Ident)))
	}
	return lines
}

// taskSupport is how calls of a tool become tasks.
func (g *generator) taskSupport(t *model.Task) code {
	var l items
	l.put("Required", id("true"), t.Required)
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"Inline", t.Inline}, {"TTL", t.TTL}, {"Poll", t.Poll}} {
		if f.value > 0 {
			l.put(f.name, g.duration(f.value), true)
		}
	}
	l.put("Restart", id("true"), t.Restart)
	return g.qualified(taskPath, "mcptask", "Support").Add(composite(false, l...))
}

// info prints the description of a tool.
func (g *generator) info(t *model.Tool, stem string, hasOutput bool) {
	l := items{keyed("Name", text(t.Name))}
	put := func(name string, value jen.Code, when bool) {
		l.put(name, value, when)
	}
	put("Title", text(t.Title), t.Title != "")
	put("Description", text(t.Description), t.Description != "")
	put("Symbol", text(t.Func.Symbol), true)
	put("Groups", stringList(t.Groups), len(t.Groups) > 0)
	put("Scopes", stringList(t.Scopes), len(t.Scopes) > 0)
	put("Hints", g.hints(t.Hints), t.Hints != model.Hints{})
	if len(t.Icons) > 0 {
		put("Icons", g.icons(t.Icons), true)
	}
	if len(t.Meta) > 0 {
		put("Meta", g.meta(t.Meta), true)
	}
	put("Aliases", stringList(t.Aliases), len(t.Aliases) > 0)
	put("Requires", g.capabilities(t.Requires), len(t.Requires) > 0)
	put("InputSchema", id("mcpInput"+stem), true)
	put("OutputSchema", id("mcpOutput"+stem), hasOutput)
	put("TextOnly", id("true"), t.Output == model.OutputText && t.Result.Output != nil)
	put("Embeds", id("true"), t.Embeds())
	put("MaxResult", id(strconv.FormatInt(t.MaxResult, 10)), t.MaxResult > 0)
	if t.Input != nil && t.Input.Object != nil {
		var names []string
		for _, f := range t.Input.Object.Fields {
			names = append(names, f.Name)
		}
		put("Narrow", stringList(names), len(names) > 0 && t.MaxResult > 0)
	}
	g.putDefaults(&l, g.toolDefaults(t))
	put("Lenient", id("true"), t.Lenient)
	g.add("mcpTool"+stem+" describes the tool "+origin(t.Name, &t.Func)+".",
		id("var mcpTool"+stem+" =").Add(g.mcp("ToolInfo"), composite(true, l...)))
}

// origin is the quoted name of a feature with the function that it comes from.
func origin(name string, f *model.Func) string {
	kind := "func"
	if f.Receiver != nil {
		kind = "method"
	}
	return strconv.Quote(name) + " (" + kind + " " + f.Symbol + ")"
}

func (g *generator) hints(h model.Hints) code {
	var on []jen.Code
	for _, hint := range []struct {
		name string
		on   bool
	}{
		{"ReadOnly", h.ReadOnly},
		{"Destructive", h.Destructive},
		{"Idempotent", h.Idempotent},
		{"OpenWorld", h.OpenWorld},
	} {
		if hint.on {
			on = append(on, keyed(hint.name, id("true")))
		}
	}
	return g.mcp("ToolHints").Add(composite(false, on...))
}

func (g *generator) icons(icons []model.Icon) code {
	var list []jen.Code
	for _, i := range icons {
		l := items{keyed("Source", text(i.Source))}
		l.put("MIMEType", text(i.MIMEType), i.MIMEType != "")
		l.put("Sizes", stringList(i.Sizes), len(i.Sizes) > 0)
		l.put("Theme", text(i.Theme), i.Theme != "")
		list = append(list, composite(false, l...))
	}
	return jen.Index().Add(g.mcp("Icon"), composite(len(list) > 1, list...))
}

func (g *generator) meta(members []model.Meta) code {
	var list []jen.Code
	for _, m := range members {
		list = append(list, id(strconv.Quote(m.Key)+":").Add(call(id("[]byte"), text(m.JSON))))
	}
	return g.mcp("Meta").Add(composite(true, list...))
}

// stringList is a []string literal.
func stringList(values []string) code {
	var list []jen.Code
	for _, v := range values {
		list = append(list, id(strconv.Quote(v)))
	}
	long := len(strings.Join(values, `", "`)) > lineWidth-30
	return stringSlice().Add(composite(long, list...))
}
