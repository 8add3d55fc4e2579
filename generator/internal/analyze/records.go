package analyze

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// receiverOfArgs returns the receiver of a method with receiver=args, whose members are arguments.
func (a *analyzer) receiverOfArgs(d declared, fn *types.Func, at diag.Place) (*model.Receiver, bool) {
	fail := func(hint, format string, args ...any) (*model.Receiver, bool) {
		a.diags.Errorf(at.Pos, at.Subject, format, args...).Hint = hint
		return nil, false
	}
	t := a.receiverType(d, fn)
	p, ok := t.(*types.Pointer)
	switch {
	case t == nil:
		return fail("leave receiver= out", "a function has no receiver")
	case !ok && types.IsInterface(t):
		return fail("annotate the methods of structs that implement it", "the receiver %s is an interface, which cannot be made of arguments", a.shortType(t))
	case !ok:
		return a.receiver(fn, at) // reports the error
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || a.calleeOf(d) == nil && named.TypeParams().Len() > 0 {
		return a.receiver(fn, at)
	}
	if _, isStruct := named.Underlying().(*types.Struct); !isStruct || !a.types.IsObject(named) {
		return fail("leave receiver= out", "the receiver %s is not a struct whose members are a JSON object", a.shortType(named))
	}
	if !schema.HasMembers(named) {
		return fail("leave receiver= out", "the receiver %s has no member that could be an argument", a.shortType(named))
	}
	provider, ok := a.provider(t, at)
	if !ok {
		return nil, false
	}
	if provider != nil {
		a.diags.Errorf(at.Pos, at.Subject, "the receiver would be made of arguments, and %s makes it", provider.Func).Relate(provider.Pos, "the function").
			Hint = "leave receiver= out, or delete the function"
		return nil, false
	}
	if problem, hint := a.types.Unnameable(t); problem != "" && (a.outside() || named.Obj().Pkg() != a.pkg.Types) {
		return fail(hint, "the receiver: %s, so generated code cannot name it", problem)
	}
	return &model.Receiver{TypeName: named.Obj().Name(), Pkg: a.declaring(named.Obj().Pkg()), Type: t, Args: true, Pos: at.Pos}, true
}

// receiverParam returns a receiver that is made of arguments, as a parameter whose members are
// arguments.
func receiverParam(fn *types.Func, r *model.Receiver, params []givenName, at diag.Place) *model.Param {
	p := &model.Param{Name: fn.Signature().Recv().Name(), Type: r.Type, Source: model.FromArgument, Pos: at.Pos}
	if p.Name == "" || p.Name == "_" {
		p.Name = "receiver"
	}
	for slices.ContainsFunc(params, func(n givenName) bool { return n.name == p.Name }) {
		p.Name += "2"
	}
	return p
}

// addInline adds the line that inlines a parameter.
func (s *argSet) addInline(name string, at diag.Place) {
	s.inline = &directive.Directive{Word: "arg", Pos: at.Pos, Far: true, Args: []directive.Arg{{Bare: true, Value: name}, {Key: "inline", Value: "true"}}}
	s.all = append(slices.Clone(s.all), s.inline)
	s.lines = s.all
}

// withoutInline removes that line again for the only parameter, whose members are arguments anyway.
func (s *argSet) withoutInline(p *model.Param) {
	isInline := func(l *directive.Directive) bool { return l == s.inline }
	if p != nil {
		s.all = slices.DeleteFunc(slices.Clone(s.all), isInline)
		s.lines = slices.DeleteFunc(slices.Clone(s.lines), isInline)
	}
}

// rowTags are the tags by which libraries map the fields of a struct to columns.
var rowTags = []string{"gorm", "xorm", "bun", "db", "pg"}

// isRow reports an error for a receiver that is a row of a database: all calls would share one.
func (a *analyzer) isRow(named *types.Named, at diag.Place) bool {
	field, tag := rowField(named, map[types.Type]bool{})
	if field == nil {
		return false
	}
	name := named.Obj().Name()
	d := a.diags.Errorf(at.Pos, at.Subject, "the receiver %s is a row of a database, by the tag %s of %s, and all calls would share one", name, tag, field.Name())
	where := "here"
	if named.Obj().Pkg() == a.pkg.Types {
		where += " or in //mcp:defaults above " + name
	}
	d.Hint = fmt.Sprintf("write receiver=args, %s: its members become arguments, and each call has a new one; or let an //mcp:inject function return %s", where, a.shortType(types.NewPointer(named)))
	if field.Pkg() == a.pkg.Types {
		d.Relate(a.position(field.Pos()), "the field")
	}
	return true
}

// rowField finds a field with a tag in rowTags, in a struct and in the structs that it embeds.
func rowField(t types.Type, seen map[types.Type]bool) (field *types.Var, tag string) {
	t = pointee(t)
	st, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return nil, ""
	}
	seen[t] = true
	for i := range st.NumFields() {
		for _, key := range rowTags {
			if text, set := reflect.StructTag(st.Tag(i)).Lookup(key); set && text != "-" {
				return st.Field(i), key
			}
		}
		if st.Field(i).Embedded() {
			if field, tag = rowField(st.Field(i).Type(), seen); field != nil {
				return field, tag
			}
		}
	}
	return nil, ""
}
