package analyze

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// callee is the function or method that a variable names: _ = (*db.Queries).GetBook.
type callee struct {
	fn       *types.Func // as called: with the signature of the instance
	declared *types.Func // as declared in the source
	recv     types.Type  // *T or an interface, as written at the variable; nil for functions
	args     []types.Type
	variable types.Object
	above    *ast.CommentGroup
	pos      token.Position // position of the value
}

// collectVariables finds the functions that variables with directives name.
func (a *analyzer) collectVariables() {
	a.callees, a.refused = map[*directive.Set]*callee{}, map[*directive.Set]bool{}
	for _, set := range a.sets {
		spec, ok := set.Node.(*ast.ValueSpec)
		if !ok || set.Target != directive.Var {
			continue
		}
		i := slices.IndexFunc(set.Directives, func(d *directive.Directive) bool { return slices.Contains(featureWords, d.Word) })
		if i < 0 {
			continue
		}
		dir := set.Directives[i]
		if dir.Word == "skill" || dir.Word == "resource" && !a.namesFunction(spec) {
			continue // the value itself is the resource
		}
		at := diag.Place{Pos: dir.Pos, Subject: dir.Word + " " + set.Name}
		if set.Name == "_" {
			at.Subject = "//mcp:" + dir.Word
		}
		if c := a.callee(set, spec, at); c != nil {
			a.callees[set] = c
			a.checkSource(c, dir, at)
		} else {
			a.refused[set] = true
		}
	}
}

// namesFunction reports whether a variable names a function, and is not a value to read.
func (a *analyzer) namesFunction(spec *ast.ValueSpec) bool {
	if len(spec.Names) != 1 || len(spec.Values) != 1 {
		return false
	}
	tv, known := a.pkg.Info.Types[spec.Values[0]]
	if !known || tv.Type == nil || tv.Type == types.Typ[types.Invalid] {
		return spec.Names[0].Name == "_"
	}
	_, isFunc := tv.Type.Underlying().(*types.Signature)
	return isFunc
}

// methodExpression is a hint how to name a method by a variable.
const methodExpression = "write _ = pkg.Func, _ = (*pkg.Type).Method or _ = pkg.Interface.Method"

func isLiteral(value ast.Expr) bool {
	_, ok := ast.Unparen(value).(*ast.FuncLit)
	return ok
}

// callee finds the function that a variable names, or returns nil after a diagnostic.
func (a *analyzer) callee(set *directive.Set, spec *ast.ValueSpec, at diag.Place) *callee {
	fail := func(pos token.Pos, hint, format string, args ...any) *callee {
		a.diags.Errorf(a.position(pos), at.Subject, format, args...).Hint = hint
		return nil
	}
	switch {
	case len(spec.Names) > 1:
		return fail(spec.Pos(), "declare each in a line of its own", "%d variables are declared here, and the directive is about one", len(spec.Names))
	case len(spec.Values) == 0:
		return fail(spec.Pos(), methodExpression, "the variable has no value that names a function")
	case isLiteral(spec.Values[0]):
		return fail(spec.Values[0].Pos(), "declare a function, and put the directive above it", "a function literal has no name")
	case spec.Names[0].Name != "_":
		return fail(spec.Pos(), "write _ = "+types.ExprString(spec.Values[0])+"; name= on the directive sets the published name",
			"the variable %s has a name, which nothing uses", spec.Names[0].Name)
	}
	value := ast.Unparen(spec.Values[0])
	if tv, ok := a.pkg.Info.Types[spec.Values[0]]; !ok || tv.Type == nil || tv.Type == types.Typ[types.Invalid] {
		d := a.diags.Errorf(a.position(value.Pos()), at.Subject, "%s does not compile, so nothing can be generated for it", types.ExprString(value))
		d.Related = a.pkg.Explain(spec, types.Typ[types.Invalid])
		d.Hint = "fix what the compiler reports; the generated file is not needed for it"
		return nil
	}
	c := &callee{variable: a.pkg.Info.Defs[spec.Names[0]], above: spec.Doc, pos: a.position(value.Pos())}
	if c.above == nil && set.Doc != nil && !a.inParentheses(spec) {
		c.above = set.Doc
	}
	name := value
	switch x := value.(type) {
	case *ast.IndexExpr:
		name = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		name = ast.Unparen(x.X)
	}
	var id *ast.Ident
	switch x := name.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		if selection := a.pkg.Info.Selections[x]; selection != nil {
			return a.methodOf(c, x, selection, fail)
		}
		id = x.Sel
	case *ast.CallExpr:
		if tv := a.pkg.Info.Types[x.Fun]; tv.IsType() {
			return fail(value.Pos(), "write the function itself, without a conversion", "%s is a conversion, which names no function", types.ExprString(value))
		}
		return fail(value.Pos(), "write the function without calling it: "+types.ExprString(x.Fun), "%s is a call, whose result is not known before the program runs", types.ExprString(value))
	default:
		return fail(value.Pos(), methodExpression, "%s is not a function", types.ExprString(value))
	}
	fn, ok := a.pkg.Info.Uses[id].(*types.Func)
	if !ok {
		if _, isVar := a.pkg.Info.Uses[id].(*types.Var); isVar {
			return fail(value.Pos(), "name the function that it holds, or write one that calls it", "%s is a variable, whose function may change when the program runs", types.ExprString(value))
		}
		return fail(value.Pos(), methodExpression, "%s is not a function", types.ExprString(value))
	}
	c.fn, c.declared = fn, fn
	if instance, ok := a.pkg.Info.Instances[id]; ok {
		sig, _ := instance.Type.(*types.Signature)
		c.fn = types.NewFunc(fn.Pos(), fn.Pkg(), fn.Name(), sig)
		c.args = slices.Collect(instance.TypeArgs.Types())
	}
	return c
}

