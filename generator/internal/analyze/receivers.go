package analyze

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// receiver returns the receiver of a method, made once for each type. It returns false if it
// reported a diagnostic.
func (a *analyzer) receiver(fn *types.Func, at diag.Place) (*model.Receiver, bool) {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil, true
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok {
		what, hint := a.badReceiver(fn)
		a.diags.Errorf(at.Pos, at.Subject, "%s", what).Hint = hint
		return nil, false
	}
	name := named.Obj().Name()
	if named.TypeParams().Len() > 0 {
		a.diags.Errorf(at.Pos, at.Subject, "method of the generic type %s: a client cannot choose a type", name).
			Hint = "annotate a method of a type without type parameters that calls it"
		return nil, false
	}
	return a.receiverOf(calledOn(named), fn, at)
}

// calledOn returns the receiver type for methods of a declared type: a pointer to it, or the
// interface.
func calledOn(named *types.Named) types.Type {
	if types.IsInterface(named) {
		return named
	}
	return types.NewPointer(named)
}

// receiverOf returns the receiver for methods of a pointer to a declared type, or of an interface,
// made once for each type.
func (a *analyzer) receiverOf(t types.Type, fn *types.Func, at diag.Place) (*model.Receiver, bool) {
	key := types.TypeString(t, nil)
	if r, ok := a.receivers[key]; ok {
		return r, true
	}
	named, ok := t.(*types.Named)
	if p, isPointer := t.(*types.Pointer); isPointer {
		named, ok = types.Unalias(p.Elem()).(*types.Named)
	}
	if !ok {
		return nil, false
	}
	name := named.Obj().Name()
	r := &model.Receiver{Param: name, Pkg: a.declaring(named.Obj().Pkg()), TypeName: name, Type: t, Pos: a.position(named.Obj().Pos())}
	if named.Obj().Pkg() != a.pkg.Types {
		r.Pos = at.Pos
	}
	for arg := range named.TypeArgs().Types() {
		r.TypeName += typeWords(arg)
	}
	var ok2 bool
	if r.Provider, ok2 = a.provider(r.Type, at); !ok2 || r.Provider == nil && a.isRow(named, at) {
		return nil, false
	}
	if problem, hint := a.types.Unnameable(t); problem != "" && (a.outside() || named.Obj().Pkg() != a.pkg.Types) {
		if named.Obj().Pkg() == a.pkg.Types {
			return nil, a.exported(named.Obj(), "the receiver type", at)
		}
		a.diags.Errorf(at.Pos, at.Subject, "the receiver: %s, so generated code cannot name it", problem).Hint = hint
		return nil, false
	}
	if !named.Obj().Exported() && r.Provider == nil && !a.out.Main && ast.IsExported(fn.Name()) {
		d := a.diags.Errorf(at.Pos, at.Subject, "the receiver type %s is not exported, so other packages could not pass one to RegisterMCP", name)
		if iface := a.interfaceWith(fn, named); iface != "" {
			d.Hint = fmt.Sprintf("annotate the method %s of the interface %s instead", fn.Name(), iface)
		} else {
			d.Hint = "export the type, or annotate the method of an exported interface that it implements"
		}
		return nil, false
	}
	a.receivers[key] = r
	return r, true
}

// typeWords returns the names in a type argument, for an identifier.
func typeWords(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		words := t.Obj().Name()
		for arg := range t.TypeArgs().Types() {
			words += typeWords(arg)
		}
		return upperFirst(words)
	case *types.Basic:
		return upperFirst(t.Name())
	case interface{ Elem() types.Type }:
		return typeWords(t.Elem())
	}
	return ""
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// badReceiver returns the reason why the receiver of a method is not a declared type, which does
// not compile.
func (a *analyzer) badReceiver(fn *types.Func) (what, hint string) {
	what, hint = "the type of the receiver cannot have methods", "annotate a method of a type that the package declares"
	decl := a.funcDecl(fn)
	if decl == nil || decl.Recv == nil || len(decl.Recv.List) == 0 {
		return what, hint
	}
	expr := ast.Unparen(decl.Recv.List[0].Type)
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = ast.Unparen(star.X)
	}
	id, ok := expr.(*ast.Ident)
	if !ok {
		return what, hint
	}
	obj, ok := a.pkg.Info.Uses[id].(*types.TypeName)
	switch {
	case !ok:
		return "the receiver type " + id.Name + " is not declared", "make the package compile; go vet shows what is missing"
	case !obj.IsAlias():
		return what, hint
	}
	t := types.Unalias(obj.Type())
	what = fmt.Sprintf("the receiver %s is an alias of %s, which cannot have methods here", id.Name, a.typeString(t))
	if named, ok := t.(*types.Named); ok && named.TypeArgs().Len() > 0 {
		what = fmt.Sprintf("the receiver %s is an alias of %s, an instance of a generic type, which has no methods of its own", id.Name, a.typeString(t))
		hint = fmt.Sprintf("declare a type that embeds it, type %s struct{ %s }, or annotate a function", id.Name, a.typeString(t))
	}
	return what, hint
}

