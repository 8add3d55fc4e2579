package analyze

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// input determines the source of each parameter's value, and the arguments object.
func (a *analyzer) input(call *model.Call, name string, d declared, fn *types.Func, at diag.Place) bool {
	call.Input = &model.Input{}
	sig := fn.Signature()
	if !a.checkParamNames(fn, d.set.Get("params"), at) {
		return false
	}
	names := paramNames(fn, d.set.Get("params"))
	args := a.argSet(d)
	var open []*model.Param
	if r := call.Func.Receiver; r != nil && r.Args {
		call.Recv = receiverParam(fn, r, names, at)
		open = append(open, call.Recv)
		args.addInline(call.Recv.Name, at)
	}
	filling := a.filling(call, args, d, at)
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		p := &model.Param{Name: names[i].name, Type: v.Type(), Pos: a.positionOf(v, d)}
		if names[i].pos.IsValid() {
			p.Pos = names[i].pos
		}
		call.Func.Params = append(call.Func.Params, p)
		if names[i].leftOut {
			args.leftOut = append(args.leftOut, p)
		}
		variadic := sig.Variadic() && i == sig.Params().Len()-1
		if !a.source(p, variadic, args, filling, at) {
			return false
		}
		if p.Source == model.FromArgument {
			open = append(open, p)
		}
	}
	var ok bool
	// A hidden variadic parameter is treated as missing.
	last := sig.Params().Len() - 1
	variadic := sig.Variadic() && slices.Contains(open, call.Func.Params[last])
	if whole, pointer := a.whole(open, variadic); whole != nil {
		args.withoutInline(call.Recv)
		ok = a.wholeInput(call, name, d, whole, open[0], pointer, args, filling, at)
	} else {
		ok = a.plainInput(call, name, d, fn, open, args, filling, at)
	}
	return ok && a.choices(call, at)
}

// source determines the source of a parameter's value. It returns false after a diagnostic.
func (a *analyzer) source(p *model.Param, variadic bool, args *argSet, filling *filling, at diag.Place) bool {
	if isContext(p.Type) {
		p.Source = model.FromContext
		return true
	}
	provider, ok := filling.param(p, args.omits(p.Name) || args.fixes(p.Name) != nil)
	if ok && provider == nil {
		provider, ok = a.provider(p.Type, at.At(p.Pos))
	}
	switch {
	case !ok:
		return false
	case provider != nil:
		p.Source, p.Provider = model.FromProvider, provider
	case args.omits(p.Name), slices.Contains(args.leftOut, p):
		p.Source = model.FromZero
	case args.fixes(p.Name) != nil:
		return a.fix(p, args.fixes(p.Name), variadic, at)
	case variadic && a.unfillable(p, args, at):
		p.Source = model.FromZero
	case !filling.checkPointers(p, at):
		return false
	default:
		p.Source = model.FromArgument
	}
	return true
}

// unfillable reports whether a variadic parameter is left empty, since no client can fill it. With
// a line for it, it is an argument.
func (a *analyzer) unfillable(p *model.Param, args *argSet, at diag.Place) bool {
	if schema.UsesLibrary(p.Type) || slices.ContainsFunc(args.own, func(l *directive.Directive) bool { return about(l, p.Name) }) {
		return false
	}
	at = at.At(p.Pos).In("argument " + paramName(p))
	why := a.types.Unfillable(p.Name, p.Type, at)
	if why == "" {
		return false
	}
	d := a.diags.Warnf(at.Pos, at.Subject, "no client can fill it, so it is left empty: %s", why)
	if p.Name != "" && p.Name != "_" {
		d.Hint = "write //mcp:arg " + p.Name + " omit to say so"
	}
	return true
}

// whole returns the struct type if exactly one parameter is left and its JSON form is an object.
func (a *analyzer) whole(open []*model.Param, variadic bool) (t types.Type, pointer bool) {
	if len(open) != 1 || variadic {
		return nil, false
	}
	t = open[0].Type
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t, pointer = p.Elem(), true
	}
	if _, ok := t.Underlying().(*types.Struct); !ok || !a.types.IsObject(t) {
		return nil, false
	}
	return t, pointer
}

// wholeInput makes the fields of the one struct parameter the arguments.
func (a *analyzer) wholeInput(call *model.Call, name string, d declared, t types.Type, p *model.Param, pointer bool, args *argSet, filling *filling, at diag.Place) bool {
	p.Source = model.FromWhole
	object := a.types.Type(t, schema.Argument, at.At(p.Pos).In("argument "+paramName(p)))
	if object == nil {
		return false
	}
	a.settleFar(call, object, []string{p.Name}, args, d)
	a.argLines[call] = args.all
	args.shorten(p.Name, object)
	object = a.types.Publish(object, name, args.lines)
	ok := a.checkHidden(args, call.Func.Params, func(name string) bool {
		return slices.ContainsFunc(object.Fields, func(f *model.Field) bool { return f.Name == name })
	}, at)
	needs := a.needsOf(call, object, args, filling, d)
	object, good := filling.members(object, name, p.Name, args)
	ok = ok && good && needs.settle()
	if p.Name != "" && p.Name != "_" && !slices.ContainsFunc(object.Fields, func(f *model.Field) bool { return f.Name == p.Name }) {
		object, good = a.wholePart(object, p, args, at)
		ok = ok && good
	}
	if object, good = a.types.ApplyArgs(object, name, args.lines, at); good {
		object = a.types.WithoutEmptied(object, name, call.Fills)
	}
	call.Input.Whole, call.Input.Pointer, call.Input.Object = true, pointer, object
	if !ok || !good || len(needs.open) == 0 {
		return filling.checkLeft(object, p.Name) && ok && good
	}
	whole := *object
	a.unwrap(call, p)
	more, ok := needs.arguments(call.Input.Object, name)
	whole.Fields = slices.Concat(whole.Fields, more.Fields)
	call.Input.Object = joined(call.Input.Object, more)
	return filling.checkLeft(&whole, p.Name) && ok
}

