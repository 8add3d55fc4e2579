package schema

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// Form is the part of a type's JSON form that directives set. Nil fields are not set.
type Form struct {
	Enum   *EnumForm
	Union  *UnionForm
	Schema *SchemaForm
}

// EnumForm is //mcp:enum.
type EnumForm struct {
	Mode  string      // "closed", "open" or "off"
	Texts []NamedText // texts for constants
	// With and Without are constants that are, or are not, values, whatever their names; their Text
	// is empty.
	With, Without []NamedText
	Pos           token.Position
}

// Equal reports whether two directives set the same.
func (e *EnumForm) Equal(other *EnumForm) bool {
	same := func(a, b []NamedText) bool {
		return slices.EqualFunc(a, b, func(x, y NamedText) bool { return x.Name == y.Name && x.Text == y.Text })
	}
	return e.Mode == other.Mode && same(e.Texts, other.Texts) && same(e.With, other.With) && same(e.Without, other.Without)
}

// UnionForm is //mcp:union.
type UnionForm struct {
	Discriminator string      // "" for the default
	Names         []NamedText // names of implementations
	Pos           token.Position
}

// SchemaForm is //mcp:schema.
type SchemaForm struct {
	JSON string
	Pos  token.Position
}

// NamedText is the JSON text for a Go name.
type NamedText struct {
	Name, Text string
	Pos        token.Position
}

// SetForm sets the form of a type from directives, and reports errors in it. It must be called
// before the first type is resolved.
func (r *Resolver) SetForm(obj *types.TypeName, form *Form) {
	r.forms[obj] = form
	if form == nil {
		return
	}
	at := func(word string, pos token.Position) site {
		return site{Place: diag.Place{Pos: pos, Subject: "//mcp:" + word + " of " + obj.Name()}}
	}
	if e := form.Enum; e != nil && !r.goodEnumForm(at("enum", e.Pos), obj, e) {
		form.Enum = nil
	}
	if u := form.Union; u != nil && !r.goodUnionForm(at("union", u.Pos), obj) {
		form.Union = nil
	}
	if j := form.Schema; j != nil && !r.goodSchema(at("schema", j.Pos), j) {
		form.Schema = nil
	}
}

// formOf returns the form of a declared type from directives. It is never nil.
func (r *Resolver) formOf(obj *types.TypeName) *Form {
	if f, ok := r.forms[obj]; ok && f != nil {
		return f
	} else if !ok && r.Foreign != nil && obj.Pkg() != nil && obj.Pkg() != r.pkg.Types && !r.isStandard(obj.Pkg().Path()) {
		f := r.Foreign(obj)
		r.SetForm(obj, f)
		if f != nil {
			return f
		}
	}
	return &Form{}
}

func (r *Resolver) goodEnumForm(s site, obj *types.TypeName, e *EnumForm) bool {
	b, ok := obj.Type().Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsString|types.IsInteger) == 0 {
		r.errorf(s, "put it on a named type of strings or integers", "type %s has no constants that could be enumerated", obj.Name())
		return false
	}
	var names []string
	all, ok := r.constantsOf(s, obj.Type())
	if !ok {
		return false
	}
	for _, k := range all {
		names = append(names, k.Name())
	}
	if m := methodsOf(obj.Type()); len(e.Texts) > 0 && !m.marshalText && !m.unmarshalText {
		s.Pos = e.Texts[0].Pos
		r.errorf(s, "give the type MarshalText and UnmarshalText, or drop the texts", "the values of type %s are written as they are, since it has no MarshalText", obj.Name())
		return false
	}
	return r.known(s, e.Texts, names, "constant of the type") && r.goodChoice(s, e, obj.Pkg(), names)
}

// goodChoice checks the names of with= and without=.
func (r *Resolver) goodChoice(s site, e *EnumForm, pkg *types.Package, names []string) bool {
	ok := true
	fail := func(n NamedText, hint, format string, args ...any) {
		s.Pos = n.Pos
		r.errorf(s, hint, format, args...)
		ok = false
	}
	for i, n := range slices.Concat(e.With, e.Without) {
		without := i >= len(e.With)
		switch {
		case !slices.Contains(names, n.Name) && r.docs.Elsewhere(pkg, n.Name):
			// Another build declares it.
		case !r.isKnown(s, n, names, "constant of the type"):
			ok = false
		case e.Mode == "off":
			fail(n, "keep one of the two", "off contradicts with= and without=, which choose among the values of an enumeration")
		case without && hasName(e.With, n.Name):
			fail(n, "keep one of the two", "with= and without= both have %s", n.Name)
		case without && hasName(e.Texts, n.Name):
			fail(n, "keep one of the two", "without= has %s, and %s= gives it a text", n.Name, n.Name)
		}
	}
	if ok && len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !hasName(e.Without, name) }) {
		fail(e.Without[0], "leave at least one, or write off", "without= leaves no value")
	}
	return ok
}

func hasName(list []NamedText, name string) bool {
	return slices.ContainsFunc(list, func(n NamedText) bool { return n.Name == name })
}

// isKnown refuses a name that does not exist.
func (r *Resolver) isKnown(s site, n NamedText, names []string, what string) bool {
	if slices.Contains(names, n.Name) {
		return true
	}
	s.Pos = n.Pos
	hint := "there is none"
	if near := diag.Nearest(n.Name, names); near != "" {
		hint = "did you mean " + near + "?"
	} else if len(names) > 0 {
		hint = "they are " + strings.Join(names, ", ")
	}
	r.errorf(s, hint, "%s is not a %s", n.Name, what)
	return false
}

// known refuses names that do not exist, and texts that are empty or occur twice.
func (r *Resolver) known(s site, list []NamedText, names []string, what string) bool {
	ok := true
	seen := map[string]bool{}
	for _, n := range list {
		s.Pos = n.Pos
		ok = r.isKnown(s, n, names, what) && ok
		if seen[n.Text] || n.Text == "" {
			r.errorf(s, "give each a text of its own", "the text %q is empty or given twice", n.Text)
			ok = false
		}
		seen[n.Text] = true
	}
	return ok
}

func textOf(list []NamedText, name string) (string, bool) {
	for _, n := range list {
		if n.Name == name {
			return n.Text, true
		}
	}
	return "", false
}