// funcDecl returns the declaration of a function of the package, or nil if it is not read.
func (a *analyzer) funcDecl(fn *types.Func) *ast.FuncDecl {
	for _, f := range a.pkg.Files {
		for _, decl := range f.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && d.Name.Pos() == fn.Pos() {
				return d
			}
		}
	}
	return nil
}

// nameParameters gives the receivers their names in RegisterMCP. If types share a name, each is
// preceded by the name of its package.
func (a *analyzer) nameParameters() {
	count := map[string]int{}
	for _, r := range a.out.Receivers {
		count[r.TypeName]++
	}
	taken := map[string]bool{"r": true, "s": true, "opts": true, "mcp": true, "wire": true, "context": true}
	for _, p := range a.out.From {
		taken[p.Name()] = true
	}
	for _, r := range a.out.Receivers {
		if r.Pkg != nil {
			taken[r.Pkg.Name()] = true
		}
	}
	for _, r := range a.out.Receivers {
		name := lowerCamel(r.TypeName)
		if count[r.TypeName] > 1 && r.Pkg != nil {
			name = r.Pkg.Name() + r.TypeName
		}
		if token.IsKeyword(name) || types.Universe.Lookup(name) != nil || a.pkg.Types.Scope().Lookup(name) != nil || taken[name] {
			name += "Receiver"
		}
		r.Param = name
		for i := 2; taken[r.Param]; i++ {
			r.Param = name + strconv.Itoa(i)
		}
		taken[r.Param] = true
	}
}

// interfaceWith finds an exported interface of the package that has the method and that the type
// implements.
func (a *analyzer) interfaceWith(fn *types.Func, named *types.Named) string {
	scope := a.pkg.Types.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() {
			continue
		}
		iface, ok := obj.Type().Underlying().(*types.Interface)
		if !ok || !iface.IsMethodSet() || !types.Implements(types.NewPointer(named), iface) {
			continue
		}
		for m := range iface.Methods() {
			if m.Name() == fn.Name() {
				return name
			}
		}
	}
	return ""
}

// collectConstructors determines how the command makes each receiver: with the function annotated
// with //mcp:constructor, with NewT without parameters or with a context, or with the zero value.
// Constructors in the package that is generated for take precedence over those in the receiver's
// own.
func (a *analyzer) collectConstructors() {
	annotated := map[*model.Receiver]*model.Constructor{}
	a.each(func(a *analyzer) { a.annotatedConstructors(annotated) })
	a.each(func(a *analyzer) {
		for _, recv := range a.receivers {
			a.namedConstructor(recv, a.pkg.Types)
		}
	})
	for _, recv := range a.receivers { // receivers of types that variables name
		if recv.Pkg != nil && a.pkg.Complete(recv.Pkg) == nil {
			a.namedConstructor(recv, recv.Pkg)
		}
	}
}

// namedConstructor makes a package's function NewT the constructor of a receiver without one.
func (a *analyzer) namedConstructor(recv *model.Receiver, p *types.Package) {
	if recv.Constructor != nil || recv.Provider != nil {
		return
	}
	fn, ok := p.Scope().Lookup("New" + recv.TypeName).(*types.Func)
	if !ok {
		return
	}
	if c := a.constructorOf(fn, a.position(fn.Pos())); c != nil && a.made(fn, c) == recv {
		c.Pkg = a.declaring(p)
		recv.Constructor = c
	}
}

