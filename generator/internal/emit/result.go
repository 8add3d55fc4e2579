package emit

import (
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// roleVariables are the variables that the results of a function are assigned to. For an error, see
// invoke.
var roleVariables = map[model.Role]string{
	model.RoleValue:   "result",
	model.RoleFound:   "found",
	model.RoleCleanup: "cleanup",
}

// invoke calls the function and returns its result.
func (b *body) invoke() {
	r := &b.tool.Result
	fn, args := b.function(), b.arguments(b.tool.Func.Params, b.tool.Func.Variadic)
	if callsUnnamed(b.tool) {
		fn = b.untaggedCall()
		if b.tool.Func.Receiver != nil {
			args = append([]jen.Code{b.local("recv")}, args...)
		}
	}
	var left []jen.Code // left side of the assignment
	before := 6         // characters in front of the call
	has := map[model.Role]bool{}
	// An error of another type than error needs a separate variable: its nil would not be nil in a
	// variable of type error.
	failure, declared := "err", b.hasErr
	for _, v := range r.Values {
		has[v.Role] = true
		if v.Role == model.RoleError && !types.Identical(v.Type, types.Universe.Lookup("error").Type()) {
			failure, declared = "failure", false
		}
		name := "_"
		switch v.Role {
		case model.RoleLeftOut:
		case model.RoleError:
			name = b.locals.of(failure)
		default:
			name = b.locals.of(roleVariables[v.Role])
		}
		to := jen.Id(name)
		before += len(name) + len(", ")
		if r.Object && v.Role == model.RoleValue {
			to.Dot(v.Name)
			before += len(".") + len(v.Name)
		}
		left = append(left, to)
	}
	hasErr := has[model.RoleError]
	switch {
	case len(left) == 0:
		b.add(breakArgs(fn, 4, args))
	case len(left) == 1 && hasErr:
		b.add(b.guarded(breakArgs(fn, 24, args)))
	default:
		assign := "="
		if r.Object {
			b.resultVars(has)
			if hasErr && !declared {
				b.add(jen.Var().Add(b.local(failure), b.typ(r.Values[len(r.Values)-1].Type)))
			}
		} else if has[model.RoleValue] || has[model.RoleFound] || has[model.RoleCleanup] || hasErr && !declared {
			assign = ":=" // one of them is new
		}
		b.add(jen.List(left...).Op(assign).Add(breakArgs(fn, before, args)))
	}
	if has[model.RoleCleanup] {
		b.add(jen.If(b.local("cleanup").Op("!=").Nil()).Block(jen.Defer().Add(b.local("cleanup")).Call()))
	}
	if b.plainEnd() {
		err := jen.Nil()
		if hasErr {
			err = b.local(failure)
		}
		b.add(jen.Return(b.end(err)))
		return
	}
	if hasErr && len(left) > 1 {
		b.add(b.giveUp(b.local(failure)))
	}
	if has[model.RoleFound] {
		b.add(b.nothing(jen.Op("!").Add(b.local("found"))))
	}
	b.finish()
}

// plainEnd reports whether a function of the runtime ends the call: end prints it. The function of
// the user returns one value, and perhaps an error.
func (b *body) plainEnd() bool {
	r, p := &b.tool.Result, b.plan
	if b.feature != toolFeature || r.Kind != model.ResultStructured || r.Object || r.Short != nil || r.Member != nil || b.failed != nil {
		return false
	}
	var value types.Type
	for _, v := range r.Values {
		switch {
		case v.Role == model.RoleValue:
			value = v.Type
		case v.Role != model.RoleError || !types.Identical(v.Type, types.Universe.Lookup("error").Type()):
			return false
		}
	}
	w := p.Output
	if value == nil || p.Missing != codec.MissingNever || p.NullInside || w.Convert != nil || w.Flagged != "" {
		return false
	}
	switch {
	case w.Func == codec.Reflected:
		return p.Pointers < 2
	case p.Pointers == 1:
		ptr, ok := types.Unalias(value).(*types.Pointer)
		return ok && w.Func.Local && hasName(ptr.Elem())
	}
	return isItems(w) && p.Pointers == 0 && !unnamed(value)
}

// isItems reports whether a value is written item by item.
func isItems(w *codec.Write) bool { return w.Func.Name == "PutSlice" && !w.Func.Local && !w.Array }

// end returns the call of the runtime that writes the result, or returns the error. Encoders of the
// file are called where the value is, since the pointer would move it to the heap; reflection does
// that anyway.
func (b *body) end(err code) code {
	result, w := b.local("result"), b.plan.Output
	switch {
	case isItems(w):
		return b.impl("Items").Call(b.local("req"), result, err, b.fn(*w.Elem))
	case b.plan.Pointers == 0:
		result = jen.Op("&").Add(result)
	}
	return b.impl("Found").Call(b.local("req"), result, err, b.fn(w.Func))
}

// untaggedCall declares a variable for the function, of a type that typ prints. Its declaration
// asserts the signature.
func (b *body) untaggedCall() code {
	name, params, returned := b.signature(b.tool)
	line := b.local("call").Op(":=").Add(conversion(jen.Params(params...), results(returned), name))
	if width(line) > lineWidth-4 {
		line = b.local("call").Op(":=").Add(conversion(wrapped("(", ")", params...), results(returned), name))
	}
	// A function whose address is taken is not inlined either, and compiles faster than a generic
	// call for each type.
	b.add(line, jen.Id("_").Op("=").Op("&").Add(b.local("call")).Comment("// as mcpimpl.Untagged does"))
	return b.local("call")
}

// resultVars declares a variable with a field for each named result, and one for a cleanup
// function.
func (b *body) resultVars(has map[model.Role]bool) {
	var fields []jen.Code
	for _, v := range b.tool.Result.Values {
		if v.Role == model.RoleValue {
			fields = append(fields, jen.Id(v.Name).Add(b.spell(v.Type, b.tool.Result.ByReflection)))
		}
	}
	b.add(jen.Var().Add(b.local("result")).Struct(fields...))
	if has[model.RoleCleanup] {
		b.add(jen.Var().Add(b.local("cleanup")).Func().Params())
	}
}

// nothing returns "nothing found" if a condition holds.
func (b *body) nothing(condition code) code {
	if b.feature == resourceFeature {
		return jen.If(condition).Block(jen.Return(jen.Nil(), b.mcp("ErrNotFound")))
	}
	return jen.If(condition).Block(jen.Return(b.impl("NothingFound").Call(), jen.Nil()))
}

// result returns the variable, or its field, that becomes the result.
func (b *body) result() operand {
	result := operand{expr: b.local("result"), untagged: true}
	if m := b.tool.Result.Member; m != nil {
		return result.field(m.Name)
	}
	return result
}

// text returns the result as a string.
func (b *body) text(t types.Type) code {
	if plan := b.tool.Result.Text; plan != nil {
		return b.encoded(plan)
	}
	if types.Identical(t, types.Typ[types.String]) {
		return b.result().value()
	}
	return jen.String().Call(b.result().value())
}

// encoded converts the result, step by step, to the string at the end of its plan. A nil pointer
// means "nothing found", as in other results. Prompts have no such result: the function that takes
// the pointer gets nil.
func (b *body) encoded(plan *model.Type) code {
	v := b.result()
	for steps := 1; plan.Elem != nil; steps++ {
		if isNilable(plan.Go) && b.feature != promptFeature {
			b.add(b.nothing(v.isNil()))
		}
		step := plan
		plan = plan.Elem
		if step.Kind == model.Pointer {
			v = pointer(v.value())
			continue
		}
		call := b.object(step.Convert.Encode).Call(v.value())
		if plan.Elem == nil && !step.Convert.Fails() {
			return call
		}
		name := "value" // one variable for each step, since their types differ
		if steps > 1 {
			name += strconv.Itoa(steps)
		}
		v = variable(b.local(name))
		if step.Convert.Fails() {
			b.add(jen.List(v.value(), b.local("err")).Op(":=").Add(call), b.giveUp(b.local("err")))
		} else {
			b.add(v.value().Op(":=").Add(call))
		}
	}
	return v.value()
}

// isNilable recognises pointers and interfaces, whose nil means that there is no value. A nil list
// or map is an empty one.
func isNilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// member prints the checks of a struct before one of its fields becomes the result.
func (b *body) member(m *model.ResultMember) {
	result := variable(b.local("result"))
	if m.Pointer {
		if kind := b.tool.Result.Kind; !m.Response && (kind == model.ResultStructured || kind == model.ResultTyped) {
			b.absent = result.isNil() // checked together with the member
		} else {
			b.add(b.nothing(result.isNil()))
		}
	}
	text := b.tool.Result.Kind == model.ResultText && b.tool.Result.Text == nil && m.Name == "Body" && m.Body
	if m.Response {
		response, content, missing := variable(b.local("x")), jen.Nil(), jen.False()
		if m.Body {
			content = result.field("Body").value()
		}
		switch m.Type.Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
			if !text {
				missing = b.result().isNil()
			}
		}
		checked := b.impl("CheckStatus").Call(response.field("StatusCode").value(), response.field("Status").value(), content, missing)
		b.add(jen.If(response.value().Op(":=").Add(result.field("HTTPResponse").value()), response.notNil()).Block(b.guarded(checked)))
	}
	if text && b.feature == toolFeature {
		b.add(jen.If(jen.Len(b.result().value()).Op("==").Lit(0)).Block(jen.Return(b.impl("DoneResult").Call(), jen.Nil())))
	}
}

