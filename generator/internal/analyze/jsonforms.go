package analyze

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// collectJSONForms passes the JSON forms of types in directives, and the functions that convert
// types, to package schema. It runs before any type is resolved.
func (a *analyzer) collectJSONForms() {
	forms := map[*types.TypeName]*schema.Form{}
	var order []*types.TypeName
	form := func(obj *types.TypeName) *schema.Form {
		if forms[obj] == nil {
			forms[obj] = &schema.Form{}
			order = append(order, obj)
		}
		return forms[obj]
	}
	for _, set := range a.sets {
		obj, ok := a.object(set).(*types.TypeName)
		if !ok || set.Target != directive.Type {
			continue
		}
		if f := a.formOf(set); f != nil {
			*form(obj) = *f
		}
	}
	for _, d := range a.declared("schema") {
		if d.set.Target != directive.Package {
			continue
		}
		name, text, _ := strings.Cut(d.dir.Text, " ")
		obj := a.namedType(d, name)
		if obj == nil {
			continue
		}
		f := form(obj)
		if f.Schema != nil {
			a.diags.Errorf(d.dir.Pos, "//mcp:schema", "type %s has a schema already", name).
				Relate(f.Schema.Pos, "the other one").Hint = "keep one of the two"
			continue
		}
		f.Schema = &schema.SchemaForm{JSON: strings.TrimSpace(text), Pos: d.dir.TextPos}
	}
	for _, d := range a.declared("enum") {
		obj := a.enumType(d)
		if obj == nil {
			continue
		}
		f := form(obj)
		if f.Enum != nil {
			a.diags.Errorf(d.dir.Pos, "//mcp:enum", "type %s has an //mcp:enum already", d.dir.Name()).
				Relate(f.Enum.Pos, "the other one").Hint = "keep one of the two"
			continue
		}
		f.Enum = enumForm(d.dir)
	}
	for _, obj := range order {
		a.setForm(obj, forms[obj])
	}
	a.types.Foreign = func(obj *types.TypeName) *schema.Form {
		if set := a.docs.Directives(obj); set != nil {
			return a.formOf(set)
		}
		return nil
	}
	for _, d := range a.declared("decode") {
		if fn, at, ok := a.plainFunc(d); ok {
			a.types.AddDecoder(fn, at)
		}
	}
	for _, d := range a.declared("encode") {
		if fn, at, ok := a.plainFunc(d); ok {
			a.types.AddEncoder(fn, at)
		}
	}
}

// setForm sets the form of a type. If several packages set it, the package that is generated for
// takes precedence.
func (a *analyzer) setForm(obj *types.TypeName, form *schema.Form) {
	other, said := a.forms[obj]
	if !said {
		a.forms[obj] = saidForm{a, form}
		a.types.SetForm(obj, form)
		return
	}
	if other.by.from == nil {
		return
	}
	differ := func(word string, pos, otherPos token.Position) {
		d := a.diags.Errorf(pos, "//mcp:"+word, "type %s.%s has another form in package %s", obj.Pkg().Name(), obj.Name(), other.by.pkg.Path)
		if otherPos.IsValid() {
			d.Relate(otherPos, "the other one")
		}
		d.Hint = "set it in the package with //mcp:from, which takes precedence"
	}
	if s, o := form.Schema, other.form.Schema; s != nil && (o == nil || o.JSON != s.JSON) {
		pos := token.Position{}
		if o != nil {
			pos = o.Pos
		}
		differ("schema", s.Pos, pos)
	}
	if e, o := form.Enum, other.form.Enum; e != nil && (o == nil || !o.Equal(e)) {
		pos := token.Position{}
		if o != nil {
			pos = o.Pos
		}
		differ("enum", e.Pos, pos)
	}
}

// saidForm is a package's form for a type.
type saidForm struct {
	by   *analyzer
	form *schema.Form
}

