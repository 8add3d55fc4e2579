package emit

import (
	"go/types"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// unnamedStruct is an unnamed struct type that functions of the file read or write. The file
// declares an alias for it, without tags.
type unnamedStruct struct {
	typ     *types.Struct
	name    string
	printed bool
}

// unnamed reports whether a type contains an unnamed struct with fields.
func unnamed(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return unnamed(t.Elem())
	case *types.Slice:
		return unnamed(t.Elem())
	case *types.Array:
		return unnamed(t.Elem())
	case *types.Map:
		return unnamed(t.Key()) || unnamed(t.Elem())
	case *types.Signature:
		return slices.ContainsFunc(slices.Concat(typesOf(t.Params()), typesOf(t.Results())), unnamed)
	case *types.Struct:
		return t.NumFields() > 0
	}
	return false
}

// hasName reports whether the type of a value is declared: then its fields have the tags of that
// declaration.
func hasName(t types.Type) bool {
	_, named := types.Unalias(t).(*types.Named)
	return named
}

// nameStructs chooses names for the unnamed structs with a decoder or an encoder.
func (g *generator) nameStructs() {
	for _, d := range g.plan.Decoders {
		g.nameStruct(d.Go, d.Stem)
	}
	for _, e := range g.plan.Encoders {
		g.nameStruct(e.Go, e.Stem)
	}
}

func (g *generator) nameStruct(t types.Type, stem string) {
	s, ok := types.Unalias(t).(*types.Struct)
	if !ok || s.NumFields() == 0 || g.structOf(s) != nil {
		return
	}
	name := "mcpStruct" + stem
	for slices.ContainsFunc(g.file.structs, func(u *unnamedStruct) bool { return u.name == name }) {
		name += "Written"
	}
	g.file.structs = append(g.file.structs, &unnamedStruct{typ: s, name: name})
}

// structOf returns the alias of a struct, or nil.
func (f *file) structOf(t *types.Struct) *unnamedStruct {
	for _, u := range f.structs {
		if types.IdenticalIgnoreTags(u.typ, t) {
			return u
		}
	}
	return nil
}

// declareStruct prints the alias of a struct above the first function that reads or writes it.
func (g *generator) declareStruct(t types.Type) {
	s, ok := types.Unalias(t).(*types.Struct)
	if !ok {
		return
	}
	if u := g.structOf(s); u != nil && !u.printed {
		u.printed = true
		g.add(u.name+" has the fields of a struct without a name, and no tags.",
			jen.Type().Id(u.name).Op("=").Add(g.structure(s, false)))
	}
}

// untagged returns an operand as a value of a type that typ prints.
func (g *generator) untagged(t types.Type, v operand) operand {
	if v.untagged || t == nil || !unnamed(t) {
		return v
	}
	return operand{expr: jen.Parens(jen.Op("*").Add(g.typ(t))).Parens(v.addr()), behind: true, untagged: true}
}

// clear sets a value to the zero value of its type.
func (g *generator) clear(t types.Type, v operand) code {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		v = g.untagged(t, v)
	}
	return v.set(g.zero(t))
}

// convertible reports whether a value of a declared struct is printed as a conversion of a struct
// without tags, since it contains unnamed structs. The file cannot name unexported fields of other
// packages.
func (g *generator) convertible(l *codec.Literal) bool {
	if l.Kind != codec.LitStruct || l.Type == nil || !hasName(l.Type) {
		return false
	}
	s, ok := l.Type.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	found := false
	for v := range s.Fields() {
		if !v.Exported() && v.Pkg().Path() != g.path {
			return false
		}
		found = found || unnamed(v.Type())
	}
	return found
}

// untaggedFunc returns a function converted to a type that typ prints. The conversion is hidden
// behind a call that is not inlined: if the compiler of Go 1.26 sees the conversion, it inlines a
// call of the function as if the types were identical, and refuses that. A package variable would
// also do, but not for a function that leads to the registration of features: its initialization
// would be a cycle.
func (g *generator) untaggedFunc(params, returned, fn code) code {
	return g.impl("Untagged").Call(conversion(params, returned, fn))
}

// conversion prints the conversion of a function.
func conversion(params, returned, fn code) code {
	return jen.Parens(jen.Func().Add(params, returned)).Parens(fn)
}

// convertedFunc returns a function that converts values, with types that typ prints.
func (g *generator) convertedFunc(f *types.Func) code {
	t := f.Signature()
	if !unnamed(t) {
		return g.object(f)
	}
	in, out := g.parameters(typesOf(t.Params()), t.Variadic(), false), g.parameters(typesOf(t.Results()), false, false)
	return g.untaggedFunc(jen.Params(in...), results(out), g.object(f))
}

// providerFunc returns a provider, with types that typ prints.
func (g *generator) providerFunc(p *model.Provider) code {
	fn := g.declared(p.Pkg, p.Func)
	if !providesUnnamed(p) {
		return fn
	}
	return g.untaggedFunc(jen.Params(g.parameters(p.Params, false, false)...), results(g.provided(p)), fn)
}

func (g *generator) provided(p *model.Provider) []jen.Code {
	out := []jen.Code{g.typ(p.Type)}
	if p.Error {
		out = append(out, jen.Error())
	}
	return out
}

// providesUnnamed reports whether the signature of a provider contains unnamed structs.
func providesUnnamed(p *model.Provider) bool {
	return unnamed(p.Type) || slices.ContainsFunc(p.Params, unnamed)
}

// callsUnnamed reports whether the signature of a function contains unnamed structs.
func callsUnnamed(c *model.Call) bool {
	return slices.ContainsFunc(c.Func.Params, func(p *model.Param) bool { return unnamed(p.Type) }) ||
		slices.ContainsFunc(c.Result.Values, func(v *model.ResultValue) bool { return unnamed(v.Type) })
}
