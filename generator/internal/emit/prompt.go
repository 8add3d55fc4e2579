package emit

import (
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// prompts prints what belongs to prompts.
func (g *generator) prompts() {
	for _, p := range g.p.Prompts {
		plan := g.plan.Calls[&p.Call]
		what := "the prompt " + strconv.Quote(p.Name)
		g.promptInfo(p, plan.Stem)
		g.answer("mcpGet"+plan.Stem, "answers "+what+".", "PromptResult", &body{tool: &p.Call, plan: plan, feature: promptFeature})
		if plan.Args != nil {
			g.fields(plan.Args, "the arguments of "+what)
		}
		g.completerFuncs(plan.Stem, what, p.Completions)
	}
}

// promptInfo prints the description of a prompt.
func (g *generator) promptInfo(p *model.Prompt, stem string) {
	var l items
	g.identity(&l, &p.Feature, p.Func.Symbol)
	if len(p.Icons) > 0 {
		l.put("Icons", g.icons(p.Icons), true)
	}
	if len(p.Meta) > 0 {
		l.put("Meta", g.meta(p.Meta), true)
	}
	if p.Input.Object != nil && len(p.Input.Object.Fields) > 0 {
		values := map[string][]string{}
		for _, c := range p.Completions {
			values[c.Argument] = c.Values
		}
		var rows []jen.Code
		for _, f := range p.Input.Object.Fields {
			rows = append(rows, g.promptArgument(f, values[f.Name]))
		}
		l.put("Arguments", jen.Index().Add(g.mcp("PromptArgument"), composite(true, rows...)), true)
	}
	l.put("Embeds", id("true"), p.Embeds())
	g.behaviour(&l, &p.Feature)
	g.add("mcpPrompt"+stem+" describes the prompt "+origin(p.Name, &p.Func)+".",
		id("var mcpPrompt"+stem+" =").Add(g.mcp("PromptInfo"), composite(true, l...)))
}

func (g *generator) promptArgument(f *model.Field, values []string) code {
	var l items
	l.put("Name", id(strconv.Quote(f.Name)), true)
	l.put("Title", text(f.Title), f.Title != "")
	l.put("Description", text(f.Description), f.Description != "")
	l.put("Required", id("true"), f.Required)
	l.put("NotBlank", id("true"), !f.Required && f.RefusesBlank())
	l.put("Values", stringList(values), len(values) > 0)
	return composite(width(composite(false, l...)) > lineWidth-16, l...)
}

// finishPrompt turns the value into the result of a prompt.
func (b *body) finishPrompt(t types.Type) {
	r := &b.tool.Result
	switch r.Kind {
	case model.ResultText:
		b.done(b.mcp("PromptText").Call(b.text(t)))
	case model.ResultPrompt:
		b.whole(r.Form, "PromptResult", "Messages", "PromptMessage")
	default:
		b.fail("result of %s is not a prompt", b.tool.Func.Symbol)
	}
}