// formOf reads the directives of one type. It returns nil if none sets its form.
func (a *analyzer) formOf(set *directive.Set) *schema.Form {
	var f schema.Form
	for i, d := range set.All("enum") {
		switch {
		case i > 0:
			a.diags.Errorf(d.Pos, "//mcp:enum", "given twice on %s", set.Symbol).Hint = "keep one of the two"
		case d.Name() != "":
			a.diags.Errorf(d.Words()[0].Pos, "//mcp:enum", "%s is not needed on the type itself", d.Name()).
				Hint = "delete it; the package comment is the place for types of other packages"
		default:
			f.Enum = enumForm(d)
		}
	}
	if d := set.Get("union"); d != nil {
		f.Union = &schema.UnionForm{Names: texts(d, "discriminator"), Pos: d.Pos}
		f.Union.Discriminator, _ = d.String("discriminator")
	}
	for i, d := range set.All("schema") {
		if i > 0 {
			a.diags.Errorf(d.Pos, "//mcp:schema", "given twice on %s", set.Symbol).Hint = "keep one of the two"
			continue
		}
		f.Schema = &schema.SchemaForm{JSON: d.Text, Pos: d.TextPos}
	}
	if f == (schema.Form{}) {
		return nil
	}
	return &f
}

// enumForm returns the form that an //mcp:enum sets.
func enumForm(d *directive.Directive) *schema.EnumForm {
	e := &schema.EnumForm{
		Mode: "closed", Texts: texts(d, "closed", "open", "off", "with", "without"),
		With: constantNames(d, "with"), Without: constantNames(d, "without"), Pos: d.Pos,
	}
	for _, mode := range []string{"open", "off"} {
		if on, _ := d.Flag(mode); on {
			e.Mode = mode
		}
	}
	return e
}

// constantNames returns the names in with= or without=.
func constantNames(d *directive.Directive, key string) (all []schema.NamedText) {
	if arg, ok := d.Get(key); ok {
		for _, item := range arg.Names() {
			all = append(all, schema.NamedText{Name: item.Value, Pos: item.Pos})
		}
	}
	return all
}

// enumType returns the type of another package that an //mcp:enum of a package comment names, or
// nil.
func (a *analyzer) enumType(d declared) *types.TypeName {
	switch {
	case d.set.Target != directive.Package:
		return nil
	case d.dir.Name() == "":
		a.diags.Errorf(d.dir.Pos, "//mcp:enum", "in a package comment it needs a type of another package").
			Hint = "write //mcp:enum pkg.Type off, or put it on the type"
		return nil
	}
	return a.namedType(d, d.dir.Name())
}

// texts returns the NAME=text arguments of a directive.
func texts(d *directive.Directive, keys ...string) []schema.NamedText {
	var all []schema.NamedText
	for _, arg := range d.Args {
		if !arg.Bare && !slices.Contains(keys, arg.Key) {
			all = append(all, schema.NamedText{Name: arg.Key, Text: arg.Value, Pos: arg.Pos})
		}
	}
	return all
}

// namedType finds the type that a directive of the package comment names.
func (a *analyzer) namedType(d declared, name string) *types.TypeName {
	rest := map[string]string{"schema": "JSON", "enum": "off"}[d.dir.Word]
	obj, _ := a.foreign(d, name, &foreignKind{
		what: "type", kinds: "type",
		hint: fmt.Sprintf("write //mcp:%[1]s pkg.Type %[2]s; for a type of this package put //mcp:%[1]s %[2]s on the type", d.dir.Word, rest),
		is:   func(obj types.Object) bool { _, ok := obj.(*types.TypeName); return ok },
	}).(*types.TypeName)
	if obj != nil && obj.IsAlias() {
		if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
			return named.Obj()
		}
	}
	return obj
}

// importNames returns the paths that the file of a set imports, by their names in that file.
func (a *analyzer) importNames(set *directive.Set) map[string]string {
	names := map[string]string{}
	for _, spec := range set.File.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil {
			names[spec.Name.Name] = path
		} else if p := a.pkg.Imports[path]; p != nil {
			names[p.Name] = p.PkgPath
		}
	}
	return names
}

// checkPredeclared refuses declarations that hide names of the language in the generated file.
func (a *analyzer) checkPredeclared() {
	for _, name := range model.Predeclared {
		obj := a.pkg.Types.Scope().Lookup(name)
		if obj == nil {
			continue
		}
		if t, ok := obj.(*types.TypeName); ok && t.IsAlias() && types.Identical(t.Type(), types.Universe.Lookup(name).Type()) {
			continue
		}
		a.diags.Errorf(a.position(obj.Pos()), "", "the package declares %s, which the generated file needs in its own meaning", name).
			Hint = "give the declaration another name"
	}
}
