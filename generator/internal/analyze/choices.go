package analyze

import (
	"encoding/json"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

const choicesForm = "func() []string, or func(context.Context) ([]string, error)"

// choices finds the functions of choices=, and the defaults and examples that must be among their
// values.
func (a *analyzer) choices(call *model.Call, at diag.Place) bool {
	functions := map[string]*types.Func{}
	outer := a
	for _, line := range a.argLines[call] {
		arg, set := line.Get(keyword.Choices)
		if !set {
			continue
		}
		a := outer.homeOf(arg.Pos)
		at := at.At(arg.ValuePos).In("argument " + line.Name())
		found, _ := a.pkg.Types.Scope().Lookup(arg.Value).(*types.Func)
		if found == nil {
			e := a.diags.Errorf(at.Pos, at.Subject, "there is no function %s", arg.Value)
			e.Hint = "declare it: " + choicesForm
			if near := diag.Nearest(arg.Value, a.choicesNames()); near != "" {
				e.Hint = "did you mean " + near + "?"
			}
			return false
		}
		if _, ok := choicesShape(found.Signature()); !ok {
			a.diags.Errorf(at.Pos, at.Subject, "%s has no choices: it is %s", arg.Value, a.shortType(found.Signature())).
				Relate(a.position(found.Pos()), "the function").Hint = "it must be " + choicesForm
			return false
		}
		if !a.exported(found, "the function", at) {
			return false
		}
		if other := functions[arg.Value]; other != nil && other != found {
			a.diags.Errorf(at.Pos, at.Subject, "there are choices of two functions %s, of the packages %s and %s", arg.Value, other.Pkg().Path(), found.Pkg().Path()).
				Hint = "give one of the functions another name"
			return false
		}
		functions[arg.Value] = found
	}
	if len(functions) == 0 || call.Input == nil || call.Input.Object == nil {
		return true
	}
	w := &choicesWalk{seen: map[*model.Type]bool{}}
	w.walk(call.Input.Object, nil)
	for _, c := range w.found {
		if f := functions[c.Name]; f != nil {
			c.Pkg = a.declaring(f.Pkg())
			c.Error, _ = choicesShape(f.Signature())
			call.Choices = append(call.Choices, c)
		}
	}
	return true
}

// choicesShape reports whether a function returns choices, and whether it takes a context and
// returns an error.
func choicesShape(sig *types.Signature) (withError, ok bool) {
	results := sig.Results()
	if sig.TypeParams().Len() > 0 || sig.Variadic() || results.Len() == 0 ||
		!types.Identical(results.At(0).Type(), types.NewSlice(types.Typ[types.String])) {
		return false, false
	}
	switch {
	case sig.Params().Len() == 0 && results.Len() == 1:
		return false, true
	case sig.Params().Len() == 1 && isContext(sig.Params().At(0).Type()) && results.Len() == 2 && isError(results.At(1).Type()):
		return true, true
	}
	return false, false
}

// choicesNames returns the functions that could have been meant.
func (a *analyzer) choicesNames() (names []string) {
	for _, name := range a.pkg.Types.Scope().Names() {
		if f, ok := a.pkg.Types.Scope().Lookup(name).(*types.Func); ok {
			if _, ok := choicesShape(f.Signature()); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// choicesWalk finds the fields with choices.
type choicesWalk struct {
	seen  map[*model.Type]bool
	found []*model.Choices
}

// walk visits a type. values are its values in the defaults around it.
func (w *choicesWalk) walk(t *model.Type, values []any) {
	for ; t != nil; t = t.Elem {
		if w.seen[t] {
			return
		}
		w.seen[t] = true
		for _, f := range t.Fields {
			w.field(f, members(values, f.Name))
		}
		if t.Union != nil {
			for _, v := range t.Union.Variants {
				w.walk(v.Type, values)
			}
		}
		switch t.Kind {
		case model.Slice, model.Array, model.Map:
			values = elements(values)
		}
	}
}

func (w *choicesWalk) field(f *model.Field, values []any) {
	if value, ok := decoded(f.Default); ok {
		values = slices.Insert(values, 0, value)
	}
	for rules := &f.Rules; rules != nil; rules = rules.Elem {
		if name := rules.Limit(keyword.Choices); name != "" {
			c := &model.Choices{Argument: f.Name, Name: name}
			for _, value := range values {
				c.Texts = appendTexts(c.Texts, value)
			}
			for _, text := range f.Examples {
				if value, ok := decoded(&model.Value{JSON: text}); ok {
					c.Texts = appendTexts(c.Texts, value)
				}
			}
			w.found = append(w.found, c)
		}
	}
	w.walk(f.Type, values)
}

// decoded returns the value of a checked default.
func decoded(v *model.Value) (value any, ok bool) {
	return value, v != nil && json.Unmarshal([]byte(v.JSON), &value) == nil
}

// members returns the members of that name of the values that are objects.
func members(values []any, name string) (all []any) {
	for _, v := range values {
		if object, ok := v.(map[string]any); ok && object[name] != nil {
			all = append(all, object[name])
		}
	}
	return all
}

// elements returns the elements of the values that are lists or maps.
func elements(values []any) (all []any) {
	for _, v := range values {
		switch v := v.(type) {
		case []any:
			all = append(all, v...)
		case map[string]any:
			for _, name := range sortedKeys(v) {
				all = append(all, v[name])
			}
		}
	}
	return all
}

// appendTexts appends the texts in a default, which may be a list or a map.
func appendTexts(texts []string, value any) []string {
	switch v := value.(type) {
	case string:
		if !slices.Contains(texts, v) {
			texts = append(texts, v)
		}
	case []any:
		for _, element := range v {
			texts = appendTexts(texts, element)
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			texts = appendTexts(texts, v[name])
		}
	}
	return texts
}
