package emit

import (
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// prompts prints the declarations for prompts.
func (g *generator) prompts() {
	for _, p := range g.p.Prompts {
		plan := g.plan.Calls[&p.Call]
		what := "the prompt " + strconv.Quote(p.Name)
		g.promptInfo(p, plan.Stem)
		g.answer("mcpGet"+plan.Stem, "answers "+what+".", "PromptResult", &body{tool: &p.Call, plan: plan, feature: promptFeature})
		if plan.Args != nil {
			g.fields(plan.Args)
		}
		g.completerFuncs(plan.Stem, what, p.Completions)
	}
}

// promptInfo prints the description of a prompt.
func (g *generator) promptInfo(p *model.Prompt, stem string) {
	var l items
	g.identity(&l, &p.Feature, p.Func.Symbol)
	l.put("Icons", g.icons(p.Icons))
	l.put("Meta", g.meta(p.Meta))
	if p.Input.Object != nil && len(p.Input.Object.Fields) > 0 {
		values := map[string][]string{}
		for _, c := range p.Completions {
			values[c.Argument] = c.Values
		}
		var rows []jen.Code
		for _, f := range p.Input.Object.Fields {
			rows = append(rows, g.promptArgument(f, values[f.Name]))
		}
		l.put("Arguments", jen.Index().Add(g.mcp("PromptArgument"), composite(true, rows...)))
	}
	if p.Input.Object != nil {
		l.list("ReadOnly", readOnlyNames(p.Input.Object))
	}
	l.flag("Embeds", p.Embeds())
	g.behaviour(&l, &p.Feature)
	g.add("mcpPrompt"+stem+" describes the prompt "+origin(p.Name, &p.Func)+".",
		define("mcpPrompt"+stem, g.mcp("PromptInfo").Add(composite(true, l...))))
}

// readOnlyNames returns the names of the members that no client may send, without those that it
// cannot know.
func readOnlyNames(object *model.Type) []string {
	var names []string
	for _, f := range object.Hidden {
		if f.Unlisted == "" {
			names = append(names, f.Name)
		}
	}
	return names
}

func (g *generator) promptArgument(f *model.Field, values []string) code {
	l := items{keyed("Name", jen.Lit(f.Name))}
	l.text("Title", f.Title)
	l.text("Description", f.Description)
	l.flag("Required", f.Required)
	l.flag("NotBlank", !f.Required && f.RefusesBlank())
	l.list("Values", values)
	return composite(width(jen.Values(l...)) > lineWidth-16, l...)
}

// finishPrompt converts the value to the result of a prompt.
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
