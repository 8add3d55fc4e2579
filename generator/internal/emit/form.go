package emit

import (
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

// forms prints the declarations for forms.
func (g *generator) forms() {
	for _, f := range g.p.Forms {
		g.form(f)
	}
}

func (g *generator) form(f *model.Form) {
	plan := g.plan.Forms[f]
	info := "mcpForm" + plan.Stem
	v, d := g.local("v"), g.local("d")
	typ := jen.Op("*").Add(g.typ(f.Type.Go))
	decoder := jen.Op("*").Add(g.wire("Decoder"))
	read := jen.Func().Params(d.Clone().Add(decoder)).Add(inline(g.fn(plan.Decode).Call(d, v)))
	g.add(formMethod+" describes the form and returns the decoder of answers into v. It makes the type a form for mcp.Elicit.",
		jen.Func().Params(v.Clone().Add(typ)).Id(formMethod).Params().
			Params(jen.Op("*").Add(g.mcp("FormInfo")), jen.Func().Params(decoder)).
			Block(jen.Return(jen.Op("&").Id(info), read)))
	var rows []jen.Code
	for _, field := range f.Fields {
		rows = append(rows, g.formField(field))
	}
	fields := jen.Index().Add(g.mcp("FormField"), composite(true, rows...))
	g.add(info+" are the fields that a user is asked for.",
		define(info, g.mcp("FormInfo").Add(composite(true, keyed("Fields", fields)))))
}

func (g *generator) formField(f *model.FormField) code {
	var l items
	l.put("Name", jen.Lit(f.Name))
	l.text("Title", f.Title)
	l.text("Description", f.Text)
	if f.Kind != model.FormString {
		l.put("Kind", g.mcp(formKinds[f.Kind]))
	}
	l.flag("Required", f.Required)
	if f.Default != nil {
		l.put("Default", raw(f.Default.JSON))
	}
	l.quoted("Format", f.Format)
	switch r := &f.Rules; f.Kind {
	case model.FormString:
		l.count("MinLength", r.Limit("minLength"))
		l.count("MaxLength", r.Limit("maxLength"))
	case model.FormInteger, model.FormNumber:
		l.quoted("Minimum", r.Limit("minimum"))
		l.quoted("Maximum", r.Limit("maximum"))
	case model.FormChoiceMany:
		l.count("MinItems", r.Limit("minItems"))
		l.count("MaxItems", r.Limit("maxItems"))
	}
	if len(f.Choices) > 0 {
		l.put("Choices", g.choices(f.Choices))
	}
	return composite(len(f.Choices) > 0 || width(jen.Values(l...)) > lineWidth-16, l...)
}

func (g *generator) choices(list []model.FormChoice) code {
	var rows []jen.Code
	for _, c := range list {
		row := items{keyed("Value", jen.Lit(c.Value))}
		row.quoted("Title", c.Title)
		rows = append(rows, jen.Values(row...))
	}
	return jen.Index().Add(g.mcp("FormChoice"), composite(true, rows...))
}