// unwrap makes each member of the one struct parameter an argument, so that others are possible
// beside them.
func (a *analyzer) unwrap(call *model.Call, p *model.Param) {
	name := p.Name
	if name == "" || name == "_" {
		name = "whole"
	}
	t := call.Input.Object
	if call.Input.Pointer {
		t = &model.Type{Kind: model.Pointer, Go: p.Type, Elem: t}
	}
	p.Source, p.Inlined = model.FromArgument, true
	p.Field = &model.Field{Name: name, Path: []model.Selector{{Name: name}}, Type: t, Required: true}
	call.Input = &model.Input{Object: a.types.Unwrap(p.Field, call.Input.Object)}
	for _, f := range call.Fills {
		f.Chain = slices.Insert(f.Chain, 0, p.Field)
	}
}

// joined returns an object with the members of two objects.
func joined(object, more *model.Type) *model.Type {
	if len(more.Fields)+len(more.Fixed) == 0 {
		return object
	}
	all := *object
	all.Fields = slices.Concat(object.Fields, more.Fields)
	all.Fixed = slices.Concat(object.Fixed, more.Fixed)
	return &all
}

// wholePart applies the lines for the one struct parameter itself, which select its fields, and
// removes them from the set.
func (a *analyzer) wholePart(object *model.Type, p *model.Param, args *argSet, at diag.Place) (part *model.Type, ok bool) {
	ok = true
	var left []*directive.Directive
	for _, line := range args.lines {
		if line.Name() != p.Name {
			left = append(left, line)
			continue
		}
		if kept, _ := line.String("inject"); kept == published {
			continue
		}
		at := at.At(line.Pos).In("argument " + p.Name)
		// Lines for another feature's parameter of that name do not apply to its fields.
		said := len(slices.DeleteFunc(slices.Clone(line.Args), func(a directive.Arg) bool { return (line.Far || a.Far) && a.Key != "only" && a.Key != "omit" }))
		choosing := parts(line)
		if inline, _ := line.Flag("inline"); inline {
			choosing++ // its fields are the arguments anyway
		}
		switch {
		case choosing == 0 && (line.Far || said == 1 && len(line.Args) > 1):
			continue
		case !line.Far && said > 1+choosing || choosing == 0:
			a.diags.Errorf(at.Pos, at.Subject, "the parameter is all of the arguments, so the line can only choose among its fields").
				Hint = "write only= or omit= with their names, or name a field"
			ok = false
			continue
		}
		var good bool
		object, good = a.types.Part(object, line, schema.Argument, at)
		ok = ok && good
	}
	args.lines = left
	return object, ok
}

// parts counts the arguments that select members.
func parts(line *directive.Directive) int {
	n := 0
	for _, key := range []string{"only", "omit"} {
		if line.Has(key) {
			n++
		}
	}
	return n
}

// plainInput makes every remaining parameter an argument.
func (a *analyzer) plainInput(call *model.Call, name string, d declared, fn *types.Func, open []*model.Param, args *argSet, filling *filling, at diag.Place) bool {
	comments, items := a.paramTexts(d, fn)
	object := &model.Type{Kind: model.Struct}
	sig := fn.Signature()
	last := sig.Params().Len() - 1
	ok := a.checkHidden(args, call.Func.Params, func(string) bool { return false }, at)
	for i, p := range open {
		at := at.At(p.Pos)
		if p.Name == "" || p.Name == "_" {
			a.diags.Errorf(at.Pos, at.Subject, "parameter %d of those that a client fills has no name, and arguments are called by name", i+1).
				Hint = a.unnamedHint(d, fn)
			ok = false
			continue
		}
		at = at.In("argument " + p.Name)
		variadic := sig.Variadic() && p == call.Func.Params[last]
		field := a.types.Param(p.Name, p.Type, variadic, at)
		if field == nil {
			ok = false
			continue
		}
		if text := comments[p.Name]; text != "" {
			field.Description = text
		} else if text := items[p.Name]; text != "" {
			field.Description = text
		}
		object.Fields = append(object.Fields, field)
	}
	if !ok {
		return false
	}
	a.settleFar(call, object, filling.inlined, args, d)
	a.argLines[call] = args.all
	object = a.types.Publish(object, name, args.lines)
	a.types.WithoutHidden(object)
	needs := a.needsOf(call, object, args, filling, d)
	object, filled := filling.members(object, name, "", args)
	filled = filled && needs.settle()
	if object, ok = a.types.ApplyArgs(object, name, args.lines, at); ok {
		object = a.types.WithoutEmptied(object, name, call.Fills)
	}
	call.Input.Object = object
	for _, p := range open {
		for _, f := range object.Fields {
			if f.Path[0].Name == p.Name {
				p.Field, p.Inlined = f, f.Path[0].Inlined != nil
				break
			}
		}
		if p.Field == nil { // no client can send any part of it
			ok = a.withoutSettings(p, args, at) && ok
			p.Field, p.Inlined = &model.Field{Name: p.Name, Path: []model.Selector{{Name: p.Name}}}, true
		}
	}
	if ok && filled {
		more, good := needs.arguments(object, name)
		call.Input.Object, ok = joined(object, more), good
	}
	return filling.checkLeft(call.Input.Object, "") && ok && filled
}