// methodOf finds the method of a method expression.
func (a *analyzer) methodOf(c *callee, x *ast.SelectorExpr, selection *types.Selection, fail func(token.Pos, string, string, ...any) *callee) *callee {
	switch selection.Kind() {
	case types.MethodVal:
		t := selection.Recv()
		written := types.TypeString(t, a.qualifierAt(x))
		if _, ok := t.(*types.Pointer); ok {
			written = "(" + written + ")"
		} else if !types.IsInterface(t) {
			written = "(*" + written + ")"
		}
		return fail(x.Pos(), "write the method expression: "+written+"."+x.Sel.Name,
			"%s is a method of one value, which is evaluated when the program starts", types.ExprString(x))
	case types.FieldVal:
		return fail(x.Pos(), "write a method that calls it", "%s is a field, whose function may change when the program runs", types.ExprString(x))
	}
	fn, ok := selection.Obj().(*types.Func)
	if !ok {
		return fail(x.Pos(), methodExpression, "%s is not a method", types.ExprString(x))
	}
	if fn.Pkg() == nil {
		return fail(x.Pos(), "write a function that calls it", "%s is the method of the predeclared type error", types.ExprString(x))
	}
	c.fn, c.declared = fn, fn.Origin()
	t := types.Unalias(selection.Recv())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok {
		return fail(x.Pos(), "declare a type with a name", "the receiver of %s has no name, so no parameter of RegisterMCP can be made of it", types.ExprString(x))
	}
	c.recv = calledOn(named)
	return c
}

// qualifierAt returns a qualifier with the package names in the file of a node.
func (a *analyzer) qualifierAt(node ast.Node) types.Qualifier {
	names := map[*types.Package]string{a.pkg.Types: ""}
	for _, f := range a.pkg.Files {
		if node.Pos() < f.FileStart || f.FileEnd < node.Pos() {
			continue
		}
		for _, spec := range f.Imports {
			if imported := a.pkg.Info.PkgNameOf(spec); imported != nil && imported.Name() != "_" {
				names[imported.Imported()] = strings.TrimPrefix(imported.Name(), ".")
			}
		}
	}
	return func(p *types.Package) string {
		if name, ok := names[p]; ok {
			return name
		}
		return p.Name()
	}
}

// inParentheses reports whether a variable is declared in a group.
func (a *analyzer) inParentheses(spec *ast.ValueSpec) bool {
	for _, f := range a.pkg.Files {
		for _, decl := range f.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Lparen < spec.Pos() && spec.End() <= g.Rparen {
				return true
			}
		}
	}
	return false
}

