package emit

import (
	"encoding/json"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

func (g *generator) encoder(e *codec.Encoder) {
	v := pointer(g.local("v"))
	v.untagged = !hasName(e.Go)
	g.declareStruct(e.Go)
	var lines []jen.Code
	switch {
	case e.Value != nil:
		lines = []jen.Code{g.put(e.Value, v)}
	case e.Union != nil:
		lines = []jen.Code{g.putUnion(e.Union, v)}
	default:
		lines = g.members(e.Tag, e.Members, v)
	}
	if e.Circular {
		counted := jen.If(jen.Op("!").Add(g.local("e").Dot("Enter").Call())).Block(jen.Return())
		lines = append(append([]jen.Code{counted}, lines...), g.local("e").Dot("Leave").Call())
	}
	g.addBare(jen.Func().Id(e.Name()).Params(
		g.local("e").Op("*").Add(g.wire("Encoder")),
		g.local("v").Op("*").Add(g.typ(e.Go)),
	).Block(lines...))
	g.structGuard(e.Go)
}

// put prints the writing of a value.
func (g *generator) put(w *codec.Write, v operand) code { return g.putTo(g.local("e"), w, v) }

// putTo is like put, with an expression for the encoder.
func (g *generator) putTo(encoder code, w *codec.Write, v operand) code {
	if w.Deref {
		v = operand{expr: v.value(), behind: true, untagged: v.untagged}
	}
	if w.Flagged == "" && w.Func.Name != "PutReflect" { // which reads the tags
		v = g.untagged(w.Go, v)
	}
	args := []jen.Code{encoder}
	switch {
	case w.Array:
		args = append(args, v.slice())
	case w.Value:
		args = append(args, v.value())
	case w.AsAny:
		args = append(args, v.anyAddr())
	case w.Flagged != "":
		args = append(args, g.untagged(w.Go, v.field(w.Flagged)).addr(), v.field(w.Flag).value())
	default:
		args = append(args, v.addr())
	}
	if w.Method != "" {
		args = append(args, g.method(types.NewPointer(w.Type), w.Method))
	}
	if w.Convert != nil {
		args = append(args, g.convertedFunc(w.Convert))
	}
	if w.Elem != nil {
		args = append(args, g.fn(*w.Elem))
	}
	return g.fn(w.Func).Call(args...)
}

// members prints the writing of an object. Members of plain types share lines.
func (g *generator) members(tag *codec.Tag, list []*codec.PutMember, v operand) []jen.Code {
	lines := g.openMembers(tag, list, v)
	lines.link(newLink("End", 0))
	return lines.lines()
}

// openMembers prints the writing of an object, without its end.
func (g *generator) openMembers(tag *codec.Tag, list []*codec.PutMember, v operand) *chains {
	lines, objectWidth := &chains{generator: g}, width(v.expr)
	lines.link(newLink("Begin", 0))
	if tag != nil {
		args := strconv.Quote(tag.Name) + ", " + strconv.Quote(tag.Value)
		lines.link(newLink("Tag", len(args), jen.Lit(tag.Name), jen.Lit(tag.Value)))
	}
	for len(list) > 0 {
		// Fields behind the same embedded pointer are in one block.
		first := list[0]
		_, pointers := v.follow(first.Path)
		block := lines
		if len(pointers) > 0 {
			block = &chains{generator: g}
		}
		for ; len(list) > 0 && slices.Equal(wayTo(list[0]), wayTo(first)); list = list[1:] {
			g.putMember(block, list[0], v, objectWidth)
		}
		if len(pointers) > 0 {
			var there []jen.Code
			for _, p := range pointers {
				there = append(there, p.notNil())
			}
			lines.add(jen.If(infix("&&", there...)).Block(block.lines()...))
		}
	}
	return lines
}

// wayTo returns the path to the last embedded pointer in front of a field.
func wayTo(m *codec.PutMember) []codec.Step {
	for i := len(m.Path) - 2; i >= 0; i-- {
		if m.Path[i].Pointer != nil {
			return m.Path[:i+1]
		}
	}
	return nil
}

func (g *generator) putMember(out *chains, m *codec.PutMember, v operand, objectWidth int) {
	at, _ := v.follow(m.Path)
	if link := linkMember(m, at, objectWidth); link != nil {
		out.link(link)
		return
	}
	line := g.putTo(g.local("e").Dot("Name").Call(jen.Lit(escaped(m.Name))), m.Write, at)
	if len(m.When) == 0 {
		out.add(line)
		return
	}
	if short := g.putUnlessEmpty(m, at); short != nil {
		out.add(short)
		return
	}
	var all []jen.Code
	for _, c := range m.When {
		terms := g.condition(c, at)
		if len(terms) == 0 {
			return
		}
		one := infix("||", terms...)
		if len(terms) > 1 && len(m.When) > 1 {
			one = jen.Parens(one)
		}
		all = append(all, one)
	}
	out.add(jen.If(infix("&&", all...)).Block(line))
}

// unlessEmpty maps the functions of runtime/wire that always write a member to those that omit an
// empty one.
var unlessEmpty = map[string]codec.Test{
	"PutInt": codec.TestNotZero, "PutFloat": codec.TestNotZero, "PutSlice": codec.TestLen, "PutMap": codec.TestLen,
}

// putUnlessEmpty prints the writing of a member that is omitted if it is empty. It returns nil if
// no function does both.
func (g *generator) putUnlessEmpty(m *codec.PutMember, v operand) code {
	if len(m.When) != 1 || len(m.When[0]) != 1 || len(m.When[0][0].Path) > 0 {
		return nil
	}
	w, test := m.Write, m.When[0][0].Test
	args := []jen.Code{g.local("e"), jen.Lit(escaped(m.Name))}
	switch {
	case w.Deref && test == codec.TestNotNil:
		if w.Array || w.Value || w.AsAny || w.Flagged != "" || w.Method != "" || w.Convert != nil || w.Elem != nil {
			return nil
		}
		v = g.untagged(w.Go, operand{expr: v.value(), behind: true, untagged: v.untagged})
		return g.wire("PutPtrIf").Call(append(args, v.addr(), g.fn(w.Func))...)
	case w.Func.Local || w.Deref || test == codec.TestNever:
		return nil
	}
	if always, ok := unlessEmpty[w.Func.Name]; !ok || always != test {
		return nil
	}
	v = g.untagged(w.Go, v)
	if !w.Value {
		return g.wire(w.Func.Name + "If").Call(append(args, v.addr())...)
	}
	return g.wire(w.Func.Name + "If").Call(append(args, v.value(), g.fn(*w.Elem))...)
}

// escaped returns a member name as the encoder takes it: with JSON escapes, without quotes.
func escaped(name string) string {
	var s strings.Builder
	enc := json.NewEncoder(&s)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(name); err != nil {
		return name
	}
	quoted := strings.TrimSuffix(s.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// condition prints the terms of a condition. One of them must hold.
func (g *generator) condition(c codec.Condition, v operand) []jen.Code {
	var terms []jen.Code
	for _, t := range c {
		at := v
		for _, name := range t.Path {
			at = at.field(name)
		}
		if term := g.term(t, at); term != nil {
			terms = append(terms, term)
		}
	}
	return terms
}

func (g *generator) term(t codec.Term, v operand) code {
	isNot := func(expr code, method string) code { return jen.Op("!").Add(expr).Dot(method).Call() }
	switch t.Test {
	case codec.TestTrue:
		return v.value()
	case codec.TestNotZero:
		return v.value().Op("!=").Lit(0)
	case codec.TestNotBlank:
		return v.value().Op("!=").Lit("")
	case codec.TestNotNil:
		return v.notNil()
	case codec.TestLen:
		return jen.Len(v.value()).Op("!=").Lit(0)
	case codec.TestNotEqual:
		return g.untagged(t.Type, v).value().Op("!=").Parens(g.zero(t.Type))
	case codec.TestIsZero:
		return isNot(v.value(), "IsZero")
	case codec.TestSet:
		return jen.Parens(infix("&&", v.notNil(), isNot(v.value(), "IsZero")))
	case codec.TestReflect, codec.TestSetInner:
		// Only reflection can test hidden fields that cannot be compared, and a nil pointer inside
		// an interface.
		reflected := g.std("reflect", "ValueOf").Call(v.value())
		if t.Test == codec.TestReflect {
			return isNot(reflected, "IsZero")
		}
		kind := reflected.Clone().Dot("Kind").Call().Op("!=").Add(g.std("reflect", "Pointer"))
		inner := jen.Parens(infix("||", kind, isNot(reflected, "IsNil")))
		return jen.Parens(infix("&&", v.notNil(), inner, isNot(v.value(), "IsZero")))
	}
	return nil
}