// finish converts the value to a result.
func (b *body) finish() {
	var t types.Type
	for _, v := range b.tool.Result.Values {
		if v.Role == model.RoleValue {
			t = v.Type
		}
	}
	if m := b.tool.Result.Member; m != nil {
		t = m.Type
		b.member(m)
	}
	switch b.feature {
	case resourceFeature:
		b.finishResource(t)
	case promptFeature:
		b.finishPrompt(t)
	default:
		b.finishTool(t)
	}
}

// finishTool converts the value to the result of a tool.
func (b *body) finishTool(t types.Type) {
	v := b.result()
	switch b.tool.Result.Kind {
	case model.ResultNone:
		b.done(b.impl("DoneResult").Call())
	case model.ResultText:
		b.done(b.mcp("TextResult").Call(b.text(t)))
	case model.ResultContent:
		if types.IsInterface(t) {
			b.add(b.nothing(v.isNil()))
		}
		b.done(b.mcp("ContentResult").Call(v.value()))
	case model.ResultContents:
		b.done(b.mcp("ContentResult").Call(v.value().Op("...")))
	case model.ResultTool:
		if _, ok := t.Underlying().(*types.Pointer); ok {
			b.add(b.nothing(v.isNil()))
			b.done(v.value())
			return
		}
		b.done(v.addr())
	case model.ResultTyped:
		if s := b.tool.Result.Short; s != nil {
			b.shorten(s, v.field("Value"), v.field("Text").value(), v.field("Content").value())
			return
		}
		b.structured(v.field("Value"), b.impl("StructuredWith").Call(
			b.local("req"), b.local("e"), v.field("Text").value(), v.field("Content").value().Op("...")))
	case model.ResultStructured:
		if s := b.tool.Result.Short; s != nil {
			b.shorten(s, v, nil, nil)
			return
		}
		b.structured(v, b.impl("Structured").Call(b.local("req"), b.local("e")))
	case model.ResultBlob, model.ResultReader, model.ResultSeq, model.ResultSeqError:
		b.media(t)
	default:
		b.fail("result of %s has no kind", b.tool.Func.Symbol)
	}
}

