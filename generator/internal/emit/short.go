package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// pageOf reads the cursor before the call, for a function whose pages are shortened.
func (b *body) pageOf() {
	if b.plan.Short == nil || b.plan.Short.Cursor == nil {
		return
	}
	at, _ := variable(b.local("args")).follow(b.plan.Short.Cursor)
	b.add(jen.List(b.local("x"), b.local("err")).Op(":=").Add(b.impl("PageOf").Call(at.addr())), b.giveUp(b.local("err")))
	b.hasErr = true
}

// shorten returns a result whose list may be shortened. text and content are the other values that
// the function returns, or nil.
func (b *body) shorten(s *model.Short, v operand, text, content code) {
	plan := b.plan.Short
	if !b.tool.Result.Object {
		v = b.present(v)
		if b.plan.Pointers > 0 {
			v = pointer(v.value())
		}
	}
	list, pointers := v.follow(plan.Path)
	value := list.value()
	b.add(b.local("e").Op(":=").Add(b.impl("Encoder").Call(b.local("req"))))
	b.add(b.openMembers(nil, b.plan.Results, v).lines()...) // Shorten closes the object
	if len(pointers) > 0 {
		var there []jen.Code
		for _, p := range pointers {
			there = append(there, p.notNil())
		}
		value = b.local("value")
		b.add(jen.Var().Add(value.Clone(), b.typ(s.List.Type.Go)),
			jen.If(infix("&&", there...)).Block(value.Clone().Op("=").Add(list.value())))
	}
	cut := items{keyed("Member", jen.Lit(s.List.Name))}
	cut.put("Narrow", jen.Id("mcpTool"+b.plan.Stem).Dot("Narrow"))
	cut.count("Page", strconv.FormatInt(s.Page, 10))
	cut.flag("Own", s.Own)
	if s.Offset != nil {
		cut.put("Offset", b.local("args").Dot(s.Offset.Path[0].Name))
	}
	if s.Next != nil {
		next, behind := v.follow(plan.Next)
		b.add(b.local("x").Dot("Member").Op("=").Lit(s.Next.Name))
		set := jen.Code(b.local("x").Dot("Next").Op("=").String().Call(next.value()))
		if len(behind) > 0 {
			var there []jen.Code
			for _, p := range behind {
				there = append(there, p.notNil())
			}
			set = jen.If(infix("&&", there...)).Block(set)
		}
		b.add(set)
		cut.put("Cursor", b.local("x"))
	}
	cut.put("Text", text)
	cut.put("Content", content)
	b.add(jen.Return(b.impl("Shorten").Call(b.local("req"), b.local("e"), b.impl("Cut").Add(composite(true, cut...)), value.Clone(), b.fn(plan.Elem))))
}
