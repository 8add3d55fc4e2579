package schema

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// add adds a field to the plan of its struct: to the published fields, or to those that the
// direction omits. It also omits a member of an argument if nothing else of it is left. Omitted
// members of arguments get their default.
func (r *Resolver) add(plan *model.Type, f *model.Field, use Use) {
	inner := inlinable(f.Type)
	left := use == Argument && (f.ReadOnly || f.Unlisted != "" || allHidden(f.Type) && !r.growing[inner]) || use == Result && f.WriteOnly
	if !left {
		plan.Fields = append(plan.Fields, f)
		return
	}
	plan.Hidden = append(plan.Hidden, f)
	if use == Argument && f.Default != nil {
		plan.Fixed = append(plan.Fixed, f)
	}
}

// allHidden reports whether readOnly hides all members of a struct, or of a pointer's target.
func allHidden(t *model.Type) bool {
	inner := inlinable(t)
	return inner != nil && len(inner.Fields) == 0 && len(inner.Fixed) == 0 && len(inner.Hidden) > 0
}

// bothWays refuses a member that neither arguments nor results contain.
func (r *Resolver) bothWays(s site, f *model.Field) bool {
	if f.ReadOnly && f.WriteOnly {
		r.errorf(s, "keep one of them, or leave the field out with json:\"-\"", "readOnly and writeOnly exclude each other")
		return false
	}
	return true
}

// Publish turns readOnly members into arguments of one feature if a line for them contains required
// or optional. It returns a copy of the object, or object itself.
func (r *Resolver) Publish(object *model.Type, feature string, args []*directive.Directive) *model.Type {
	byDepth := slices.Clone(args)
	slices.SortStableFunc(byDepth, func(a, b *directive.Directive) int {
		return strings.Count(a.Name(), ".") - strings.Count(b.Name(), ".")
	})
	for _, arg := range byDepth {
		if changed := r.publish(object, feature, r.pathOf(object, arg, args), arg); changed != nil {
			object = changed
		}
	}
	return object
}

// WithoutHidden removes the fields from a new object that readOnly hides completely.
func (r *Resolver) WithoutHidden(object *model.Type) {
	object.Fields = slices.DeleteFunc(object.Fields, func(f *model.Field) bool { return allHidden(f.Type) })
}

// publishes reports whether a line makes an omitted member an argument.
func publishes(f *model.Field, arg *directive.Directive) bool {
	required, _ := arg.Flag("required")
	optional, _ := arg.Flag("optional")
	switch f.Unlisted {
	case "":
		return required || optional
	case model.HeaderField:
		return required || optional || !omits(arg) && !arg.Has("fixed") && !arg.Has("inject")
	}
	return false
}

// unhide removes a field from the omitted ones, and its default from the constants.
func unhide(inner *model.Type, i int) *model.Field {
	f := inner.Hidden[i]
	inner.Hidden = slices.Delete(slices.Clone(inner.Hidden), i, i+1)
	inner.Fixed = slices.DeleteFunc(slices.Clone(inner.Fixed), func(other *model.Field) bool { return other == f })
	return f
}

// publish returns a copy of a plan with a readOnly member among the others, or nil if it has none
// with that path.
func (r *Resolver) publish(t *model.Type, feature string, path []string, arg *directive.Directive) *model.Type {
	if isEndless(t) {
		return nil
	}
	inner := t
	for inner.Elem != nil && inner.Kind != model.Struct {
		inner = inner.Elem
	}
	is := func(f *model.Field) bool { return r.called(f, path[0]) }
	i, hidden := slices.IndexFunc(inner.Fields, is), slices.IndexFunc(inner.Hidden, is)
	var below *model.Type
	switch {
	case len(path) == 1 && (hidden < 0 || !publishes(inner.Hidden[hidden], arg)), len(path) > 1 && i < 0:
		return nil
	case len(path) > 1:
		if below = r.publish(inner.Fields[i].Type, feature, path[1:], arg); below == nil {
			return nil
		}
	}
	t = r.copyOf(t, feature)
	for inner = t; inner.Elem != nil && inner.Kind != model.Struct; inner = inner.Elem {
		inner.Elem = r.copyOf(inner.Elem, feature)
	}
	if below != nil {
		inner.Fields[i].Type = below
		return t
	}
	f := r.copyField(unhide(inner, hidden))
	f.ReadOnly, f.Unlisted = false, ""
	at := slices.IndexFunc(inner.Fields, func(other *model.Field) bool { return other.Index > f.Index })
	if at < 0 {
		at = len(inner.Fields)
	}
	inner.Fields = slices.Insert(inner.Fields, at, f)
	return t
}

