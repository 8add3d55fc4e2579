package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"
)

// object returns the name of a declared object.
func (f *file) object(o types.Object) code { return f.declared(o.Pkg(), o.Name()) }

// hidden reports whether the file cannot name an alias: its type is written instead.
func (f *file) hidden(o *types.TypeName) bool {
	p := o.Pkg()
	return p != nil && (!o.Exported() && p.Path() != f.path || o.Parent() != nil && o.Parent() != p.Scope())
}

// typ returns the source of a type. Unnamed structs are printed without tags, which conversions
// ignore: the file still compiles after a tag was edited.
func (f *file) typ(t types.Type) code { return f.spell(t, f.tagged) }

func (f *file) spell(t types.Type, tags bool) code {
	switch t := t.(type) {
	case *types.Named:
		if alias, args := f.aliases.Of(t); alias != nil {
			return f.instance(alias, args)
		}
		return f.instance(t.Obj(), t.TypeArgs())
	case *types.Alias:
		if f.hidden(t.Obj()) || !tags && unnamed(t) {
			return f.spell(t.Rhs(), tags)
		}
		return f.instance(t.Obj(), t.TypeArgs())
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return f.qualified("unsafe", "unsafe", "Pointer")
		}
		return jen.Id(t.Name())
	case *types.Pointer:
		return jen.Op("*").Add(f.spell(t.Elem(), tags))
	case *types.Slice:
		return jen.Index().Add(f.spell(t.Elem(), tags))
	case *types.Array:
		return jen.Index(jen.Lit(int(t.Len()))).Add(f.spell(t.Elem(), tags))
	case *types.Map:
		return jen.Map(f.spell(t.Key(), tags)).Add(f.spell(t.Elem(), tags))
	case *types.Struct:
		if s := f.structOf(t); s != nil && !tags {
			return jen.Id(s.name)
		}
		return f.structure(t, tags)
	case *types.Signature:
		in := f.parameters(typesOf(t.Params()), t.Variadic(), tags)
		out := f.parameters(typesOf(t.Results()), false, tags)
		return jen.Func().Params(in...).Add(results(out))
	case *types.Interface:
		if t.Empty() {
			return jen.Any()
		}
	}
	return verbatim(types.TypeString(t, func(p *types.Package) string {
		if p.Path() == f.path {
			return ""
		}
		return f.imports.use(p.Path(), p.Name())
	}))
}

// instance returns the name of a type with its type arguments. Conversions do not ignore the tags
// in type arguments.
func (f *file) instance(o *types.TypeName, args *types.TypeList) code {
	name := f.object(o)
	if args.Len() == 0 {
		return name
	}
	var list []jen.Code
	for a := range args.Types() {
		list = append(list, f.spell(a, true))
	}
	return name.Types(list...)
}

func (f *file) structure(t *types.Struct, tags bool) code {
	var fields []jen.Code
	for i := 0; i < t.NumFields(); i++ {
		v := t.Field(i)
		field := f.spell(v.Type(), tags)
		if !v.Embedded() {
			names := v.Name()
			for ; i+1 < t.NumFields() && !tags && alike(v, t.Field(i+1)) && len(names) < lineWidth/2; i++ {
				names += ", " + t.Field(i+1).Name()
			}
			field = jen.Id(names).Add(field)
		}
		if tag := t.Tag(i); tags && tag != "" {
			field.Add(raw(tag))
		}
		fields = append(fields, field)
	}
	// Not jen.Struct, which prints no space before the brace: width counts the output of go/format.
	return jen.Id("struct").Block(fields...)
}

// alike reports whether two adjacent fields can be declared together.
func alike(a, b *types.Var) bool { return !b.Embedded() && types.Identical(a.Type(), b.Type()) }

// parameters returns the types of parameters; the last one may be variadic.
func (f *file) parameters(list []types.Type, variadic, tags bool) []jen.Code {
	var out []jen.Code
	for i, t := range list {
		if s, ok := t.Underlying().(*types.Slice); ok && variadic && i == len(list)-1 {
			out = append(out, jen.Op("...").Add(f.spell(s.Elem(), tags)))
			continue
		}
		out = append(out, f.spell(t, tags))
	}
	return out
}

func typesOf(t *types.Tuple) []types.Type {
	var out []types.Type
	for v := range t.Variables() {
		out = append(out, v.Type())
	}
	return out
}

// results returns the result list, in parentheses if there are several.
func results(list []jen.Code) code {
	if len(list) > 1 {
		return jen.Params(list...)
	}
	return jen.Add(list...)
}

// zero returns the zero value of a type.
func (f *file) zero(t types.Type) code {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return jen.False()
		case u.Info()&types.IsString != 0:
			return jen.Lit("")
		case u.Info()&types.IsNumeric != 0:
			return jen.Lit(0)
		}
	case *types.Struct, *types.Array:
		return f.typ(t).Values()
	}
	return jen.Nil()
}
