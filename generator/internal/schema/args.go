package schema

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// ApplyArgs applies //mcp:arg directives to the arguments object of a feature. It returns a changed
// copy, or object itself if nothing changes; plans that other features share are not changed.
// Changed struct plans have the feature's name as their Variant. Elements of lists and maps are
// addressed like the members of an object. ApplyArgs returns false if it added an error.
func (r *Resolver) ApplyArgs(object *model.Type, feature string, args []*directive.Directive, at diag.Place) (changed *model.Type, ok bool) {
	ok = true
	changed = object
	apply := func(arg *directive.Directive, do argAction) {
		if arg.Far && !r.HasArg(changed, arg, args) {
			return
		}
		at := at.At(arg.Pos).In("argument " + arg.Name())
		if next := r.applyArg(changed, feature, r.pathOf(changed, arg, args), arg, do, at); next != nil {
			changed = next
		} else {
			ok = false
		}
	}
	// Parts come first, since equal copies of a type share one plan.
	for _, arg := range args {
		if isPart(arg) {
			apply(arg, r.applyPart)
		}
	}
	for _, arg := range args {
		if !inlines(arg) && (!isPart(arg) || len(withoutPart(arg)) > 1) {
			apply(arg, r.applyField)
		}
	}
	for _, arg := range args {
		if inlines(arg) {
			apply(arg, r.applyInline)
		}
	}
	return changed, ok
}

// argAction changes the i-th field of an object, the innermost of outer, according to a directive.
// It returns false after adding an error.
type argAction func(inner *model.Type, i int, arg *directive.Directive, at diag.Place) bool

// applyArg applies an action to the field that a directive names. It returns nil after adding an
// error.
func (r *Resolver) applyArg(object *model.Type, feature string, path []string, arg *directive.Directive, do argAction, at diag.Place) *model.Type {
	if isEndless(object) {
		r.unknownArg(base(object), path, arg, at)
		return nil
	}
	object = r.copyOf(object, feature)
	inner := object
	for inner.Elem != nil && inner.Kind != model.Struct {
		inner.Elem = r.copyOf(inner.Elem, feature)
		inner = inner.Elem
	}
	i := slices.IndexFunc(inner.Fields, func(f *model.Field) bool { return r.called(f, path[0]) })
	if hidden := slices.IndexFunc(inner.Hidden, func(f *model.Field) bool { return r.called(f, path[0]) }); i < 0 && hidden >= 0 {
		if !r.hiddenArg(inner, hidden, path, arg, at) {
			return nil
		}
		return object
	}
	if i < 0 {
		r.unknownArg(inner, path, arg, at)
		return nil
	}
	if len(path) > 1 {
		f := inner.Fields[i]
		t := r.applyArg(f.Type, feature, path[1:], arg, do, at)
		if t == nil {
			return nil
		}
		f.Type = t
		return object
	}
	if !do(inner, i, arg, at) {
		return nil
	}
	return object
}

// applyField applies all keys except only= and omit= with names.
func (r *Resolver) applyField(inner *model.Type, i int, arg *directive.Directive, at diag.Place) bool {
	f := inner.Fields[i]
	switch {
	case omits(arg):
		if len(arg.Args) > 2 { // the name and omit
			r.errorf(site{Place: at, use: Argument}, "delete the rest of the line", "an omitted field is not an argument, so it has no other settings")
			return false
		}
		// It is not published, nothing is read into it, and a client that sends it receives the
		// error for unknown arguments.
		inner.Fields = slices.Delete(inner.Fields, i, i+1)
		return true
	case arg.Has("fixed"):
		if !r.Fix(f, arg, at) {
			return false
		}
		inner.Fields = slices.Delete(inner.Fields, i, i+1)
		inner.Fixed = append(inner.Fixed, f)
		return true
	}
	return r.applyRules(inner, f, arg, at)
}

func omits(arg *directive.Directive) bool {
	omit, _ := arg.Flag("omit")
	return omit
}

