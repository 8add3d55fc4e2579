package analyze

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// saidError is a package's declaration of an error.
type saidError struct {
	by *analyzer
	*model.DeclaredError
}

// collectErrors reads //mcp:error.
func (a *analyzer) collectErrors() {
	seen := map[*directive.Set]*directive.Directive{}
	for _, d := range a.declared("error") {
		at := diag.Place{Pos: d.dir.Pos, Subject: "error " + d.set.Name}
		if d.set.Target == directive.Package {
			a.foreignError(d, at)
			continue
		}
		if other := seen[d.set]; other != nil {
			a.diags.Errorf(at.Pos, "//mcp:error", "given twice on %s", d.set.Symbol).Relate(other.Pos, "the other one").Hint = "keep one of the two"
			continue
		}
		seen[d.set] = d.dir
		obj := a.object(d.set)
		e := &model.DeclaredError{Pkg: a.pkgOf(), Name: d.set.Name, Text: d.dir.Text, Pos: d.dir.Pos}
		switch fn, isFunc := obj.(*types.Func); {
		case obj == nil || !a.exported(obj, "the error", at):
		case isFunc:
			a.errorText(e, fn, at)
		case a.errorObject(e, obj, at):
			a.declareError(obj, e, at)
		}
	}
}

// foreignError reads //mcp:error of a package comment: the name of an error in another package, and
// its message.
func (a *analyzer) foreignError(d declared, at diag.Place) {
	name, text, _ := strings.Cut(d.dir.Text, " ")
	at.Pos, at.Subject = d.dir.TextPos, "//mcp:error"
	obj := a.foreign(d, name, &foreignKind{
		what: "error", kinds: "type or variable",
		hint: "write //mcp:error pkg.Name; on an error of this package write it without the name",
		is: func(obj types.Object) bool {
			switch obj.(type) {
			case *types.TypeName, *types.Var:
				return obj.Exported()
			}
			return false
		},
	})
	if obj == nil {
		return
	}
	if !schema.Importable(a.out.Path, obj.Pkg().Path()) {
		a.diags.Errorf(at.Pos, at.Subject, "%s is in an internal package that this package cannot import", name).Hint = "leave it out, or use an error that can be imported"
		return
	}
	e := &model.DeclaredError{Pkg: obj.Pkg(), Name: obj.Name(), Text: strings.TrimSpace(text), Pos: d.dir.Pos}
	if a.errorObject(e, obj, at) {
		a.declareError(obj, e, at)
	}
}

// errorObject reports whether a variable or type is an error, and sets the type.
func (a *analyzer) errorObject(e *model.DeclaredError, obj types.Object, at diag.Place) bool {
	if v, ok := obj.(*types.Var); ok {
		if !types.Implements(v.Type(), errorType) {
			a.diags.Errorf(at.Pos, at.Subject, "a variable of type %s is not an error", a.typeString(v.Type())).
				Hint = "put //mcp:error on a sentinel such as var ErrNotFound = errors.New(...)"
			return false
		}
		return true
	}
	t := obj.Type()
	switch named, _ := types.Unalias(t).(*types.Named); {
	case named != nil && named.TypeParams().Len() > named.TypeArgs().Len():
		a.diags.Errorf(at.Pos, at.Subject, "a generic type has no values of its own").
			Hint = "write a function for each instance, func(Err[int]) string, with //mcp:error"
		return false
	case types.Implements(t, errorType):
		e.Type = t
	case types.Implements(types.NewPointer(t), errorType):
		e.Type = types.NewPointer(t)
	default:
		a.diags.Errorf(at.Pos, at.Subject, "the type has no method Error() string").Hint = "put //mcp:error on a type that implements error"
		return false
	}
	return a.narrowError(e.Type, at)
}

// narrowError refuses types that include every error.
func (a *analyzer) narrowError(t types.Type, at diag.Place) bool {
	if i, ok := t.Underlying().(*types.Interface); ok && i.NumMethods() == 1 {
		a.diags.Errorf(at.Pos, at.Subject, "every error has the type %s", a.typeString(t)).Hint = "use the type of the errors that are meant"
		return false
	}
	return true
}

// errorText declares the errors for which a function returns the message.
func (a *analyzer) errorText(e *model.DeclaredError, fn *types.Func, at diag.Place) {
	const form = "write func(*pkg.Error) string"
	sig := fn.Signature()
	if sig.TypeParams().Len() > 0 || sig.Params().Len() != 1 || sig.Variadic() || sig.Results().Len() != 1 ||
		!types.Identical(sig.Results().At(0).Type(), types.Typ[types.String]) {
		a.diags.Errorf(at.Pos, at.Subject, "an //mcp:error function must be func(E) string, this is %s", a.typeString(sig)).Hint = form
		return
	}
	if e.Text != "" {
		a.diags.Errorf(at.Pos, at.Subject, "the function returns the text, so the directive has none").Hint = "leave one of the two out"
		return
	}
	e.Type, e.Func = sig.Params().At(0).Type(), true
	if !types.Implements(e.Type, errorType) {
		d := a.diags.Errorf(at.Pos, at.Subject, "type %s is not an error", a.typeString(e.Type))
		if d.Hint = form; types.Implements(types.NewPointer(e.Type), errorType) {
			d.Hint = "take " + a.typeString(types.NewPointer(e.Type)) + ", which is one"
		}
		return
	}
	if !a.narrowError(e.Type, at) || !a.spellable(fn, at) {
		return
	}
	a.declareError(errorTypeName(e.Type), e, at)
}

// errorTypeName returns the name of an error type, or nil for types without a name and for
// instances of generic types, since several instances share one name.
func errorTypeName(t types.Type) types.Object {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok && named.TypeArgs().Len() == 0 {
		return named.Obj()
	}
	return nil
}

// declareError adds an error. If several packages declare it, the package that is generated for
// takes precedence.
func (a *analyzer) declareError(obj types.Object, e *model.DeclaredError, at diag.Place) {
	if name, ok := obj.(*types.TypeName); ok {
		obj = errorTypeName(name.Type())
	}
	other := a.errors[obj]
	switch {
	case obj == nil || other == nil:
		a.out.Errors = append(a.out.Errors, e)
		if obj != nil {
			a.errors[obj] = &saidError{a, e}
		}
	case other.by == a:
		a.diags.Errorf(at.Pos, at.Subject, "%s has an //mcp:error already", obj.Name()).Relate(other.Pos, "the other one").Hint = "keep one of the two"
	case other.by.from != nil && (e.Text != other.Text || e.Func || other.Func):
		a.diags.Errorf(at.Pos, at.Subject, "%s has another text in package %s", obj.Name(), other.by.pkg.Path).Relate(other.Pos, "the other one").
			Hint = "set it in the package with //mcp:from, which takes precedence"
	}
}

// finishErrors puts declared errors in an order that does not depend on files.
func (s *shared) finishErrors() {
	path := func(e *model.DeclaredError) string {
		if e.Pkg == nil {
			return ""
		}
		return e.Pkg.Path()
	}
	slices.SortFunc(s.out.Errors, func(x, y *model.DeclaredError) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(path(x), path(y)))
	})
}