// annotatedConstructors reads //mcp:constructor.
func (a *analyzer) annotatedConstructors(annotated map[*model.Receiver]*model.Constructor) {
	for _, d := range a.declared("constructor") {
		fn, at, ok := a.plainFunc(d)
		if !ok {
			continue
		}
		c := a.constructorOf(fn, at.Pos)
		var recv *model.Receiver
		if c != nil {
			recv = a.made(fn, c)
		}
		if recv == nil {
			if c != nil && a.from != nil {
				continue // the methods of the receiver are not selected
			}
			a.diags.Errorf(at.Pos, at.Subject, "an //mcp:constructor function must take nothing or a context.Context and return the receiver of an annotated method, then optionally a func() and an error; this is %s", a.typeString(fn.Signature())).
				Hint = "write a small function of that form that makes the receiver with its defaults"
			continue
		}
		if other := annotated[recv]; other != nil {
			if a.from != nil && other.Pkg == nil {
				continue
			}
			a.diags.Errorf(at.Pos, at.Subject, "%s already has the constructor %s", recv.TypeName, other.Func).
				Relate(other.Pos, "the other one").Hint = "annotate one of the two"
			continue
		}
		if !a.exported(fn, "the function", at) {
			continue
		}
		annotated[recv] = c
		recv.Constructor = c
	}
}

// made returns the receiver that a constructor's first result is, or whose pointer is its address.
func (a *analyzer) made(fn *types.Func, c *model.Constructor) *model.Receiver {
	t := fn.Signature().Results().At(0).Type()
	for _, recv := range a.sortedReceivers() {
		iface, isInterface := recv.Type.Underlying().(*types.Interface)
		switch {
		case types.Identical(t, recv.Type), isInterface && types.Implements(t, iface):
			return recv
		case !isInterface && types.Identical(types.NewPointer(t), recv.Type):
			c.Addr = true
			return recv
		}
	}
	return nil
}

// constructorOf reads the signature of a constructor. It returns nil for another signature.
func (a *analyzer) constructorOf(fn *types.Func, pos token.Position) *model.Constructor {
	sig := fn.Signature()
	c := &model.Constructor{Pkg: a.pkgOf(), Func: fn.Name(), Pos: pos}
	if sig.TypeParams().Len() > 0 {
		return nil
	}
	// A variadic last parameter, the functional options of many constructors, may be left out.
	params := sig.Params().Len()
	if sig.Variadic() {
		params--
	}
	switch {
	case params == 0:
	case params == 1 && isContext(sig.Params().At(0).Type()):
		c.Context = true
	default:
		return nil
	}
	results := sig.Results()
	rest := results.Len()
	if rest > 1 && isError(results.At(rest-1).Type()) {
		c.Error = true
		rest--
	}
	if rest > 1 && isCleanup(results.At(rest-1).Type()) {
		c.Cleanup = true
		rest--
	}
	if rest != 1 {
		return nil
	}
	return c
}

// sortedReceivers returns the receivers in order of type name.
func (a *analyzer) sortedReceivers() []*model.Receiver {
	path := func(r *model.Receiver) string {
		if r.Pkg == nil {
			return ""
		}
		return r.Pkg.Path()
	}
	return slices.SortedFunc(maps.Values(a.receivers), func(x, y *model.Receiver) int {
		return cmp.Or(cmp.Compare(x.TypeName, y.TypeName), cmp.Compare(path(x), path(y)))
	})
}

// finishReceivers puts the receivers in the order of RegisterMCP's parameters.
func (a *analyzer) finishReceivers() {
	for _, r := range a.sortedReceivers() {
		if r.Provider == nil {
			a.out.Receivers = append(a.out.Receivers, r)
		}
	}
	a.nameParameters()
}

// plainFunc returns the function that a directive applies to. Functions with type parameters are
// refused, since their type arguments are unknown.
func (a *analyzer) plainFunc(d declared) (*types.Func, diag.Place, bool) {
	at := diag.Place{Pos: d.dir.Pos, Subject: d.dir.Word + " " + d.set.Name}
	fn, ok := a.object(d.set).(*types.Func)
	if !ok {
		return nil, at, false
	}
	if fn.Signature().TypeParams().Len() > 0 {
		a.diags.Errorf(at.Pos, at.Subject, "a generic function cannot have //mcp:%s", d.dir.Word).
			Hint = "annotate a function without type parameters that calls it"
		return nil, at, false
	}
	return fn, at, !a.invalid(fn, d.set.Node, at)
}

// declared is a directive with the declaration that it applies to.
type declared struct {
	set *directive.Set
	dir *directive.Directive
}

// declared returns all directives of a word, in source order.
func (a *analyzer) declared(word string) []declared {
	var all []declared
	for _, set := range a.sets {
		for _, dir := range set.Directives {
			if dir.Word == word {
				all = append(all, declared{set, dir})
			}
		}
	}
	return all
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
