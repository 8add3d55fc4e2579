package analyze

import (
	"encoding/json"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// completions determines how the arguments of a prompt or the variables of a template are
// completed: by the function that complete= names, or from an enumeration.
func (a *analyzer) completions(call *model.Call, d declared, fn *types.Func, at diag.Place) (all []*model.Completion, ok bool) {
	ok = true
	byName := map[string]*model.Completer{}
	recv := a.receiverType(d, fn)
	if call.Recv != nil {
		recv = nil // made of arguments, which are not known yet
	}
	for _, line := range a.argLines[call] {
		arg, set := line.Get("complete")
		if !set {
			continue
		}
		c := a.homeOf(arg.Pos).completer(arg, recv, at.At(arg.ValuePos).In("argument "+line.Name()))
		if c == nil {
			ok = false
			continue
		}
		name := line.Name()
		if renamed, set := line.String("name"); set {
			name = renamed
		}
		byName[name] = c
	}
	for _, f := range call.Input.Object.Fields {
		c := &model.Completion{Argument: f.Name, Func: byName[f.Name]}
		if c.Func == nil {
			c.Values = enumTexts(f)
		}
		if c.Func != nil || len(c.Values) > 0 {
			all = append(all, c)
		}
	}
	return all, ok
}

// noCompletion refuses complete= for tools: the protocol cannot complete their arguments.
func (a *analyzer) noCompletion(d declared, at diag.Place) bool {
	if d.set.Get("prompt") != nil || d.set.Get("resource") != nil {
		return true
	}
	ok := true
	for _, line := range d.set.All("arg") {
		if arg, set := line.Get("complete"); set {
			a.diags.Errorf(arg.Pos, at.In("argument "+line.Name()).Subject, "clients complete arguments of prompts and variables of resource templates, not arguments of tools").
				Hint = "leave complete= out"
			ok = false
		}
	}
	return ok
}

// noAlias refuses alias= for prompts and templates, since clients fill their arguments from the
// list of features.
func (a *analyzer) noAlias(call *model.Call, d declared, what string, at diag.Place) bool {
	ok := true
	for _, line := range d.set.All("arg") {
		if arg, set := line.Get("alias"); set && d.set.Get("tool") == nil {
			a.diags.Errorf(arg.Pos, at.In("argument "+line.Name()).Subject, "%s has no former names, since clients take the present ones from the list of features", what).
				Hint = "leave alias= out"
			ok = false
		}
	}
	for _, f := range call.Input.Object.Fields {
		f.Aliases = nil // set by lines for tools
	}
	return ok
}

// enumTexts returns the values of an enumeration as a user types them.
func enumTexts(f *model.Field) []string {
	t := f.Type
	for t.Kind == model.Pointer || t.Kind == model.Flagged || t.Kind == model.Converted {
		t = t.Elem
	}
	texts := f.Rules.Enum
	if len(texts) == 0 && t.Enum != nil {
		for _, v := range t.Enum.Values {
			texts = append(texts, v.JSON)
		}
	}
	var values []string
	for _, text := range texts {
		values = append(values, plain(text))
	}
	return values
}

// plain returns a JSON text as a user types it: a string without its quotes.
func plain(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

const completerForm = "func(ctx context.Context, prefix string) ([]string, error)"

// completer finds the function that complete= names: a method of the feature's receiver, or a
// function of the package. It returns nil after a diagnostic.
func (a *analyzer) completer(arg directive.Arg, recv types.Type, at diag.Place) *model.Completer {
	name := arg.Value
	found := a.lookupCompleter(name, recv)
	if found == nil {
		d := a.diags.Errorf(at.Pos, at.Subject, "there is no function or method %s", name)
		d.Hint = "declare it: " + completerForm
		if near := diag.Nearest(name, a.completerNames(recv)); near != "" {
			d.Hint = "did you mean " + near + "?"
		}
		return nil
	}
	sig := found.Signature()
	if !a.exported(found, "the function", at) {
		return nil
	}
	c := &model.Completer{Pkg: a.pkgOf(), Name: found.Name(), Symbol: a.symbol(found.Name()), Pos: a.position(found.Pos())}
	if !a.completerShape(c, sig) {
		a.diags.Errorf(at.Pos, at.Subject, "%s cannot complete: it is %s", name, a.shortType(sig)).
			Relate(c.Pos, "the function").
			Hint = "it must be " + completerForm + ", optionally with the other arguments, map[string]string, last; the error may be left out"
		return nil
	}
	if sig.Recv() != nil {
		var ok bool
		if c.Receiver, ok = a.receiverOf(recv, found, at); !ok {
			return nil
		}
		if p := c.Receiver.Provider; p != nil && p.NeedsMore() {
			a.diags.Errorf(at.Pos, at.Subject, "%s is a method of the value that %s makes, which needs arguments that are not known yet", name, p.Func).
				Relate(p.Pos, "the function").Hint = "write a function that completes"
			return nil
		}
		c.Symbol = types.TypeString(c.Receiver.Type, func(*types.Package) string { return "" }) + "." + name
		if _, ok := c.Receiver.Type.(*types.Pointer); ok {
			c.Symbol = "(*" + c.Receiver.TypeName + ")." + name
		}
		c.Symbol = a.symbol(c.Symbol)
	}
	return c
}

// lookupCompleter looks for a method first.
func (a *analyzer) lookupCompleter(name string, recv types.Type) *types.Func {
	if recv != nil {
		obj, _, _ := types.LookupFieldOrMethod(recv, true, a.pkg.Types, name)
		if m, ok := obj.(*types.Func); ok {
			return m
		}
	}
	found, _ := a.pkg.Types.Scope().Lookup(name).(*types.Func)
	return found
}

// completerNames returns the functions that could have been meant.
func (a *analyzer) completerNames(recv types.Type) []string {
	var names []string
	for _, name := range a.pkg.Types.Scope().Names() {
		if f, ok := a.pkg.Types.Scope().Lookup(name).(*types.Func); ok && a.completerShape(&model.Completer{}, f.Signature()) {
			names = append(names, name)
		}
	}
	if recv != nil {
		t := recv
		if _, ok := t.Underlying().(*types.Interface); !ok {
			if _, ok := t.(*types.Pointer); !ok {
				t = types.NewPointer(t)
			}
		}
		for m := range types.NewMethodSet(t).Methods() {
			if f, ok := m.Obj().(*types.Func); ok && a.completerShape(&model.Completer{}, f.Signature()) {
				names = append(names, f.Name())
			}
		}
	}
	return names
}

// completerShape reads the signature of such a function.
func (a *analyzer) completerShape(c *model.Completer, sig *types.Signature) bool {
	if sig.TypeParams().Len() > 0 || sig.Variadic() {
		return false
	}
	var params []types.Type
	for v := range sig.Params().Variables() {
		params = append(params, v.Type())
	}
	if len(params) > 0 && isContext(params[0]) {
		c.Context = true
		params = params[1:]
	}
	text := types.Typ[types.String]
	if len(params) == 2 && types.Identical(params[1], types.NewMap(text, text)) {
		c.Others = true
		params = params[:1]
	}
	if len(params) != 1 || !types.Identical(params[0], text) {
		return false
	}
	results := sig.Results()
	n := results.Len()
	if n == 2 && isError(results.At(1).Type()) {
		c.Error = true
		n--
	}
	if n != 1 {
		return false
	}
	c.Prefix, c.Result = params[0], results.At(0).Type()
	return types.Identical(c.Result, types.NewSlice(text))
}
