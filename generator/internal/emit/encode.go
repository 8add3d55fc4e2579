package emit

import (
	"encoding/json"
	"go/types"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

func (g *generator) encoder(e *codec.Encoder) {
	v := pointer(g.locals.of("v"))
	var lines []jen.Code
	switch {
	case e.Value != nil:
		lines = []jen.Code{g.put(e.Value, v)}
	case e.Union != nil:
		lines = g.putUnion(e.Union, v)
	default:
		lines = g.members(e.Tag, e.Members, v)
	}
	if e.Circular {
		counted := id("if").Op("!").Add(call(g.local("e").Dot("Enter"))).Block(id("return"))
		lines = append(append([]jen.Code{counted}, lines...), call(g.local("e").Dot("Leave")))
	}
	g.add(e.Name()+" writes "+g.valueOf(e.Go)+".",
		id("func "+e.Name()).Add(list("(", ")", false,
			g.local("e").Op("*").Add(g.wire("Encoder")),
			g.local("v").Op("*").Add(g.typ(e.Go)),
		)).Block(lines...))
	g.structGuard(e.Go)
}

// put prints the writing of a value.
func (g *generator) put(w *codec.Write, v operand) code {
	if w.Deref {
		v = pointer(v.value)
	}
	args := []jen.Code{g.local("e")}
	switch {
	case w.Array:
		args = append(args, id(v.slice()))
	case w.Value:
		args = append(args, id(v.value))
	case w.AsAny:
		args = append(args, id("(*any)("+v.addr+")"))
	case w.Flagged != "":
		args = append(args, id(v.field(w.Flagged).addr), id(v.field("Valid").value))
	default:
		args = append(args, id(v.addr))
	}
	if w.Method != "" {
		args = append(args, g.method(types.NewPointer(w.Type), w.Method))
	}
	if w.Convert != nil {
		args = append(args, g.object(w.Convert))
	}
	if w.Elem != nil {
		args = append(args, g.fn(*w.Elem))
	}
	return call(g.fn(w.Func), args...)
}

// object prints the writing of an object.
func (g *generator) members(tag *codec.Tag, list []*codec.PutMember, v operand) []jen.Code {
	out := []jen.Code{call(g.local("e").Dot("Begin"))}
	if tag != nil {
		out = append(out, call(g.local("e").Dot("Tag"), id(strconv.Quote(tag.Name)), id(strconv.Quote(tag.Value))))
	}
	for i := 0; i < len(list); {
		// Fields behind the same embedded pointer are in one block.
		guard := embeddedGuard(list[i], v)
		var block []jen.Code
		for ; i < len(list) && embeddedGuard(list[i], v) == guard; i++ {
			block = append(block, g.putMember(list[i], v)...)
		}
		if guard == "" {
			out = append(out, block...)
		} else {
			out = append(out, id("if "+guard).Block(block...))
		}
	}
	return append(out, call(g.local("e").Dot("End")))
}

// embeddedGuard is the condition under which the embedded pointers on the way to
// a field can be followed.
func embeddedGuard(m *codec.PutMember, v operand) string {
	var terms []string
	for i, s := range m.Path {
		v = v.field(s.Name)
		if s.Pointer != nil && i < len(m.Path)-1 {
			terms = append(terms, v.value+" != nil")
		}
	}
	return strings.Join(terms, " && ")
}

func (g *generator) putMember(m *codec.PutMember, v operand) []jen.Code {
	at := v.at(m.Path)
	lines := []jen.Code{
		call(g.local("e").Dot("Name"), nameText(m.Name)),
		g.put(m.Write, at),
	}
	if len(m.When) == 0 {
		return lines
	}
	var terms []string
	for _, c := range m.When {
		s, ok := g.condition(c, at, len(m.When) > 1)
		if !ok {
			return nil
		}
		terms = append(terms, s)
	}
	return []jen.Code{id("if " + strings.Join(terms, " && ")).Block(lines...)}
}

// nameText is a member name as the encoder takes it: with the escapes of JSON, without
// its quotes.
func nameText(name string) code {
	var s strings.Builder
	enc := json.NewEncoder(&s)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(name); err != nil {
		return id(strconv.Quote(name))
	}
	quoted := strings.TrimSuffix(s.String(), "\n")
	return id(strconv.Quote(quoted[1 : len(quoted)-1]))
}

// condition prints a condition; ok is false where it never holds.
func (g *generator) condition(c codec.Condition, v operand, inner bool) (string, bool) {
	var terms []string
	for _, t := range c {
		at := v
		for _, name := range t.Path {
			at = at.field(name)
		}
		if s := g.term(t, at); s != "" {
			terms = append(terms, s)
		}
	}
	switch {
	case len(terms) == 0:
		return "", false
	case len(terms) == 1 || !inner:
		return strings.Join(terms, " || "), true
	}
	return "(" + strings.Join(terms, " || ") + ")", true
}

func (g *generator) term(t codec.Term, v operand) string {
	switch t.Test {
	case codec.TestTrue:
		return v.value
	case codec.TestNotZero:
		return v.value + " != 0"
	case codec.TestNotBlank:
		return v.value + ` != ""`
	case codec.TestNotNil:
		return v.value + " != nil"
	case codec.TestLen:
		return "len(" + v.value + ") != 0"
	case codec.TestNotEqual:
		return v.value + " != (" + source(g.zero(t.Type)) + ")"
	case codec.TestIsZero:
		return "!" + v.value + ".IsZero()"
	case codec.TestSet:
		return "(" + v.value + " != nil && !" + v.value + ".IsZero())"
	case codec.TestReflect, codec.TestSetInner:
		return g.reflected(t, v)
	}
	return ""
}

// reflected uses reflect, if there is no other way: about hidden fields that cannot be
// compared, and about a nil pointer inside an interface.
func (g *generator) reflected(t codec.Term, v operand) string {
	value := source(call(g.std("reflect", "ValueOf"), id(v.value)))
	if t.Test == codec.TestReflect {
		return "!" + value + ".IsZero()"
	}
	pointer := source(g.std("reflect", "Pointer"))
	return "(" + v.value + " != nil && (" + value + ".Kind() != " + pointer + " || !" + value + ".IsNil()) && !" + v.value + ".IsZero())"
}