// hiddenArg handles a line for a member that readOnly hides. It returns false after adding an
// error.
func (r *Resolver) hiddenArg(inner *model.Type, i int, path []string, arg *directive.Directive, at diag.Place) bool {
	f := inner.Hidden[i]
	switch {
	case omits(arg) && len(arg.Args) == 2: // it changes nothing
		return true
	case arg.Has("fixed") && len(path) == 1:
		f = r.copyField(unhide(inner, i))
		if !r.Fix(f, arg, at) {
			return false
		}
		inner.Fixed = append(inner.Fixed, f)
		return true
	}
	name := strings.TrimSuffix(arg.Name(), strings.Join(path, ".")) + path[0]
	hint := "publish it: //mcp:arg " + name + " optional, or required; otherwise delete the line"
	if f.Unlisted != "" {
		hint = "delete the line, or fill it: //mcp:arg " + name + " inject=FUNC, or fixed="
	}
	r.errorf(site{Place: at, use: Argument}, hint, "%s is %s, so it is not an argument", name, leftOutAs(f))
	return false
}

// leftOutAs returns the reason why a member of arguments is omitted.
func leftOutAs(f *model.Field) string {
	return cmp.Or(f.Unlisted, "readOnly")
}

// CheckWriteOnly refuses a result that may contain a writeOnly member where generated code does not
// write it member by member: types with methods or their own schema, and interfaces. The types in
// an interface are unknown, so every type with such a member counts: in packages that are read as
// source, and in packages that features use.
func (r *Resolver) CheckWriteOnly(t *model.Type, at diag.Place) bool {
	c := &writeOnlyCheck{Resolver: r, at: at, seen: map[*model.Type]bool{}, ok: true}
	c.walk(t, "")
	return c.ok
}

type writeOnlyCheck struct {
	*Resolver
	at   diag.Place
	seen map[*model.Type]bool
	ok   bool
}

func (c *writeOnlyCheck) walk(t *model.Type, path string) {
	if t == nil || c.seen[t] {
		return
	}
	c.seen[t] = true
	switch t.Kind {
	case model.Any, model.Interface:
		c.dynamic(t, path)
	case model.JSON, model.Text, model.Reflect:
		if found := c.writeOnlyIn(t.Go); found != "" {
			why := "its own methods write"
			if t.Kind == model.Reflect {
				why = "encoding/json writes"
			}
			c.report(path, "write it by an //mcp:encode function to a type without the member, or leave the value out",
				"type %s has the member %s, which is writeOnly, and "+why+" the type", c.typeString(t.Go), found)
		}
		return
	}
	c.walk(t.Elem, path)
	for _, f := range t.Fields {
		below := f.Name
		if path != "" {
			below = path + "." + f.Name
		}
		c.walk(f.Type, below)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			c.walk(v.Type, path)
		}
	}
}

// dynamic checks a value whose only known type is an interface.
func (c *writeOnlyCheck) dynamic(t *model.Type, path string) {
	for _, named := range c.declaredTypes() {
		if i, ok := t.Go.Underlying().(*types.Interface); ok && !i.Empty() && !types.Implements(named, i) && !types.Implements(types.NewPointer(named), i) {
			continue
		}
		if found := c.writeOnlyIn(named); found != "" {
			c.report(path, "return a type that says what it holds, or leave the value out with //mcp:result omit=",
				"the value may be of type %s, whose member %s is writeOnly, and nothing keeps it out of type %s", c.typeString(named), found, c.typeString(t.Go))
			return
		}
	}
}

