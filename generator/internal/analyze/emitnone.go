package analyze

import (
	"go/ast"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// EmitsNothing reports whether other packages emit the features of a package: //mcp:defaults
// emit=none.
func EmitsNothing(pkg *load.Package) bool {
	a := &analyzer{pkg: pkg, shared: &shared{}}
	a.sets, _ = pkg.Directives()
	return a.emitNone() != nil
}

// CheckNotEmitted checks a package with emit=none: whether its directives can be read, and whether
// other packages can name the declarations that they apply to. Types are checked in the package
// that emits them, which may have its own providers and conversions. It returns the number of
// features.
func CheckNotEmitted(pkg *load.Package, diags *diag.List) (features int) {
	a := &analyzer{pkg: pkg, shared: &shared{
		diags: diags, out: &model.Package{NotEmitted: true}, providerFuncs: map[*types.Func]*model.Provider{},
	}}
	a.sources = []*analyzer{a}
	sets, found := pkg.Directives()
	a.sets, a.damaged = sets, found.HasErrors()
	diags.Append(found)
	pkg.CheckConstraints(pkg.SharedConstraint(), a.sets, diags)
	a.checkNotEmitted()
	a.collectVariables()
	a.collectFills()
	a.checkLooseLines()
	a.checkFills()
	for _, word := range featureWords {
		features += len(a.declared(word))
	}
	for _, word := range append(featureWords, "inject", "error", "constructor", "decode", "encode") {
		for _, d := range a.declared(word) {
			a.checkExported(d)
		}
	}
	return features
}

// checkExported refuses a directive on a declaration that other packages cannot name.
func (a *analyzer) checkExported(d declared) {
	at := diag.Place{Pos: d.dir.Pos, Subject: d.dir.Word + " " + d.set.Name}
	obj := a.object(d.set)
	if obj == nil {
		return
	}
	if fn, ok := obj.(*types.Func); ok {
		if recv := receiverName(fn); recv != "" && !ast.IsExported(recv) {
			a.exported(a.pkg.Types.Scope().Lookup(recv), "the receiver type", at)
			return
		}
	}
	a.exported(obj, kindOf(d), at)
}

// kindOf names the kind of declaration that a directive applies to.
func kindOf(d declared) string {
	switch d.set.Target {
	case directive.Method, directive.InterfaceMethod:
		return "the method"
	case directive.Func:
		return "the function"
	case directive.Type:
		return "the type"
	}
	return "the value"
}
