package emit

import (
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// invoke calls the function and returns its result.
func (b *body) invoke() {
	r := &b.tool.Result
	fn, args := b.function(), b.arguments()
	var names []string
	hasErr, hasFound, hasCleanup := false, false, false
	for _, v := range r.Values {
		switch v.Role {
		case model.RoleValue:
			name := b.locals.of("result")
			if r.Object {
				name += "." + v.Name
			}
			names = append(names, name)
		case model.RoleFound:
			hasFound = true
			names = append(names, b.locals.of("found"))
		case model.RoleCleanup:
			hasCleanup = true
			names = append(names, b.locals.of("cleanup"))
		case model.RoleError:
			hasErr = true
			names = append(names, b.locals.of("err"))
		case model.RoleLeftOut:
			names = append(names, "_")
		}
	}
	switch {
	case len(names) == 0:
		b.add(breakArgs(fn, 4, args))
	case len(names) == 1 && hasErr:
		b.add(b.guarded(breakArgs(fn, 24, args)))
	case r.Object:
		b.add(b.resultVar())
		if hasCleanup {
			b.add(id("var").Add(b.local("cleanup")).Id("func()"))
		}
		if hasErr && !b.hasErr {
			b.add(id("var").Add(b.local("err")).Id("error"))
		}
		lhs := strings.Join(names, ", ")
		b.add(id(lhs).Op("=").Add(breakArgs(fn, len(lhs)+8, args)))
	default:
		lhs, assign := strings.Join(names, ", "), "="
		if slices.ContainsFunc(names, func(name string) bool { return name != "_" && (name != b.locals.of("err") || !b.hasErr) }) {
			assign = ":=" // one of them is new
		}
		b.add(id(lhs).Op(assign).Add(breakArgs(fn, len(lhs)+8, args)))
	}
	if hasCleanup {
		b.add(id("if").Add(b.local("cleanup")).Op("!=").Id("nil").Block(id("defer").Add(call(b.local("cleanup")))))
	}
	if hasErr && len(names) > 1 {
		b.add(b.giveUp())
	}
	if hasFound {
		b.add(b.nothing(jen.Op("!").Add(b.local("found"))))
	}
	b.finish()
}

// resultVar declares a variable with a field for each named result.
func (b *body) resultVar() code {
	var fields []jen.Code
	for _, v := range b.tool.Result.Values {
		if v.Role == model.RoleValue {
			fields = append(fields, id(v.Name).Add(b.typ(v.Type)))
		}
	}
	return id("var").Add(b.local("result"), structType(fields...))
}

// nothing answers that nothing was found where a condition holds.
func (b *body) nothing(condition code) code {
	if b.feature == resourceFeature {
		return id("if").Add(condition).Block(id("return nil,").Add(b.mcp("ErrNotFound")))
	}
	return id("if").Add(condition).Block(id("return").Add(call(b.impl("NothingFound"))).Op(",").Id("nil"))
}

// value is the expression of what becomes the result.
func (b *body) value() string {
	name := b.locals.of("result")
	if m := b.tool.Result.Member; m != nil {
		name += "." + m.Name
	}
	return name
}

// member prints what is asked of a struct before one of its fields becomes the result.
func (b *body) member(m *model.ResultMember) {
	result := b.locals.of("result")
	if m.Pointer {
		b.add(b.nothing(id(result + " == nil")))
	}
	text := b.tool.Result.Kind == model.ResultText && m.Name == "Body" && m.Body
	if m.Response {
		x, content, missing := b.locals.of("x"), "nil", "false"
		if m.Body {
			content = result + ".Body"
		}
		switch m.Type.Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
			if !text {
				missing = b.value() + " == nil"
			}
		}
		b.add(id("if " + x + " := " + result + ".HTTPResponse; " + x + " != nil").Block(
			b.guarded(call(b.impl("CheckStatus"), id(x+".StatusCode"), id(x+".Status"), id(content), id(missing)))))
	}
	if text && b.feature == toolFeature {
		b.add(id("if len(" + b.value() + ") == 0").Block(id("return").Add(call(b.impl("DoneResult"))).Op(",").Id("nil")))
	}
}

// finish turns the value into a result.
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
		return
	case promptFeature:
		b.finishPrompt(t)
		return
	}
	result := id(b.value())
	done := func(value code) { b.add(id("return").Add(value).Op(",").Id("nil")) }
	switch b.tool.Result.Kind {
	case model.ResultNone:
		done(call(b.impl("DoneResult")))
	case model.ResultText:
		if !types.Identical(t, types.Typ[types.String]) {
			result = call(id("string"), result)
		}
		done(call(b.mcp("TextResult"), result))
	case model.ResultContent:
		if _, ok := t.Underlying().(*types.Interface); ok {
			b.add(b.nothing(result.Clone().Op("==").Id("nil")))
		}
		done(call(b.mcp("ContentResult"), result))
	case model.ResultContents:
		done(call(b.mcp("ContentResult"), result.Op("...")))
	case model.ResultTool:
		if _, ok := t.Underlying().(*types.Pointer); ok {
			b.add(b.nothing(result.Clone().Op("==").Id("nil")))
			done(result)
			return
		}
		done(jen.Op("&").Add(result))
	case model.ResultTyped:
		b.structured(variable(b.value()).field("Value"),
			call(b.impl("StructuredWith"), b.local("req"), b.local("e"), result.Clone().Dot("Text"), result.Clone().Dot("Content").Op("...")))
	case model.ResultStructured:
		b.structured(variable(b.value()), call(b.impl("Structured"), b.local("req"), b.local("e")))
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
		pointer := v.value
		for i := range b.plan.Pointers {
			if i > 0 {
				pointer = "*" + pointer
			}
			b.add(b.nothing(id(pointer).Op("==").Id("nil")))
		}
		if b.plan.Pointers > 1 {
			v = variable("(" + pointer + ")")
		}
		inner := v
		if b.plan.Pointers > 0 {
			inner = operand{value: "*" + v.value, addr: v.value, base: v.value}
		}
		switch b.plan.Missing {
		case codec.MissingNil:
			b.add(b.nothing(id(inner.value).Op("==").Id("nil")))
		case codec.MissingFlag:
			b.add(b.nothing(id("!" + inner.field("Valid").value)))
		}
		put = []jen.Code{b.put(b.plan.Output, v)}
	}
	b.add(b.local("e").Op(":=").Add(call(b.impl("Encoder"), b.local("req"))))
	b.add(put...)
	if b.plan.NullInside {
		b.add(b.nothing(call(b.local("e").Dot("Null"))))
	}
	b.add(id("return").Add(last))
}