func (c *writeOnlyCheck) report(path, hint, format string, args ...any) {
	c.ok = false
	if path != "" {
		format = "member " + path + ": " + format
	}
	c.diags.Errorf(c.at.Pos, c.at.Subject, format, args...).Hint = hint
}

// declaredTypes returns the types of the packages that are read as source, and of the packages that
// features use.
func (r *Resolver) declaredTypes() []*types.Named {
	var seen typeutil.Map
	var all []*types.Named
	note := func(t types.Type) {
		if named, ok := types.Unalias(t).(*types.Named); ok && seen.Set(named, true) == nil {
			all = append(all, named)
		}
	}
	packages := make([]*types.Package, 0, len(r.sources))
	for pkg := range r.sources {
		packages = append(packages, pkg)
	}
	slices.SortFunc(packages, func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			if obj, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
				if named, ok := obj.Type().(*types.Named); ok && named.TypeParams().Len() == 0 {
					note(named)
				}
			}
		}
	}
	for _, t := range r.order {
		note(t)
	}
	return all
}

// writeOnlyIn returns the path of a writeOnly member of a type, or "".
func (r *Resolver) writeOnlyIn(t types.Type) string {
	return r.findWriteOnly(t, false, &typeutil.Map{})
}

// WriteOnly reports whether the tags of a field mark it as writeOnly.
func (r *Resolver) WriteOnly(tag reflect.StructTag) bool {
	huma, _ := humaFlag(tag, "writeOnly")
	return hasFlag(tag, "writeOnly") || huma && r.huma
}

// findWriteOnly looks for a member. A method, such as MarshalJSON of the type or of a type around
// it, may write unexported fields, too.
func (r *Resolver) findWriteOnly(t types.Type, byMethod bool, seen *typeutil.Map) string {
	t = types.Unalias(t)
	if seen.Set(t, true) != nil {
		return ""
	}
	byMethod = byMethod || methodsOf(t).marshalJSON || methodsOf(t).marshalText
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return r.findWriteOnly(u.Elem(), byMethod, seen)
	case *types.Slice:
		return r.findWriteOnly(u.Elem(), byMethod, seen)
	case *types.Array:
		return r.findWriteOnly(u.Elem(), byMethod, seen)
	case *types.Map:
		return r.findWriteOnly(u.Elem(), byMethod, seen)
	case *types.Struct:
		if byMethod {
			return r.findInFields(u, seen)
		}
		for _, m := range members(t) {
			if m.tag.Get("jsonschema") == "-" {
				continue
			}
			if m.says("writeOnly") || r.WriteOnly(m.tag) {
				return m.name
			}
			if below := r.findWriteOnly(m.v.Type(), false, seen); below != "" {
				return m.name + "." + below
			}
		}
	}
	return ""
}

// findInFields examines all fields of a struct.
func (r *Resolver) findInFields(u *types.Struct, seen *typeutil.Map) string {
	for i := range u.NumFields() {
		v, tag := u.Field(i), reflect.StructTag(u.Tag(i))
		if tag.Get("json") == "-" {
			continue
		}
		if r.WriteOnly(tag) {
			return v.Name()
		}
		if below := r.findWriteOnly(v.Type(), true, seen); below != "" {
			return v.Name() + "." + below
		}
	}
	return ""
}

// says reports whether the tag jsonschema of a member contains the flag. A member whose tag
// contains neither readOnly nor writeOnly inherits them from a struct by which it is embedded.
func (m *member) says(flag string) bool {
	for _, tag := range slices.Concat([]reflect.StructTag{m.tag}, m.around) {
		if hasFlag(tag, "readOnly") || hasFlag(tag, "writeOnly") {
			return hasFlag(tag, flag)
		}
	}
	return false
}

func hasFlag(tag reflect.StructTag, flag string) bool {
	value := tag.Get("jsonschema")
	return strings.Contains(value, flag) && slices.ContainsFunc(splitTag(value), func(part string) bool {
		part = strings.TrimSpace(part)
		return part == flag || part == flag+"=true"
	})
}
