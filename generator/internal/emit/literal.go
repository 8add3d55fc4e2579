package emit

import (
	"go/types"
	"strconv"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

// literal prints a value. If typed is set, its context does not determine its type.
func (g *generator) literal(l *codec.Literal, typed bool) code {
	switch l.Kind {
	case codec.LitBasic:
		if typed && l.Type != nil && !defaultType(l) {
			return g.typ(l.Type).Call(verbatim(l.Text))
		}
		return verbatim(l.Text)
	case codec.LitConst:
		return g.object(l.Const)
	case codec.LitConvert:
		return g.converter(l.Type).Call(verbatim(l.Text))
	case codec.LitNew:
		value := g.literal(l.Elems[0], true)
		if l.Elems[0].Kind == codec.LitStruct && !g.convertible(l.Elems[0]) {
			return jen.Op("&").Add(value)
		}
		return jen.Id("new").Call(value) // jen.New prints one space more, which width counts
	case codec.LitList, codec.LitMap, codec.LitStruct:
		if g.convertible(l) {
			s, _ := l.Type.Underlying().(*types.Struct)
			return g.typ(l.Type).Parens(g.structure(s, false).Add(g.elements(l)))
		}
		return g.typ(l.Type).Add(g.elements(l))
	case codec.LitDuration:
		c := g.duration(l.Duration)
		if l.Duration == 0 && typed {
			return g.typ(l.Type).Call(c)
		}
		return c
	case codec.LitTime:
		return g.time(l.Time)
	case codec.LitFixed:
		return jen.Id(l.Text).Call()
	}
	g.fail("value of type %s cannot be written as an expression", l.Type)
	return jen.Nil()
}

// converter returns a type in front of parentheses or a selector.
func (g *generator) converter(t types.Type) code {
	if _, ok := t.(*types.Pointer); ok {
		return jen.Parens(g.typ(t))
	}
	return g.typ(t)
}

// defaultType reports whether the untyped constant has its type by default.
func defaultType(l *codec.Literal) bool {
	b, ok := types.Unalias(l.Type).(*types.Basic)
	if !ok {
		return l.Text == "nil"
	}
	switch b.Kind() {
	case types.Bool, types.String:
		return true
	case types.Int:
		return true
	case types.Float64:
		_, err := strconv.ParseInt(l.Text, 10, 64)
		return err != nil
	}
	return false
}

// elements returns the braces of a composite literal.
func (g *generator) elements(l *codec.Literal) code {
	before := g.tagged
	defer func() { g.tagged = before }()
	g.tagged = before || l.Type != nil && hasName(l.Type) && !g.convertible(l) // like the members of a declared type
	var items []jen.Code
	n := 0
	for i, e := range l.Elems {
		var item code
		switch l.Kind {
		case codec.LitStruct:
			item = keyed(l.Names[i], g.literal(e, false))
		case codec.LitMap:
			item = g.literal(l.Keys[i], false).Op(":").Add(g.element(l, e))
		default:
			item = g.element(l, e)
		}
		n += width(item)
		items = append(items, item)
	}
	return composite(n > lineWidth-40, items...)
}

// element returns an element of a slice, array or map, without its type if that is the element
// type.
func (g *generator) element(l, e *codec.Literal) code {
	elem := l.Type.Underlying().(interface{ Elem() types.Type }).Elem()
	switch e.Kind {
	case codec.LitList, codec.LitMap, codec.LitStruct:
		if types.Identical(elem, e.Type) && !g.convertible(e) {
			return g.elements(e)
		}
	case codec.LitNew:
		if e.Elems[0].Kind == codec.LitStruct && !g.convertible(e.Elems[0]) && types.Identical(elem, types.NewPointer(e.Elems[0].Type)) {
			return g.elements(e.Elems[0])
		}
	}
	_, isInterface := elem.Underlying().(*types.Interface)
	return g.literal(e, isInterface)
}

var units = []struct {
	name string
	unit time.Duration
}{
	{"Hour", time.Hour},
	{"Minute", time.Minute},
	{"Second", time.Second},
	{"Millisecond", time.Millisecond},
	{"Microsecond", time.Microsecond},
	{"Nanosecond", time.Nanosecond},
}

// duration prints a duration in the largest unit that divides it.
func (g *generator) duration(d time.Duration) code {
	for _, u := range units {
		switch n := int64(d / u.unit); {
		case n == 0 || d%u.unit != 0:
		case n == 1:
			return g.std("time", u.name)
		default:
			return integer(n).Op("*").Add(g.std("time", u.name))
		}
	}
	return jen.Lit(0)
}

// positive returns a duration, or nil.
func (g *generator) positive(d time.Duration) code {
	if d <= 0 {
		return nil
	}
	return g.duration(d)
}

// time prints a date and time.
func (g *generator) time(t time.Time) code {
	zone := g.std("time", "UTC")
	if _, offset := t.Zone(); offset != 0 {
		zone = g.std("time", "FixedZone").Call(jen.Lit(""), jen.Lit(offset))
	}
	return g.std("time", "Date").Call(jen.Lit(t.Year()), g.std("time", t.Month().String()), jen.Lit(t.Day()),
		jen.Lit(t.Hour()), jen.Lit(t.Minute()), jen.Lit(t.Second()), jen.Lit(t.Nanosecond()), zone)
}