// structured encodes a value and returns it.
func (b *body) structured(v operand, last code) {
	var put []jen.Code
	if b.tool.Result.Object {
		put = b.members(nil, b.plan.Results, v)
	} else {
		put = []jen.Code{b.put(b.plan.Output, b.present(v))}
	}
	b.add(b.local("e").Op(":=").Add(b.impl("Encoder").Call(b.local("req"))))
	b.add(put...)
	if b.plan.NullInside {
		b.add(b.nothing(b.local("e").Dot("Null").Call()))
	}
	b.add(jen.Return(last))
}

// present returns "nothing found" if a pointer around the value is nil, or if the value itself is
// missing. It returns the operand to write: it follows all pointers except the last one.
func (b *body) present(v operand) operand {
	last := v
	for i := range b.plan.Pointers {
		if i > 0 {
			last = operand{expr: last.value(), behind: true, untagged: v.untagged}
		}
		b.addNothing(last.isNil())
	}
	if b.plan.Pointers > 1 {
		v = operand{expr: jen.Parens(last.value()), untagged: v.untagged}
	}
	inner := v
	if b.plan.Pointers > 0 {
		inner = pointer(v.value())
	}
	switch b.plan.Missing {
	case codec.MissingNil:
		b.addNothing(inner.isNil())
	case codec.MissingFlag:
		b.addNothing(jen.Op("!").Add(inner.field("Valid").value()))
	}
	if b.absent != nil {
		b.add(b.nothing(b.absent))
		b.absent = nil
	}
	return v
}

// addNothing returns "nothing found" if a condition or the pending condition holds.
func (b *body) addNothing(condition code) {
	if b.absent != nil {
		condition = infix("||", b.absent, condition)
		b.absent = nil
	}
	b.add(b.nothing(condition))
}
