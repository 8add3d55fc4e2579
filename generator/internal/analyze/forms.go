package analyze

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// formMethod is the one method of a form, as the runtime declares it. Its name is the compiler's
// hint if the directive is missing.
const formMethod = "MCPFormNeedsDirective"

// collectForms turns every //mcp:form into a form of the model.
func (a *analyzer) collectForms() {
	a.readTags(a.packageDefaults(), nil)
	for _, d := range a.declared("form") {
		if f := a.form(d); f != nil {
			a.out.Forms = append(a.out.Forms, f)
		}
	}
	slices.SortFunc(a.out.Forms, func(x, y *model.Form) int { return cmp.Compare(x.Type.Name, y.Type.Name) })
}

// form builds one form. It returns nil if it reported a diagnostic.
func (a *analyzer) form(d declared) *model.Form {
	at := diag.Place{Pos: d.dir.Pos, Subject: "form " + d.set.Name}
	obj, ok := a.object(d.set).(*types.TypeName)
	if !ok || obj.IsAlias() {
		a.diags.Errorf(at.Pos, at.Subject, "an alias cannot be a form, since it has no methods of its own").Hint = "declare a struct type"
		return nil
	}
	named, ok := obj.Type().(*types.Named)
	switch {
	case !ok:
		return nil
	case named.TypeParams().Len() > 0:
		a.diags.Errorf(at.Pos, at.Subject, "a generic type cannot be a form").Hint = "declare a struct type without type parameters"
		return nil
	case !a.types.IsObject(named):
		a.diags.Errorf(at.Pos, at.Subject, "only a struct can be a form, since users fill in its fields").Hint = "put the directive on a struct type without a JSON form of its own"
		return nil
	}
	if found, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, a.pkg.Types, formMethod); found != nil {
		a.diags.Errorf(at.Pos, at.Subject, "%s already has a method or field %s, which the generated file declares", obj.Name(), formMethod).Hint = "rename it"
		return nil
	}
	if t := a.types.Type(named, schema.Argument, at); t != nil {
		return a.formFields(&model.Form{Type: t, Pos: d.dir.Pos}, at)
	}
	return nil
}

// formFields sets the fields of a form.
func (a *analyzer) formFields(form *model.Form, at diag.Place) *model.Form {
	ok := true
	if len(form.Type.Fields) == 0 {
		a.diags.Errorf(at.Pos, at.Subject, "the form has no field").Hint = "give it an exported field, such as Confirm bool"
		return nil
	}
	for _, f := range form.Type.Fields {
		at := at.At(f.Pos).In("field " + f.Name)
		field := &model.FormField{Field: f, Text: cmp.Or(f.Description, f.Type.Doc)}
		if what, hint := formKind(field, f.Type); what != "" {
			a.diags.Errorf(at.Pos, at.Subject, "%s", what).Hint = hint
			ok = false
		}
		form.Fields = append(form.Fields, field)
	}
	if !ok {
		return nil
	}
	return form
}

// formFormats are the formats that clients know (2025-11-25, StringSchema). The server checks
// others when it reads the answer.
var formFormats = []string{"email", "uri", "date", "date-time"}

// formKind sets the kind of a field, or returns the reason why a form cannot contain it.
func formKind(f *model.FormField, t *model.Type) (what, hint string) {
	const flat = "forms are flat: use strings, numbers, booleans, enumerations, and slices of enumerations"
	for t.Kind == model.Pointer || t.Kind == model.Flagged || t.Kind == model.Converted {
		t = t.Elem
	}
	choices := choicesOf(t, f.Rules.Enum)
	switch t.Kind {
	case model.String:
		if f.Kind = model.FormString; len(choices) > 0 {
			f.Kind, f.Choices = model.FormChoiceOne, choices
		}
		if format := f.Rules.Limit("format"); slices.Contains(formFormats, format) {
			f.Format = format
		}
	case model.Time:
		f.Kind, f.Format = model.FormString, "date-time"
	case model.Text, model.Duration:
		if f.Kind = model.FormString; len(choices) > 0 {
			f.Kind, f.Choices = model.FormChoiceOne, choices
		}
		if slices.Contains(formFormats, t.Format) {
			f.Format = t.Format
		}
	case model.Int, model.Uint:
		if f.Kind = model.FormInteger; len(choices) > 0 {
			return "an enumeration of numbers cannot be a field of a form", "use a string type with constants"
		}
	case model.Float, model.Number:
		if f.Kind = model.FormNumber; t.Whole {
			f.Kind = model.FormInteger
		}
	case model.Bool:
		f.Kind = model.FormBoolean
	case model.Slice:
		var narrowed []string
		if f.Rules.Elem != nil {
			narrowed = f.Rules.Elem.Enum
		}
		if f.Choices = choicesOf(t.Elem, narrowed); t.Elem.Kind != model.String && t.Elem.Kind != model.Text || len(f.Choices) == 0 {
			return "a form has no field for a list of anything but choices", "make the elements a string type with constants"
		}
		f.Kind = model.FormChoiceMany
	case model.Struct, model.Map, model.Array:
		return "a form has no field for nested values", flat
	default:
		return "a form has no field for a value of this type", flat
	}
	if f.Quoted {
		return "a form has no numbers in strings", `leave the ",string" option out`
	}
	return "", ""
}

// choicesOf returns the values of an enumeration with the comments on its constants as titles;
// narrowed are the values that a tag allows.
func choicesOf(t *model.Type, narrowed []string) []model.FormChoice {
	titles := map[string]string{}
	var texts []string
	for _, v := range t.Enum.Closed() {
		titles[v.JSON] = v.Doc
		texts = append(texts, v.JSON)
	}
	if len(narrowed) > 0 {
		texts = narrowed
	}
	var choices []model.FormChoice
	for _, text := range texts {
		choices = append(choices, model.FormChoice{Value: plain(text), Title: titles[text]})
	}
	return choices
}
