package schema

import (
	"go/constant"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// constantsOf returns the constants of a declared type in its own package, in the order of the
// source.
func (r *Resolver) constantsOf(s site, t types.Type) (all []*types.Const, ok bool) {
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.TypeArgs().Len() > 0 {
		return nil, true
	}
	all, err := declared(r, named.Obj().Pkg(), func(k *types.Const) bool { return types.Identical(k.Type(), t) })
	if err != nil {
		r.unread(s, named.Obj().Pkg(), err)
	}
	return all, err == nil
}

// enumeration returns the values of a named type if the constants that its package declares are an
// enumeration, by themselves or by a directive, otherwise nil.
func (r *Resolver) enumeration(s site, t *types.Named, form *EnumForm) (values *model.Enum, ok bool) {
	if form != nil && form.Mode == "off" {
		return nil, true
	}
	all, ok := r.constantsOf(s, t)
	if !ok {
		return nil, false
	}
	all, left := valuesOf(t, all, form)
	if form == nil && !r.isEnumeration(s, t, all) {
		return nil, true
	}
	if len(all) == 0 {
		if form != nil {
			r.enumErrorf(t, form, "declare constants of the type, or drop the directive", "type %s has no constants in its package", r.typeString(t))
		}
		return nil, true
	}
	for _, k := range left {
		r.leftOut(s, t, k)
	}
	e := &model.Enum{Open: form != nil && form.Mode == "open"}
	seen := map[string]bool{}
	for _, k := range all {
		text := jsonConstant(k.Val())
		if seen[text] {
			continue
		}
		seen[text] = true
		value := model.EnumValue{Const: k, JSON: text, Doc: constantDoc(k.Name(), r.docs.Of(k))}
		if !r.visible(k) || !Importable(r.pkg.Path, k.Pkg().Path()) {
			value.Const = nil // generated code cannot name it
		}
		// A directive for a type of another package is in the package that uses the values.
		value.Said = form != nil && (r.sources[k.Pkg()] == nil || hasName(form.With, k.Name()))
		value.Platform = r.docs.Constraint(k, r.shared) != ""
		e.Values = append(e.Values, value)
	}
	return e, true
}

// isEnumeration decides whether constants without a directive are an enumeration.
func (r *Resolver) isEnumeration(s site, t *types.Named, all []*types.Const) bool {
	distinct := map[string]bool{}
	for _, k := range all {
		distinct[k.Val().ExactString()] = true
	}
	if len(distinct) < 2 {
		if len(all) == 1 {
			r.decided(s, t, numbering{units, true}, "is not an enumeration: it has the single constant "+all[0].Name())
		}
		return false
	}
	n := r.numberingOf(all)
	switch n.meaning {
	case flags:
		r.decided(s, t, n, "is not an enumeration: its constants "+someOf(all)+" are read as flags")
	case units:
		r.decided(s, t, n, "is not an enumeration: its constants "+someOf(all)+" are read as units")
	case choices:
		if !n.sure {
			r.decided(s, t, n, "is an enumeration: its constants "+someOf(all)+" could be flags, and their source cannot be read")
		}
	}
	return n.meaning == choices
}

// someOf writes a few constants with their values, for messages.
func someOf(all []*types.Const) string {
	var texts []string
	for _, k := range all[:min(4, len(all))] {
		texts = append(texts, k.Name()+"="+jsonConstant(k.Val()))
	}
	if len(all) > 4 {
		texts = append(texts, "...")
	}
	return strings.Join(texts, ", ")
}

// decided reports the interpretation of a type's constants: by a warning if another one is possible
// and arguments depend on it, otherwise by a note.
func (r *Resolver) decided(s site, t *types.Named, n numbering, what string) {
	at, on, where := r.enumDirective(s, t)
	hint := on + "closed " + where + " makes it one, off confirms that it is not"
	if n.meaning == choices {
		hint = on + "off " + where + " leaves it open, closed confirms that it is one"
	}
	r.saysEnum(at, n.sure, hint, "type "+r.typeString(t)+" "+what)
}

// saysEnum reports the decision about an enumeration.
func (r *Resolver) saysEnum(at site, sure bool, hint, message string) {
	severity := diag.Warning
	if sure || at.use == Result {
		severity = diag.Note
	}
	r.report(at, severity, hint, message)
}

// enumDirective returns the place for a diagnostic that a directive can resolve: at the type, or at
// the use of a type of another package. The directive begins with on, and its place is where.
func (r *Resolver) enumDirective(s site, t *types.Named) (at site, on, where string) {
	obj := t.Obj()
	if r.sources[obj.Pkg()] == nil {
		return site{Place: s.Place, use: s.use}, "//mcp:enum " + obj.Pkg().Path() + "." + obj.Name() + " ", "in the package comment"
	}
	return site{Place: diag.Place{Pos: r.pkg.Fset.Position(obj.Pos())}, use: s.use}, "//mcp:enum ", "on the type"
}

func (r *Resolver) enumErrorf(t *types.Named, form *EnumForm, hint, format string, args ...any) {
	r.errorf(site{Place: diag.Place{Pos: form.Pos, Subject: "//mcp:enum of " + t.Obj().Name()}}, hint, format, args...)
}

// textEnumeration returns the values of a type with MarshalText, whose texts come from the
// directive.
func (r *Resolver) textEnumeration(s site, t *types.Named, form *EnumForm) (values *model.Enum, ok bool) {
	if form.Mode == "off" {
		return nil, true
	}
	all, ok := r.constantsOf(s, t)
	e := &model.Enum{Open: form.Mode == "open"}
	var missing []string
	all, left := valuesOf(t, all, form)
	for _, k := range left {
		r.leftOut(s, t, k)
	}
	for _, k := range all {
		text, ok := textOf(form.Texts, k.Name())
		if !ok {
			missing = append(missing, k.Name())
			continue
		}
		e.Values = append(e.Values, model.EnumValue{JSON: jsontext.Quote(text), Doc: constantDoc(k.Name(), r.docs.Of(k))})
	}
	if len(missing) > 0 {
		r.enumErrorf(t, form, "write the text that MarshalText returns for each: "+missing[0]+"=text", "no text is given for %s, and only MarshalText returns it", strings.Join(missing, ", "))
	}
	return e, ok
}

// jsonConstant returns a string or integer constant as JSON.
func jsonConstant(v constant.Value) string {
	if v.Kind() == constant.String {
		return jsontext.Quote(constant.StringVal(v))
	}
	return v.ExactString()
}

// constantDoc returns the comment of a constant as a remark on its value: without the Go name at
// its start.
func constantDoc(name, doc string) string {
	doc = strings.Join(strings.Fields(doc), " ")
	if rest, ok := strings.CutPrefix(doc, name+" "); ok {
		doc = rest
		for _, verb := range []string{"is ", "are ", "means "} {
			if rest, ok := strings.CutPrefix(doc, verb); ok {
				doc = rest
				break
			}
		}
	}
	return doc
}
