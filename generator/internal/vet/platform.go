package vet

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// platformTypes checks the rule platform-type.
func (c *checker) platformTypes() {
	for _, w := range c.platformWalks() {
		w.walk()
	}
}

// platformWalk looks for parts of one feature that only some systems have.
type platformWalk struct {
	c       *checker
	f       *feature
	form    *model.Form // set for a form, whose feature contains only a position
	lengths []platformLength
	seen    map[*model.Type]bool
	said    map[any]bool
	names   map[types.Object]bool // objects that generated code names for the feature
}

// platformWalks returns the walks for all features and forms.
func (c *checker) platformWalks() (all []*platformWalk) {
	lengths := c.platformLengths()
	add := func(f *feature, form *model.Form) {
		all = append(all, &platformWalk{c, f, form, lengths, map[*model.Type]bool{}, map[any]bool{}, map[types.Object]bool{}})
	}
	for _, f := range c.features {
		if f.call != nil {
			add(f, nil)
		}
	}
	for _, form := range c.m.Forms {
		add(&feature{subject: "form " + types.TypeString(form.Type.Go, c.qualifier), pos: form.Pos}, form)
	}
	return all
}

func (w *platformWalk) walk() {
	if w.form != nil {
		w.plan(w.form.Type)
		return
	}
	call := w.f.call
	if call.Input != nil {
		w.plan(call.Input.Object)
	}
	w.plan(call.Result.Output)
	w.plan(call.Result.Text)
	// Generated code names these, although no client sees them.
	if r := call.Func.Receiver; r != nil {
		w.declared(r.Type)
		w.provider(r.Provider)
	}
	for _, p := range call.Params() {
		if p.Type != nil {
			w.declared(p.Type)
		}
		w.provider(p.Provider)
		if p.Fixed != nil {
			w.field(p.Fixed, "constant")
		}
	}
	for _, fill := range call.Fills {
		w.provider(fill.Provider)
	}
	for _, choices := range call.Choices {
		w.function(choices.Pkg, choices.Name)
	}
	for _, completion := range w.f.completions() {
		if fn := completion.Func; fn != nil && fn.Receiver == nil {
			w.function(fn.Pkg, fn.Name)
		}
	}
}

// completions returns the completions of a prompt or a template.
func (f *feature) completions() []*model.Completion {
	switch {
	case f.prompt != nil:
		return f.prompt.Completions
	case f.resource != nil:
		return f.resource.Completions
	}
	return nil
}

// report adds a finding, which the generator repeats as a warning: once for each key, at the
// position at if that is in the source.
func (w *platformWalk) report(key any, at token.Position, hint, format string, args ...any) {
	if w.said[key] {
		return
	}
	w.said[key] = true
	f := w.c.report(w.f.set, w.f.pos, w.f.subject, hint, format, args...)
	f.key = key
	if at.IsValid() && w.c.home(at) != nil {
		f.at = at
	}
}

// declared checks a declared type, or the type behind a pointer or in a list.
func (w *platformWalk) declared(t types.Type) {
	for {
		t = types.Unalias(t)
		switch u := t.(type) {
		case *types.Pointer:
			t = u.Elem()
			continue
		case *types.Slice:
			t = u.Elem()
			continue
		case *types.Named:
			// A type may have two plans, for arguments and for results.
			obj := u.Obj()
			if w.names[obj] {
				return
			}
			w.names[obj] = true
			if why := w.c.constraint(obj); why != "" {
				w.c.report(w.f.set, w.f.pos, w.f.subject, "declare it in a file that every build has; elsewhere the contract may be another one, and the generated file not compile",
					"the type %s is declared in a file with a build constraint (%s)", types.TypeString(u, w.c.qualifier), why)
			}
		}
		return
	}
}

func (w *platformWalk) provider(p *model.Provider) {
	if p != nil {
		w.function(p.Pkg, p.Func)
	}
}