// withoutSettings refuses lines that describe or constrain a parameter without published parts.
// Lines that select among its members may be the reason.
func (a *analyzer) withoutSettings(p *model.Param, args *argSet, at diag.Place) bool {
	for _, line := range args.lines {
		if inline, _ := line.Flag("inline"); line.Name() == p.Name && !inline && !line.Far && len(line.Args) > 1+parts(line) {
			a.diags.Errorf(line.Pos, at.In("argument "+p.Name).Subject, "no member of it is left that a client could send, so it is not an argument").
				Hint = "delete the line"
			return false
		}
	}
	return true
}

// paramTexts returns the comments on the parameters of a function, and the items of its doc
// comment, by their names.
func (a *analyzer) paramTexts(d declared, fn *types.Func) (comments, items map[string]string) {
	c := a.calleeOf(d)
	if c == nil {
		return a.pkg.ParamComments(funcType(d.set.Node)), load.ListItems(a.docs.Of(fn))
	}
	comments = a.docs.Params(c.declared)
	if own := load.ListItems(a.docs.OfVariable(c.variable, c.above, nil)); len(own) > 0 {
		return nil, own // comments at the variable take precedence
	}
	return comments, load.ListItems(a.docs.Of(c.declared))
}

// positionOf returns the position of a parameter or result. If a variable names the function, it is
// the variable's, since the function may be in another package.
func (a *analyzer) positionOf(v *types.Var, d declared) token.Position {
	if c := a.calleeOf(d); c != nil {
		return c.pos
	}
	return a.position(v.Pos())
}

// fix fills a parameter with the constant of fixed=.
func (a *analyzer) fix(p *model.Param, line *directive.Directive, variadic bool, at diag.Place) bool {
	at = at.In("argument " + p.Name)
	p.Source, p.Fixed = model.FromFixed, a.types.Param(p.Name, p.Type, variadic, at.At(p.Pos))
	return p.Fixed != nil && a.types.Fix(p.Fixed, line, at.At(line.Pos))
}

// checkHidden refuses //mcp:arg lines for a parameter that is not published, unless a field has
// that name, and removes the lines that omit one from the set.
func (a *analyzer) checkHidden(args *argSet, params []*model.Param, isField func(string) bool, at diag.Place) bool {
	ok := true
	for _, p := range params {
		if isField(p.Name) {
			continue
		}
		for _, line := range args.take(p) {
			subject := at.In("argument " + p.Name).Subject
			switch {
			case line.Far:
			case p.Source == model.FromZero && len(line.Args) == 2: // the name and omit
			case p.Source == model.FromFixed && line == args.fixes(p.Name):
			case p.Source == model.FromFixed:
				a.diags.Errorf(line.Pos, subject, "the parameter has a fixed value and is not an argument").Hint = "delete the line"
				ok = false
			case p.Source == model.FromZero:
				a.diags.Errorf(line.Pos, subject, "an omitted parameter is not an argument, so it has no other settings").Hint = "delete the rest of the line"
				ok = false
			case p.Source == model.FromProvider && line.Has("inject") && line.Name() == p.Name:
			case p.Source == model.FromProvider:
				a.diags.Errorf(line.Pos, subject, "the parameter is filled by %s and is not an argument", p.Provider.Func).Hint = "delete the line"
				ok = false
			default:
				a.diags.Errorf(line.Pos, subject, "the context is not an argument").Hint = "delete the line"
				ok = false
			}
		}
	}
	return ok
}

func paramName(p *model.Param) string {
	if p.Name == "" || p.Name == "_" {
		return "of type " + types.TypeString(p.Type, func(*types.Package) string { return "" })
	}
	return p.Name
}

// funcType returns the signature in a function's or interface method's node.
func funcType(node ast.Node) *ast.FuncType {
	switch n := node.(type) {
	case *ast.FuncDecl:
		return n.Type
	case *ast.Field:
		if t, ok := n.Type.(*ast.FuncType); ok {
			return t
		}
	}
	return &ast.FuncType{Params: &ast.FieldList{}}
}