// called reports whether a directive names the field, also after a renaming.
func (r *Resolver) called(f *model.Field, name string) bool {
	if old, ok := r.origins[f]; ok {
		return old == name
	}
	return f.Name == name
}

func (r *Resolver) unknownArg(t *model.Type, path []string, arg *directive.Directive, at diag.Place) {
	var names []string
	for _, f := range t.Fields {
		if old, ok := r.origins[f]; ok {
			names = append(names, old)
		} else {
			names = append(names, f.Name)
		}
	}
	hint := "there are no arguments"
	if len(names) > 0 {
		hint = "the names are " + strings.Join(names, ", ")
	}
	if near := diag.Nearest(path[0], names); near != "" {
		prefix := strings.TrimSuffix(arg.Name(), strings.Join(path, "."))
		hint = "did you mean " + prefix + near + "?"
	}
	r.errorf(site{Place: at, use: Argument}, hint, "there is no such argument")
}

// copyOf returns a copy of a plan that may be changed for the feature.
func (r *Resolver) copyOf(t *model.Type, feature string) *model.Type {
	if r.own[t] {
		return t
	}
	c := *t
	if c.Kind == model.Struct {
		c.Variant, c.Part = feature, false
		c.Fields, c.Fixed = make([]*model.Field, len(t.Fields)), slices.Clone(t.Fixed)
		for i, f := range t.Fields {
			c.Fields[i] = r.copyField(f)
		}
	}
	r.own[&c] = true
	return &c
}

func (r *Resolver) copyField(f *model.Field) *model.Field {
	c := *f
	c.Rules = f.Rules.Clone()
	if old, ok := r.origins[f]; ok {
		r.origins[&c] = old
	}
	return &c
}

// applyRules applies the arguments of a directive to a field of a copied plan.
func (r *Resolver) applyRules(object *model.Type, f *model.Field, arg *directive.Directive, at diag.Place) bool {
	s := site{Place: at, use: Argument}
	var settings []setting
	ok := true
	for _, a := range withoutPart(arg) {
		name := a.Key
		switch {
		case a.Bare && a.Quoted:
			name = "description"
		case a.Bare:
			continue // the name of the argument
		}
		k := setting{Keyword: keyword.Lookup(name), values: []string{a.Value}, source: fromArg, pos: a.Pos}
		switch {
		case name == "name":
			ok = r.rename(s, object, f, a) && ok
			continue
		case name == "alias":
			f.Aliases = nil
			for _, item := range a.Names() {
				f.Aliases = append(f.Aliases, model.Alias{Name: item.Value, Pos: item.Pos})
			}
			continue
		case k.Value == keyword.Flag && a.Value == "false":
			negate(f, k)
			continue
		case k.Value == keyword.List:
			k.values = listItems(a)
		}
		settings = append(settings, k)
	}
	return r.applyAll(s, f, settings) && ok && r.check(s, f)
}

// negate applies flag=false.
func negate(f *model.Field, k setting) {
	switch {
	case k.Set != nil:
		k.Set(f, "false")
	case k.IsRule():
		f.Rules.SetLimit(k.Name, "")
	}
}

// listItems returns the values of enum=a,b or of a JSON array.
func listItems(a directive.Arg) []string {
	if _, ok := jsontext.Array(a.Value); ok {
		return []string{a.Value}
	}
	var items []string
	for _, item := range a.Items() {
		items = append(items, item.Value)
	}
	return items
}

// rename publishes an argument under another name.
func (r *Resolver) rename(s site, object *model.Type, f *model.Field, a directive.Arg) bool {
	if a.Pos.IsValid() {
		s.Pos = a.Pos
	}
	if a.Value == "" {
		r.errorf(s, "write name=words", "the name is empty")
		return false
	}
	for _, other := range object.Fields {
		if other != f && other.Name == a.Value {
			r.errorf(s, "choose another name", "there is an argument %s already", a.Value)
			return false
		}
	}
	if _, ok := r.origins[f]; !ok {
		r.origins[f] = f.Name
	}
	f.Name = a.Value
	r.warnName(s, f.Name)
	return true
}
