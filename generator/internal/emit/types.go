package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"
)

// object is the name of a declared thing, qualified where it belongs to another
// package.
func (f *file) object(o types.Object) string {
	p := o.Pkg()
	if p == nil || f.own(p) {
		return o.Name()
	}
	return f.imports.use(p.Path(), p.Name()) + "." + o.Name()
}

// own reports whether a package is the one that the file belongs to.
func (f *file) own(p *types.Package) bool {
	return p == f.pkg || f.pkg != nil && p.Path() == f.pkg.Path()
}

// hidden reports whether the file cannot name an alias: its type is written instead.
func (f *file) hidden(o *types.TypeName) bool {
	p := o.Pkg()
	return p != nil && (!o.Exported() && !f.own(p) || o.Parent() != nil && o.Parent() != p.Scope())
}

// typ is the source of a type.
func (f *file) typ(t types.Type) code { return f.spell(t, true) }

// shape is typ without struct tags, which conversions ignore.
func (f *file) shape(t types.Type) code { return f.spell(t, false) }

func (f *file) spell(t types.Type, tags bool) code {
	switch t := t.(type) {
	case *types.Named:
		if alias, args := f.aliases.Of(t); alias != nil {
			return f.instance(alias, args, tags)
		}
		return f.instance(t.Obj(), t.TypeArgs(), tags)
	case *types.Alias:
		if f.hidden(t.Obj()) {
			return f.spell(t.Rhs(), tags)
		}
		return f.instance(t.Obj(), t.TypeArgs(), tags)
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return id(f.imports.use("unsafe", "unsafe") + ".Pointer")
		}
		return id(t.Name())
	case *types.Pointer:
		return jen.Op("*").Add(f.spell(t.Elem(), tags))
	case *types.Slice:
		return jen.Index().Add(f.spell(t.Elem(), tags))
	case *types.Array:
		return jen.Index(jen.Lit(int(t.Len()))).Add(f.spell(t.Elem(), tags))
	case *types.Map:
		return jen.Map(f.spell(t.Key(), tags)).Add(f.spell(t.Elem(), tags))
	case *types.Struct:
		return f.structure(t, tags)
	case *types.Signature:
		return jen.Func().Add(f.signature(nil, t.Params(), t.Results(), t.Variadic(), tags))
	case *types.Interface:
		if t.Empty() {
			return id("any")
		}
	}
	return id(types.TypeString(t, func(p *types.Package) string {
		if f.pkg != nil && p.Path() == f.pkg.Path() {
			return ""
		}
		return f.imports.use(p.Path(), p.Name())
	}))
}

func (f *file) instance(o *types.TypeName, args *types.TypeList, tags bool) code {
	name := id(f.object(o))
	if args.Len() == 0 {
		return name
	}
	var list []jen.Code
	for a := range args.Types() {
		list = append(list, f.spell(a, tags))
	}
	return name.Types(list...)
}

func (f *file) structure(t *types.Struct, tags bool) code {
	var fields []jen.Code
	for i := range t.NumFields() {
		v := t.Field(i)
		field := f.spell(v.Type(), tags)
		if !v.Embedded() {
			field = id(v.Name()).Add(field)
		}
		if tag := t.Tag(i); tags && tag != "" {
			field.Add(rawText([]string{tag}))
		}
		fields = append(fields, field)
	}
	return structType(fields...)
}

// signature is the parameters and results of a function, without names.
func (f *file) signature(recv types.Type, params, results *types.Tuple, variadic, tags bool) code {
	var in, out []jen.Code
	if recv != nil {
		in = append(in, f.spell(recv, tags))
	}
	for i := range params.Len() {
		t := params.At(i).Type()
		if s, ok := t.(*types.Slice); ok && variadic && i == params.Len()-1 {
			in = append(in, jen.Op("...").Add(f.spell(s.Elem(), tags)))
			continue
		}
		in = append(in, f.spell(t, tags))
	}
	for v := range results.Variables() {
		out = append(out, f.spell(v.Type(), tags))
	}
	return f.plainSignature(in, out)
}

func (f *file) plainSignature(in, out []jen.Code) code {
	return f.results(list("(", ")", false, in...), out)
}

// wrappedSignature has each parameter on a line of its own.
func (f *file) wrappedSignature(in, out []jen.Code) code {
	return f.results(list("(", ")", true, in...), out)
}

func (f *file) results(c code, out []jen.Code) code {
	switch len(out) {
	case 0:
	case 1:
		c.Add(out[0])
	default:
		c.Add(list("(", ")", false, out...))
	}
	return c
}

// zero is the zero value of a type.
func (f *file) zero(t types.Type) code {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return id("false")
		case u.Info()&types.IsString != 0:
			return id(`""`)
		case u.Info()&types.IsNumeric != 0:
			return id("0")
		}
	case *types.Struct, *types.Array:
		return f.typ(t).Add(composite(false))
	}
	return id("nil")
}