// checkSource warns of directives at the function itself, which have no effect.
func (a *analyzer) checkSource(c *callee, dir *directive.Directive, at diag.Place) {
	if a.docs == nil || c.declared.Pkg() == nil {
		return
	}
	word := a.docs.FuncDirectives(c.declared)
	if word == "" {
		return
	}
	hint := "delete this variable: the function is annotated in this package"
	if c.declared.Pkg() != a.pkg.Types {
		hint = "write //mcp:from " + c.declared.Pkg().Path() + " to use the function's own directives, or leave it: the variable's directives are read"
	}
	a.diags.Warnf(c.pos, at.Subject, "%s of the function itself is not read here", word).Hint = hint
}

// receiverType returns the receiver type of a feature's method, or nil for a function.
func (a *analyzer) receiverType(d declared, fn *types.Func) types.Type {
	if c := a.calleeOf(d); c != nil {
		return c.recv
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return calledOn(named)
	}
	return recv.Type()
}

// calleeOf returns the function that a variable names, or nil for other declarations.
func (a *analyzer) calleeOf(d declared) *callee { return a.callees[d.set] }

// calleeFunc describes the function that a variable names.
func (a *analyzer) calleeFunc(c *callee, d declared, at diag.Place) (f model.Func, ok bool) {
	at = at.At(c.pos)
	f = model.Func{Pkg: a.declaring(c.declared.Pkg()), Name: c.fn.Name(), TypeArgs: c.args, Variadic: c.fn.Signature().Variadic()}
	f.Symbol = f.Name
	what := "the function"
	if c.recv != nil {
		what = "the method"
		f.Symbol = a.memberSymbol(c.recv, f.Name)
		if a.settingsFor(d).receiverArgs {
			f.Receiver, ok = a.receiverOfArgs(d, c.fn, at)
		} else {
			f.Receiver, ok = a.receiverOf(c.recv, c.fn, at)
		}
		if !ok {
			return f, false
		}
	} else {
		if word, set := d.dir.Get("receiver"); set {
			a.diags.Errorf(word.Pos, at.Subject, "a function has no receiver").Hint = "leave receiver= out"
			return f, false
		}
		f.Symbol = a.fromRoot(c.declared.Pkg()) + f.Name + a.typeArgs(c.args)
		if !schema.Importable(a.out.Path, c.declared.Pkg().Path()) {
			a.diags.Errorf(at.Pos, at.Subject, "%s is in an internal package that this package cannot import", f.Symbol).
				Relate(a.from.lines[0].pos, "the package that emits it").Hint = "emit it in a package below the directory that holds internal"
			return f, false
		}
	}
	if c.fn.Pkg() == a.pkg.Types && !a.exported(c.fn, what, at) {
		return f, false
	}
	return f, a.spellable(c.fn, at)
}

// declaring returns a package for the model: nil for the package that is generated for.
func (a *analyzer) declaring(p *types.Package) *types.Package {
	if p == a.out.Types {
		return nil
	}
	return p
}

// memberSymbol returns a method's symbol for people: (*db.Queries).GetBook.
func (a *analyzer) memberSymbol(recv types.Type, name string) string {
	text := types.TypeString(recv, func(p *types.Package) string { return strings.TrimSuffix(a.fromRoot(p), ".") })
	if strings.HasPrefix(text, "*") {
		text = "(" + text + ")"
	}
	return text + "." + name
}

// fromRoot returns the qualifier in front of the names of a package's declarations.
func (a *analyzer) fromRoot(p *types.Package) string {
	if p == a.out.Types {
		return ""
	}
	return p.Name() + "."
}

func (a *analyzer) typeArgs(args []types.Type) string {
	if len(args) == 0 {
		return ""
	}
	var texts []string
	for _, t := range args {
		texts = append(texts, types.TypeString(t, func(p *types.Package) string { return strings.TrimSuffix(a.fromRoot(p), ".") }))
	}
	return fmt.Sprintf("[%s]", strings.Join(texts, ", "))
}
