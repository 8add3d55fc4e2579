package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// formMethod is the one method of mcp.Form.
const formMethod = "MCPFormNeedsDirective"

// formKinds are the runtime's constants.
var formKinds = map[model.FormKind]string{
	model.FormString:     "StringField",
	model.FormInteger:    "IntegerField",
	model.FormNumber:     "NumberField",
	model.FormBoolean:    "BooleanField",
	model.FormChoiceOne:  "ChoiceField",
	model.FormChoiceMany: "ChoicesField",
}

// forms prints what belongs to forms.
func (g *generator) forms() {
	for _, f := range g.p.Forms {
		g.form(f)
	}
}

func (g *generator) form(f *model.Form) {
	plan := g.plan.Forms[f]
	info := "mcpForm" + plan.Stem
	typ := g.typ(f.Type.Go)
	v, d := g.local("v"), g.local("d")
	g.add(formMethod+" describes the form and returns what reads an answer into v. It makes the type a form for mcp.Elicit.",
		id("func").Add(list("(", ")", false, v.Clone().Op("*").Add(typ))).Id(formMethod).Add(id("()"),
			list("(", ")", false, jen.Op("*").Add(g.mcp("FormInfo")), id("func").Add(list("(", ")", false, jen.Op("*").Add(g.wire("Decoder")))))).Block(
			id("return &"+info+",").Add(id("func"), list("(", ")", false, d.Clone().Op("*").Add(g.wire("Decoder"))), id("{"), call(g.fn(plan.Decode), d, v), id("}"))))
	var rows []jen.Code
	for _, field := range f.Fields {
		rows = append(rows, g.formField(field))
	}
	g.add(info+" are the fields that a user is asked for.",
		id("var "+info+" =").Add(g.mcp("FormInfo"), composite(true, keyed("Fields", jen.Index().Add(g.mcp("FormField"), composite(true, rows...))))))
}

func (g *generator) formField(f *model.FormField) code {
	var l items
	r := &f.Rules
	l.put("Name", id(strconv.Quote(f.Name)), true)
	l.put("Title", text(f.Title), f.Title != "")
	l.put("Description", text(f.Text), f.Text != "")
	l.put("Kind", g.mcp(formKinds[f.Kind]), f.Kind != model.FormString)
	l.put("Required", id("true"), f.Required)
	if f.Default != nil {
		l.put("Default", raw(f.Default.JSON), true)
	}
	l.put("Format", id(strconv.Quote(f.Format)), f.Format != "")
	switch f.Kind {
	case model.FormString:
		number(&l, "MinLength", r.Limit("minLength"))
		number(&l, "MaxLength", r.Limit("maxLength"))
	case model.FormInteger, model.FormNumber:
		l.put("Minimum", id(strconv.Quote(r.Limit("minimum"))), r.Limit("minimum") != "")
		l.put("Maximum", id(strconv.Quote(r.Limit("maximum"))), r.Limit("maximum") != "")
	case model.FormChoiceMany:
		number(&l, "MinItems", r.Limit("minItems"))
		number(&l, "MaxItems", r.Limit("maxItems"))
	}
	if len(f.Choices) > 0 {
		l.put("Choices", g.choices(f.Choices), true)
	}
	return composite(len(f.Choices) > 0 || width(composite(false, l...)) > lineWidth-16, l...)
}

func number(l *items, name, limit string) {
	l.put(name, id(limit), limit != "" && limit != "0")
}

func (g *generator) choices(list []model.FormChoice) code {
	var rows []jen.Code
	for _, c := range list {
		row := []jen.Code{keyed("Value", id(strconv.Quote(c.Value)))}
		if c.Title != "" {
			row = append(row, keyed("Title", id(strconv.Quote(c.Title))))
		}
		rows = append(rows, composite(false, row...))
	}
	return jen.Index().Add(g.mcp("FormChoice"), composite(true, rows...))
}