// function checks a function that generated code calls. If other builds declare a function of the
// same name, they call that.
func (w *platformWalk) function(pkg *types.Package, name string) {
	if pkg == nil {
		pkg = w.c.m.Types
	}
	obj := pkg.Scope().Lookup(name)
	if obj == nil || w.names[obj] {
		return
	}
	w.names[obj] = true
	if why := w.c.constraint(obj); why != "" && !w.c.docs.Elsewhere(pkg, name) {
		w.c.report(w.f.set, w.f.pos, w.f.subject, "declare it in a file that every build has, or for all other builds, too",
			"only a file with a build constraint declares the function %s (%s)", name, why)
	}
}

// enum checks the constants of an enumeration.
func (w *platformWalk) enum(e *model.Enum, named *types.Named) {
	var names, values []string
	var first *types.Const
	why, advice := "", "declare them for every build"
	for _, v := range e.Values {
		if v.Said || v.Const == nil {
			continue
		}
		reason := ""
		if v.Platform {
			reason = "by constants of files with a build constraint (" + w.c.constraint(v.Const) + ")"
		} else if constant := w.c.constantDiffers(v.Const); constant != "" {
			reason, advice = "that depend on "+constant, "write numbers"
		}
		if reason == "" {
			continue
		}
		if first == nil {
			first, why = v.Const, reason
		}
		names, values = append(names, v.Const.Name()), append(values, v.Const.Name()+"="+v.JSON)
	}
	if first == nil {
		return
	}
	if len(names) > 4 {
		names, values = []string{"NAME"}, append(values[:4], "...")
	}
	list, obj := strings.Join(names, ","), named.Obj()
	hint := "//mcp:enum " + obj.Pkg().Path() + "." + obj.Name() + " off in the package comment accepts every value, without=" + list + " leaves them out, closed confirms them"
	if w.c.source(obj.Pkg()) != nil {
		hint = advice + "; //mcp:enum without=" + list + " on the type leaves them out, with=" + list + " confirms them"
	}
	w.report(obj, w.c.pkg.Position(first.Pos()), hint,
		"type %s has values %s: %s; the contract has the values of this build", types.TypeString(named, w.c.qualifier), why, strings.Join(values, ", "))
}

func (w *platformWalk) plan(t *model.Type) {
	if t == nil || w.seen[t] {
		return
	}
	w.seen[t] = true
	if named, ok := types.Unalias(t.Go).(*types.Named); ok {
		if t.Enum != nil && !w.names[named.Obj()] {
			w.enum(t.Enum, named)
		}
		w.declared(named)
	}
	w.length(t)
	if c := t.Convert; c != nil {
		for _, fn := range []*types.Func{c.Decode, c.Encode} {
			if fn != nil {
				w.function(fn.Pkg(), fn.Name())
			}
		}
	}
	for _, field := range t.Fields {
		w.field(field, "default")
	}
	for _, field := range t.Fixed {
		w.field(field, "constant")
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			w.plan(v.Type)
		}
	}
	w.plan(t.Elem)
	w.plan(t.Key)
}

func (w *platformWalk) field(f *model.Field, preset string) {
	w.numbers(f, preset)
	w.plan(f.Type)
}

// constraint returns the build constraint of the file that declares an object, or "" if the whole
// package, and so the generated file, has the same constraint.
func (c *checker) constraint(obj types.Object) string {
	file := c.pkg.Fset.File(obj.Pos())
	if file == nil {
		return ""
	}
	why, known := c.constraints[file]
	if !known {
		why = c.pkg.ConstraintAt(obj.Pos(), c.m.Constraint)
		c.constraints[file] = why
	}
	return why
}

// source returns the source package with these types, or nil.
func (c *checker) source(pkg *types.Package) *load.Package {
	for _, p := range c.sources {
		if p.Types == pkg {
			return p
		}
	}
	return nil
}

// qualifier returns a qualifier that writes types as the package's source does.
func (c *checker) qualifier(p *types.Package) string {
	if p.Path() == c.pkg.Path || c.plain && c.source(p) != nil {
		return ""
	}
	return p.Name()
}
