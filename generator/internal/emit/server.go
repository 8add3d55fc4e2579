package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// server prints NewMCPServer, if the package declares a server.
func (g *generator) server() {
	s := g.p.Server
	if s == nil {
		return
	}
	info := items{keyed("Name", text(s.Name))}
	info.text("Title", s.Title)
	info.text("Version", s.Version)
	info.text("Description", s.Description)
	info.text("Instructions", s.Instructions)
	info.text("Website", s.Website)
	info.put("Icons", g.icons(s.Icons))
	info.put("ListTTL", g.positive(s.TTL))
	info.flag("PrivateLists", s.Cache == "private")
	var params []jen.Code
	register := []jen.Code{g.local("s")}
	for _, r := range g.p.Receivers {
		name := jen.Id(g.locals.user(r.Param))
		params = append(params, name.Clone().Add(g.typ(r.Type)))
		register = append(register, name)
	}
	params = append(params, g.local("opts").Op("...").Add(g.mcp("Option")))
	server := g.mcp("NewServer").Call(g.mcp("ServerInfo").Add(composite(true, info...)), g.local("opts").Op("..."))
	g.add("NewMCPServer returns a server that offers "+g.offered()+". Options override the directives.",
		jen.Func().Id("NewMCPServer").Add(breakParams(params...)).Op("*").Add(g.mcp("Server")).Block(
			g.local("s").Op(":=").Add(server),
			jen.Id("RegisterMCP").Call(register...),
			jen.Return(g.local("s")),
		))
}

// offered names the features in the file.
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
	if slices.ContainsFunc(g.p.Calls(), func(c *model.Call) bool { return c.Func.Pkg == nil }) ||
		slices.ContainsFunc(g.p.Skills, func(s *model.Skills) bool { return s.Pkg == nil && (s.Func == nil || s.Func.Pkg == nil) }) {
		return own + ", and " + from
	}
	return from
}

// register prints RegisterMCP.
func (g *generator) register() {
	params := []jen.Code{g.local("r").Add(g.mcp("Registrar"))}
	for _, r := range g.p.Receivers {
		params = append(params, jen.Id(g.locals.user(r.Param)).Add(g.typ(r.Type)))
	}
	var body []jen.Code
	if g.common != (defaults{}) {
		body = append(body, g.applyDefaults())
	}
	body = append(body, g.tryFixed()...)
	body = append(body, g.askChoices()...)
	for _, t := range g.p.Tools {
		stem := g.plan.Tools[t].Stem
		info, answer := g.withChoices("Tool", "mcpTool"+stem, &t.Call), jen.Id("mcpCall"+stem)
		feature := g.impl("FuncTool").Call(info, answer)
		if r := t.Func.Receiver; r.Passed() {
			feature = g.impl("MethodTool").Call(info, jen.Id(g.locals.user(r.Param)), answer)
		}
		if t.Task != nil {
			feature = g.qualified(taskPath, "mcptask", "Tool").Call(feature, g.taskSupport(t.Task))
		}
		body = append(body, g.registrar(g.toolDefaults(t)).Dot("Register").Call(feature))
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
	g.add(doc, jen.Func().Id("RegisterMCP").Add(breakParams(params...)).Block(body...))
}

// tryFixed prints calls of the functions for constants and defaults, which panic if a type refuses
// its value.
func (g *generator) tryFixed() []jen.Code {
	var lines []jen.Code
	for _, f := range g.plan.Fixed {
		lines = append(lines, jen.Id(f.Ident).Call())
	}
	return lines
}

// taskSupport returns the description of how calls of a tool become tasks.
func (g *generator) taskSupport(t *model.Task) code {
	var l items
	l.flag("Required", t.Required)
	l.put("Inline", g.positive(t.Inline))
	l.put("TTL", g.positive(t.TTL))
	l.put("Poll", g.positive(t.Poll))
	l.flag("Restart", t.Restart)
	return g.qualified(taskPath, "mcptask", "Support").Values(l...)
}

// info prints the description of a tool.
func (g *generator) info(t *model.Tool, stem string, used *[]*sharedText) {
	l := items{keyed("Name", text(t.Name))}
	l.text("Title", t.Title)
	l.text("Description", t.Description)
	l.put("Symbol", text(t.Func.Symbol))
	l.list("Groups", t.Groups)
	l.list("Scopes", t.Scopes)
	l.put("Hints", g.hints(t.Hints))
	l.put("Icons", g.icons(t.Icons))
	l.put("Meta", g.meta(t.Meta))
	l.list("Aliases", t.Aliases)
	l.list("ArgumentAliases", t.ArgumentAliases())
	l.put("Requires", g.capabilities(t.Requires))
	l.put("InputSchema", g.schema("InputSchema", g.schemas.input(t), used))
	if output := g.schemas.output(t); output != "" {
		l.put("OutputSchema", g.schema("OutputSchema", output, used))
	}
	l.put("UI", g.toolUI(t.UI))
	l.flag("TextOnly", t.Output == model.OutputText && t.Result.Output != nil)
	l.flag("Embeds", t.Embeds())
	if t.MaxResult > 0 {
		l.put("MaxResult", integer(t.MaxResult))
	}
	l.list("Narrow", t.Narrow)
	g.putDefaults(&l, g.toolDefaults(t))
	l.flag("Lenient", t.Lenient)
	g.addBare(define("mcpTool"+stem, g.mcp("ToolInfo").Add(composite(true, l...))))
}

// origin returns the quoted name of a feature with the function behind it.
func origin(name string, f *model.Func) string {
	kind := "func"
	if f.Receiver != nil {
		kind = "method"
	}
	return strconv.Quote(name) + " (" + kind + " " + f.Symbol + ")"
}

// hints returns the hints, or nil if none is set.
func (g *generator) hints(h model.Hints) code {
	var on items
	on.flag("ReadOnly", h.ReadOnly)
	on.flag("Destructive", h.Destructive)
	on.flag("Idempotent", h.Idempotent)
	on.flag("OpenWorld", h.OpenWorld)
	if len(on) == 0 {
		return nil
	}
	return g.mcp("ToolHints").Values(on...)
}

// icons returns a list of icons, or nil.
func (g *generator) icons(icons []model.Icon) code {
	if len(icons) == 0 {
		return nil
	}
	var list []jen.Code
	for _, i := range icons {
		l := items{keyed("Source", text(i.Source))}
		l.text("MIMEType", i.MIMEType)
		l.list("Sizes", i.Sizes)
		l.text("Theme", i.Theme)
		list = append(list, jen.Values(l...))
	}
	return jen.Index().Add(g.mcp("Icon"), composite(len(list) > 1, list...))
}

// meta returns the members, or nil.
func (g *generator) meta(members []model.Meta) code {
	if len(members) == 0 {
		return nil
	}
	var list []jen.Code
	for _, m := range members {
		list = append(list, jen.Lit(m.Key).Op(":").Index().Byte().Call(text(m.JSON)))
	}
	return g.mcp("Meta").Add(composite(true, list...))
}

// stringList returns a []string literal.
func stringList(values []string) code {
	var list []jen.Code
	for _, v := range values {
		list = append(list, jen.Lit(v))
	}
	long := len(strings.Join(values, `", "`)) > lineWidth-30
	return stringSlice().Add(composite(long, list...))
}
