package analyze

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// collectProviders reads the functions annotated with //mcp:inject.
func (a *analyzer) collectProviders() {
	for _, d := range a.declared("inject") {
		fn, at, ok := a.plainFunc(d)
		if !ok {
			continue
		}
		p := a.providerOf(fn)
		if p == nil {
			a.diags.Errorf(at.Pos, at.Subject, "an //mcp:inject function must be "+providerForms+", this is %s", a.typeString(fn.Signature())).
				Hint = providerHint
			continue
		}
		p.Pos = at.Pos
		if what := takesAll(p.Type); what != "" {
			a.diags.Errorf(at.Pos, at.Subject, "%s, so it would fill every parameter of type %s", what, a.typeString(p.Type)).
				Hint = fmt.Sprintf("delete //mcp:inject here and name the parameters: //mcp:arg NAME inject=%s above a function, "+
				"or inject=NAME:%[1]s in //mcp:defaults; or return a type of its own, such as type UserID int64", p.Func)
			continue
		}
		if other := a.ownProvider(p.Type, p.Pkg); other != nil {
			a.diags.Errorf(at.Pos, at.Subject, "%s is already provided by %s", a.typeString(p.Type), other.Func).
				Relate(other.Pos, "the other one").Hint = "keep one of the two, or give one a type of its own"
			continue
		}
		a.providers = append(a.providers, p)
	}
}

const (
	providerForms = "func(context.Context, ...) T or func(context.Context, ...) (T, error)"
	providerHint  = "take the context first; what else it takes becomes arguments, unless other functions fill it"
)

// providerOf describes a function that fills parameters, or returns nil for another signature. It
// returns the same provider for the same function, so that the function is called once for each
// request.
func (a *analyzer) providerOf(fn *types.Func) *model.Provider {
	if p := a.providerFuncs[fn]; p != nil {
		return p
	}
	sig := fn.Signature()
	results := sig.Results()
	if sig.Params().Len() == 0 || !isContext(sig.Params().At(0).Type()) || sig.Variadic() || sig.TypeParams().Len() > 0 {
		return nil
	}
	if !(results.Len() == 1 && !isError(results.At(0).Type()) || results.Len() == 2 && isError(results.At(1).Type())) {
		return nil
	}
	p := &model.Provider{Pkg: a.pkgOf(), Func: fn.Name(), Type: results.At(0).Type(), Error: results.Len() == 2, Pos: a.position(fn.Pos())}
	for v := range sig.Params().Variables() {
		p.Params = append(p.Params, v.Type())
	}
	a.providerFuncs[fn] = p
	return p
}

// providerNamed finds the function that inject= names: in the package itself, then in the package
// that emits its features.
func (a *analyzer) providerNamed(name string) *types.Func {
	for _, source := range []*analyzer{a, a.root()} {
		if fn, ok := source.pkg.Types.Scope().Lookup(name).(*types.Func); ok {
			return fn
		}
	}
	return nil
}

// resolveProvider returns the provider for a function, or nil after a diagnostic.
func (a *analyzer) resolveProvider(fn *types.Func, name string, at diag.Place) *model.Provider {
	if fn == nil {
		d := a.diags.Errorf(at.Pos, at.Subject, "there is no function %s", name)
		d.Hint = fmt.Sprintf("declare it: func %s(ctx context.Context) (T, error)", name)
		if !token.IsIdentifier(name) {
			d.Hint = "name a function of the package; it can call others"
		} else if near := diag.Nearest(name, a.providerNames()); near != "" {
			d.Hint = "did you mean " + near + "?"
		}
		return nil
	}
	home := a
	if fn.Pkg() != a.pkg.Types {
		home = a.root()
	}
	if load.InvalidIn(fn.Type()) {
		a.diags.Errorf(at.Pos, at.Subject, "the signature of %s does not compile", name).Relate(a.position(fn.Pos()), "the function").
			Hint = "fix what the compiler reports"
		return nil
	}
	p := home.providerOf(fn)
	if p == nil {
		a.diags.Errorf(at.Pos, at.Subject, "%s must be "+providerForms+", this is %s", name, a.shortType(fn.Signature())).
			Relate(a.position(fn.Pos()), "the function").Hint = providerHint
		return nil
	}
	return p
}

// providerNames returns the functions that could have been meant.
func (a *analyzer) providerNames() []string {
	var names []string
	for _, source := range []*analyzer{a, a.root()} {
		scope := source.pkg.Types.Scope()
		for _, name := range scope.Names() {
			if fn, ok := scope.Lookup(name).(*types.Func); ok && source.providerOf(fn) != nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// takesAll returns the reason why values of a type may be anything, so that its parameters cannot
// be filled by their type. It returns "" for other types.
func takesAll(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Name() + " is predeclared"
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return t.Obj().Name() + " is predeclared"
		}
	case *types.Pointer:
		return takesAll(t.Elem())
	case *types.Slice:
		return takesAll(t.Elem())
	case *types.Array:
		return takesAll(t.Elem())
	case *types.Map:
		if takesAll(t.Key()) != "" {
			return takesAll(t.Elem())
		}
		return ""
	}
	if i, ok := t.Underlying().(*types.Interface); ok && i.NumMethods() == 0 {
		return "the interface has no methods"
	}
	return ""
}

// provider returns the provider of exactly this type, or nil: from the package that is generated
// for, from the feature's own package, or from another one whose features are emitted. It returns
// false if it reported a diagnostic.
func (a *analyzer) provider(t types.Type, at diag.Place) (p *model.Provider, ok bool) {
	p = a.ownProvider(t, nil)
	if p == nil {
		p = a.ownProvider(t, a.pkgOf())
	}
	for _, other := range a.providers {
		if p != nil && (p.Pkg == nil || p.Pkg == a.pkgOf()) || !types.Identical(other.Type, t) {
			continue
		}
		if p != nil {
			a.diags.Errorf(at.Pos, at.Subject, "%s is provided by both %s and %s of other packages", a.shortType(t), p.Func, other.Func).
				Relate(p.Pos, "one").Relate(other.Pos, "the other one").Hint = "write an //mcp:inject function in the package with //mcp:from, which takes precedence"
			return nil, false
		}
		p = other
	}
	return p, p == nil || a.callable(p, at)
}

// callable refuses a provider that generated code cannot call.
func (a *analyzer) callable(p *model.Provider, at diag.Place) bool {
	if ast.IsExported(p.Func) || p.Pkg == nil && !a.out.NotEmitted {
		return true
	}
	d := a.diags.Errorf(p.Pos, "inject "+p.Func, "the function is not exported, so no other package can use it").Relate(at.Pos, "where it is needed")
	d.Hint = "export it, or write an //mcp:inject function in the package with //mcp:from, which takes precedence"
	return false
}

// ownProvider returns the provider of a type that a package declares.
func (a *analyzer) ownProvider(t types.Type, pkg *types.Package) *model.Provider {
	for _, p := range a.providers {
		if p.Pkg == pkg && types.Identical(p.Type, t) {
			return p
		}
	}
	return nil
}
