package analyze

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// collectPrompts turns every //mcp:prompt into a prompt of the model.
func (a *analyzer) collectPrompts() {
	for _, d := range a.selected("prompt") {
		if p := a.prompt(d); p != nil {
			a.out.Prompts = append(a.out.Prompts, p)
		}
	}
}

// finishPrompts puts the prompts in the order of their names.
func (a *analyzer) finishPrompts() {
	slices.SortFunc(a.out.Prompts, func(x, y *model.Prompt) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Func.Symbol, y.Func.Symbol))
	})
	names := a.claims()
	for _, p := range a.out.Prompts {
		names.take(p.Name, "the name \""+p.Name+"\" is already published", "give one of them another name: //mcp:prompt name=...",
			claim{"prompt " + p.Func.Symbol, p.Func.Symbol, p.Pos})
	}
}

// prompt builds one prompt. It returns nil if it reported a diagnostic.
func (a *analyzer) prompt(d declared) *model.Prompt {
	at := diag.Place{Pos: d.dir.Pos, Subject: "prompt " + d.set.Name}
	fn := a.annotated(d, at)
	if fn == nil {
		return nil
	}
	p := &model.Prompt{}
	var ok bool
	if p.Func, ok = a.function(fn, d, at); !ok {
		return nil
	}
	settings := a.settingsFor(d)
	a.readTags(settings, d.set)
	p.Feature, ok = a.feature(d, settings, a.goodName, at)
	ok = a.input(&p.Call, p.Name, d, fn, at) && ok
	if p.Input.Object != nil && len(p.Input.Object.Fields) > 0 {
		ok = a.textArguments(&p.Call, nil, "an argument of a prompt", at) && ok
		ok = a.noAlias(&p.Call, d, "an argument of a prompt", at) && ok
		completions, good := a.completions(&p.Call, d, fn, at)
		p.Completions, ok = completions, ok && good
	}
	result, good := a.result(d, fn, a.promptResult, at)
	if p.Result = result; good {
		good = a.promptShape(&result, at)
	}
	if !ok || !good {
		return nil
	}
	return p
}

const promptForms = "return a string, mcp.PromptMessage, []mcp.PromptMessage or *mcp.PromptResult, optionally with an error"

// promptResult determines the result for the one value of a prompt.
func (a *analyzer) promptResult(res *model.Result, t types.Type, at diag.Place) bool {
	if a.types.EncodesText(t) {
		return a.encodedText(res, t, at)
	}
	if isText(t) {
		res.Kind = model.ResultText
		return true
	}
	if form, name := runtimeForm(t); name == "PromptMessage" && form != model.FormPointer && form != model.FormWhole || name == "PromptResult" && form != model.FormMany {
		if res.Kind, res.Form = model.ResultPrompt, form; name == "PromptResult" && form == model.FormOne {
			res.Form = model.FormWhole
		}
		return true
	}
	a.diags.Errorf(at.Pos, at.Subject, "a prompt cannot be made from %s", a.shortType(t)).Hint = promptForms
	return false
}

// promptShape refuses results that prompts cannot express.
func (a *analyzer) promptShape(res *model.Result, at diag.Place) bool {
	for _, v := range res.Values {
		if v.Role == model.RoleFound {
			a.diags.Errorf(at.Pos, at.Subject, "a prompt is always found, so it has no use for a bool").Hint = "return an error"
			return false
		}
	}
	if res.Member != nil && res.Member.Pointer {
		a.diags.Errorf(at.Pos, at.Subject, "a prompt must not be missing, and the struct with its text may be nil").Hint = "annotate a function that returns the text"
		return false
	}
	if t := res.Text; t != nil && t.Kind == model.Pointer {
		a.diags.Errorf(at.Pos, at.Subject, "a prompt must not be missing, and the pointer to the value of its text may be nil").
			Hint = "return " + a.shortType(t.Elem.Go) + ", or let //mcp:encode take the pointer"
		return false
	}
	if res.Kind == model.ResultNone || res.Object {
		a.diags.Errorf(at.Pos, at.Subject, "a prompt needs one value").Hint = promptForms
		return false
	}
	return true
}

// runtimeForm recognises T, []T and *T of a type of the runtime and returns its name.
func runtimeForm(t types.Type) (form model.ResultForm, name string) {
	t = types.Unalias(t)
	switch u := t.(type) {
	case *types.Slice:
		t, form = types.Unalias(u.Elem()), model.FormMany
	case *types.Pointer:
		t, form = types.Unalias(u.Elem()), model.FormPointer
	}
	if named := runtimeType(t); named != nil {
		return form, named.Obj().Name()
	}
	return form, ""
}
