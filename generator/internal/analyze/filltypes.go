package analyze

import (
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// pointee returns the type behind all pointers of a type.
func pointee(t types.Type) types.Type {
	t = types.Unalias(t)
	for {
		p, ok := t.(*types.Pointer)
		if !ok {
			return t
		}
		t = types.Unalias(p.Elem())
	}
}

// providerOfValue returns a provider whose type equals the given one except for pointers, or nil.
func (a *analyzer) providerOfValue(t types.Type) *model.Provider {
	if t == nil {
		return nil
	}
	for _, p := range a.providers {
		if types.Identical(pointee(p.Type), pointee(t)) {
			return p
		}
	}
	return nil
}

// checkPointers refuses a parameter that would be published only because it has one pointer too few
// or too many for the function that fills its type.
func (f *filling) checkPointers(p *model.Param, at diag.Place) bool {
	provider := f.providerOfValue(p.Type)
	if provider == nil {
		return true
	}
	if f.keeps(p.Name) {
		f.byType[p.Name] = true
		return true
	}
	f.diags.Errorf(p.Pos, at.In("argument "+paramName(p)).Subject, "would be published: the type is %s, and %s fills parameters of type %s",
		f.shortType(p.Type), provider.Func, f.shortType(provider.Type)).
		Relate(provider.Pos, "the function").
		Hint = "write a function that returns " + f.shortType(p.Type) + "; //mcp:arg " + p.Name + " inject=_ publishes it"
	return false
}

// warnOfTypes reports members of the arguments whose type a function fills for parameters: the
// caller's identity would be published with them. Lists and maps are data about others.
func (f *filling) warnOfTypes(object *model.Type, whole string) {
	within := map[*model.Type]bool{}
	var walk func(t *model.Type, path []string)
	walk = func(t *model.Type, path []string) {
		for t.Kind == model.Pointer {
			t = t.Elem
		}
		if t.Kind != model.Struct || within[t] {
			return
		}
		within[t] = true
		defer delete(within, t)
		for _, field := range t.Fields {
			here := f.pathOf(t, field, path)
			f.warnOfEmbedded(t, field, here)
			if len(here) > 1 || whole != "" {
				f.warnOfType(field, f.spellings(here, whole))
			}
			walk(field.Type, here)
		}
	}
	walk(object, nil)
}

func (f *filling) warnOfType(field *model.Field, names []string) {
	provider := f.providerOfValue(field.Type.Go)
	if provider == nil {
		return
	}
	kept := false
	for _, name := range names {
		f.byType[name] = true
		kept = kept || f.keeps(name)
	}
	if kept {
		return
	}
	at := f.at.In("argument " + names[0])
	if field.Pos.IsValid() {
		at = at.At(field.Pos)
	}
	d := f.diags.Warnf(at.Pos, at.Subject, "it is published: %s fills parameters of type %s, not members of arguments",
		provider.Func, f.shortType(provider.Type)).
		Relate(provider.Pos, "the function")
	d.Hint = "//mcp:arg " + names[0] + " inject=" + provider.Func + " fills it; inject=_ publishes it without this warning"
	if p := f.neededBy(strings.Split(names[0], ".")); p != nil {
		d.Hint = takes(p, names[0]) + ", which " + provider.Func + " fills; //mcp:arg " + names[0] + " inject=_ above " + p.Func + " publishes it without this warning"
	}
}

// warnOfEmbedded is like warnOfType, for a field of an embedded struct.
func (f *filling) warnOfEmbedded(t *model.Type, field *model.Field, path []string) {
	if t.Go == nil {
		return
	}
	around := t.Go
	for _, step := range field.Path[:len(field.Path)-1] {
		obj, _, _ := types.LookupFieldOrMethod(around, true, f.pkg.Types, step.Name)
		if obj == nil {
			return // in an embedded struct that other packages cannot name
		}
		around = obj.Type()
		provider := f.providerOfValue(around)
		name := types.TypeString(pointee(around), nil)
		if provider == nil || f.byType[name] {
			continue
		}
		f.byType[name] = true
		at := f.at.In("argument " + strings.Join(path, "."))
		if field.Pos.IsValid() {
			at = at.At(field.Pos)
		}
		f.diags.Warnf(at.Pos, at.Subject, "it is published as a field of the embedded %s: %s fills parameters of that type, not members of arguments",
			f.shortType(around), provider.Func).
			Relate(provider.Pos, "the function").
			Hint = "give the field a name in JSON, which inject= can fill, or leave its fields out: //mcp:arg NAME omit"
	}
}

// spellings returns the names that a line may use for a member of the arguments: with the parameter
// around it, and without.
func (f *filling) spellings(path []string, whole string) []string {
	names := []string{strings.Join(path, ".")}
	if whole != "" {
		return append(names, whole+"."+names[0])
	}
	for _, around := range f.inlined {
		if path[0] == around && len(path) > 1 {
			names = append(names, strings.Join(path[1:], "."))
		}
	}
	return names
}
