package schema

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// converter contains the functions that convert a type to and from its JSON form.
type converter struct {
	travels        types.Type
	decode, encode *types.Func
	pos            token.Position // of the first of them
}

// belongsTo reports whether a package declares one of the functions.
func (c *converter) belongsTo(p *types.Package) bool {
	return c.decode != nil && c.decode.Pkg() == p || c.encode != nil && c.encode.Pkg() == p
}

// AddDecoder adds a function annotated with //mcp:decode. It must be called before the first type
// is resolved.
func (r *Resolver) AddDecoder(fn *types.Func, at diag.Place) {
	sig := fn.Signature()
	in, out := sig.Params(), sig.Results()
	errorType := types.Universe.Lookup("error").Type()
	if in.Len() != 1 || sig.Variadic() || out.Len() != 2 || !types.Identical(out.At(1).Type(), errorType) {
		r.errorf(site{Place: at}, "write func Name(S) (T, error), where T is the type and S its JSON form",
			"an //mcp:decode function must be func(S) (T, error), this is %s", r.typeString(sig))
		return
	}
	if c := r.addConverter(fn, out.At(0).Type(), in.At(0).Type(), at); c != nil {
		if c.decode != nil {
			r.errorf(site{Place: at}, "keep one of the two", "type %s already has the //mcp:decode function %s", r.typeString(out.At(0).Type()), c.decode.Name())
			return
		}
		c.decode = fn
	}
}

// AddEncoder adds a function annotated with //mcp:encode.
func (r *Resolver) AddEncoder(fn *types.Func, at diag.Place) {
	sig := fn.Signature()
	in, out := sig.Params(), sig.Results()
	errorType := types.Universe.Lookup("error").Type()
	if in.Len() != 1 || sig.Variadic() || out.Len() != 1 && (out.Len() != 2 || !types.Identical(out.At(1).Type(), errorType)) {
		r.errorf(site{Place: at}, "write func Name(T) S or func Name(T) (S, error), where T is the type and S its JSON form",
			"an //mcp:encode function must be func(T) S or func(T) (S, error), this is %s", r.typeString(sig))
		return
	}
	if c := r.addConverter(fn, in.At(0).Type(), out.At(0).Type(), at); c != nil {
		if c.encode != nil {
			r.errorf(site{Place: at}, "keep one of the two", "type %s already has the //mcp:encode function %s", r.typeString(in.At(0).Type()), c.encode.Name())
			return
		}
		c.encode = fn
	}
}

// addConverter returns the converter of a type, or nil after an error.
func (r *Resolver) addConverter(fn *types.Func, t, travels types.Type, at diag.Place) *converter {
	s := site{Place: at}
	if types.Identical(t, travels) {
		r.errorf(s, "convert to a type that JSON can express", "type %s would be converted to itself", r.typeString(t))
		return nil
	}
	if _, basic := types.Unalias(t).(*types.Basic); basic || types.Identical(t, types.Universe.Lookup("error").Type()) {
		r.errorf(s, "convert a declared type", "type %s cannot be given another form", r.typeString(t))
		return nil
	}
	c, ok := r.converters.At(t).(*converter)
	if !ok {
		c = &converter{travels: travels, pos: at.Pos}
		r.converters.Set(t, c)
		return c
	}
	if fn.Pkg() != r.pkg.Types && c.belongsTo(r.pkg.Types) {
		return nil // the functions of the package itself come first and take precedence
	}
	if !types.Identical(c.travels, travels) {
		d := fmt.Sprintf("type %s is converted to %s here, and to %s in the other direction", r.typeString(t), r.typeString(travels), r.typeString(c.travels))
		r.errorf(s, "let both functions use the same type", "%s", d)
		return nil
	}
	return c
}

// EncodesText reports whether functions annotated with //mcp:encode convert a value of the type, or
// the target of its pointer, to a string: its plan then leads to a String through the kinds Pointer
// and Converted alone.
func (r *Resolver) EncodesText(t types.Type) bool {
	converted := false
	// A chain of conversions can be a cycle, which resolve reports.
	for range maxDepth {
		t = types.Unalias(t)
		if c, ok := r.converters.At(t).(*converter); ok {
			if c.encode == nil {
				return false
			}
			t, converted = c.travels, true
			continue
		}
		switch u := t.(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Basic:
			return converted && u.Kind() == types.String
		default:
			return false
		}
	}
	return false
}

// converted makes the plan of a type that functions convert, once.
func (r *Resolver) converted(s site, t types.Type, c *converter) *model.Type {
	if plan, ok := r.plansOf(s.use, false).At(t).(*model.Type); ok {
		return plan
	}
	for _, fn := range []*types.Func{c.decode, c.encode} {
		if fn != nil && !r.visible(fn) {
			r.errorf(site{Place: diag.Place{Pos: c.pos, Subject: s.Subject}}, "export it",
				"function %s, which converts type %s, is not exported by its package, so generated code cannot name it", fn.Name(), r.typeString(t))
			return nil
		}
	}
	plan := &model.Type{Kind: model.Converted, Go: t, Convert: &model.Conversion{}}
	if named, ok := t.(*types.Named); ok {
		if !r.usable(s, named) {
			return nil
		}
		plan.Name, plan.Doc = plainName(named), r.typeDoc(named.Obj())
	}
	plan.Convert.Decode, plan.Convert.Encode = c.decode, c.encode
	return r.enter(s, t, plan, func() bool {
		plan.Elem = r.resolve(s, c.travels)
		return plan.Elem != nil
	})
}
