package contract

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// enumerations compares lists of values. Only values of the schema's types count.
func (c *comparer) enumerations(path string, o, n *schema) effect {
	switch {
	case !o.hasEnum && !n.hasEnum:
		return 0
	case !o.hasEnum:
		return c.add(path, "enum", narrows, nil, list(n.enum), "only %s allowed now", areValues(n.enum))
	case !n.hasEnum:
		return c.add(path, "enum", widens, list(o.enum), nil, "other values than %s are allowed now", values(o.enum))
	}
	var removed, added []*jsontree.Value
	for _, v := range o.enum {
		if typesOf(v)&o.types != 0 && !contains(n.enum, v) {
			removed = append(removed, v)
		}
	}
	for _, v := range n.enum {
		if typesOf(v)&n.types != 0 && !contains(o.enum, v) {
			added = append(added, v)
		}
	}
	e := effect(0)
	if len(removed) > 0 {
		e |= c.add(path, "enum", narrows, list(removed), nil, "%s %s removed", noun(removed), values(removed))
	}
	if len(added) > 0 {
		e |= c.add(path, "enum", widens, nil, list(added), "%s %s added", noun(added), values(added))
	}
	return e
}

func list(all []*jsontree.Value) *jsontree.Value {
	return &jsontree.Value{Kind: jsontree.Array, Items: all}
}

func noun(all []*jsontree.Value) string {
	if len(all) == 1 {
		return "value"
	}
	return "values"
}

func areValues(all []*jsontree.Value) string {
	if len(all) == 1 {
		return values(all) + " is"
	}
	return values(all) + " are"
}

func values(all []*jsontree.Value) string {
	var b strings.Builder
	for i, v := range all {
		if i == 8 && len(all) > 9 {
			fmt.Fprintf(&b, " and %d more", len(all)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(short(v))
	}
	return b.String()
}

func (c *comparer) numbers(path string, o, n *schema, integers bool) effect {
	return c.bounds(path, o.lower, n.lower, 1, integers) | c.bounds(path, o.upper, n.upper, -1, integers) | c.multiples(path, o, n)
}

// bounds compares lower (sign 1) or upper (sign -1) bounds.
func (c *comparer) bounds(path string, o, n *bound, sign int, integers bool) effect {
	a, b := o, n
	if integers {
		a, b = o.whole(sign), n.whole(sign)
	}
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return c.add(path, n.keyword, narrows, nil, n.value, "%s %s added", n.keyword, n.value.Text)
	case b == nil:
		return c.add(path, o.keyword, widens, o.value, nil, "%s %s removed", o.keyword, o.value.Text)
	}
	order := sign * b.compare(a, sign)
	if order == 0 {
		return 0
	}
	e := widens
	if order > 0 {
		e = narrows
	}
	to := n.value.Text
	if o.keyword != n.keyword {
		to = n.keyword + " " + to
	}
	return c.add(path, n.keyword, e, o.value, n.value, "%s %s -> %s", o.keyword, o.value.Text, to)
}

// multiples compares multipleOf: a multiple of 10 is a multiple of 5.
func (c *comparer) multiples(path string, o, n *schema) effect {
	implied := func(v *jsontree.Value, by []*jsontree.Value) bool {
		return slices.ContainsFunc(by, func(w *jsontree.Value) bool {
			return new(big.Rat).Quo(jsontree.Rational(w), jsontree.Rational(v)).IsInt()
		})
	}
	e := effect(0)
	for _, v := range n.multiples {
		if !implied(v, o.multiples) {
			e |= narrows
		}
	}
	for _, v := range o.multiples {
		if !implied(v, n.multiples) {
			e |= widens
		}
	}
	if e == 0 {
		return 0
	}
	return c.add(path, "multipleOf", e, first(o.multiples), first(n.multiples), "%s", changeText("multipleOf", first(o.multiples), first(n.multiples)))
}

func first(all []*jsontree.Value) *jsontree.Value {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

func (c *comparer) strings(path string, o, n *schema) effect {
	return c.interval(path, "minLength", "maxLength", o.lengths, n.lengths) |
		c.texts(path, "pattern", o.patterns, n.patterns) |
		c.texts(path, "format", o.formats, n.formats) |
		c.texts(path, "contentEncoding", o.encodings, n.encodings)
}

// interval compares counts.
func (c *comparer) interval(path, least, most string, o, n interval) effect {
	return c.count(path, least, o.min, n.min, 1) | c.count(path, most, o.max, n.max, -1)
}

func (c *comparer) count(path, keyword string, o, n *jsontree.Value, sign int) effect {
	at := func(v *jsontree.Value) *big.Rat {
		if v == nil {
			return new(big.Rat).SetInt64(0)
		}
		return jsontree.Rational(v)
	}
	order := 0
	switch {
	case o == nil && n == nil:
	case sign > 0:
		order = at(n).Cmp(at(o))
	case o == nil:
		order = 1
	case n == nil:
		order = -1
	default:
		order = at(o).Cmp(at(n))
	}
	if order == 0 {
		return 0
	}
	e := widens
	if order > 0 {
		e = narrows
	}
	return c.add(path, keyword, e, o, n, "%s", changeText(keyword, o, n))
}

// texts compares the patterns or formats that each string must match. Whether one of them implies
// another is unknown.
func (c *comparer) texts(path, keyword string, o, n []string) effect {
	var gone, come []string
	for _, s := range o {
		if !slices.Contains(n, s) {
			gone = append(gone, s)
		}
	}
	for _, s := range n {
		if !slices.Contains(o, s) {
			come = append(come, s)
		}
	}
	one := func(all []string) *jsontree.Value {
		if len(all) == 0 {
			return nil
		}
		return &jsontree.Value{Kind: jsontree.Text, Text: strings.Join(all, " and ")}
	}
	before, after := one(gone), one(come)
	switch {
	case before == nil && after == nil:
		return 0
	case before == nil:
		return c.add(path, keyword, narrows, nil, after, "%s %s added", keyword, shorten(after.Text, shown))
	case after == nil:
		return c.add(path, keyword, widens, before, nil, "%s %s removed", keyword, shorten(before.Text, shown))
	}
	return c.add(path, keyword, unclear, before, after, "%s %s -> %s, cannot be classified", keyword, shorten(before.Text, shown), shorten(after.Text, shown))
}

// provenBy returns the effect if the values of s are enumerated, and all are valid under the other
// schema: then the comparison of single keywords does not matter.
func (s *schema) provenBy(other *schema, e effect) effect {
	if !s.hasEnum {
		return 0
	}
	for _, v := range s.enum {
		if typesOf(v)&s.types == 0 {
			continue
		}
		if !other.accepts(v) {
			return 0
		}
	}
	return e
}

// accepts reports whether a value is certainly valid.
func (s *schema) accepts(v *jsontree.Value) bool {
	if s.broken || len(s.unions)+len(s.unread) > 0 ||
		typesOf(v)&s.types == 0 || s.hasEnum && !contains(s.enum, v) {
		return false
	}
	switch v.Kind {
	case jsontree.Number:
		return s.takesNumber(jsontree.Rational(v))
	case jsontree.Text:
		length := new(big.Rat).SetInt64(int64(utf8.RuneCountInString(v.Text)))
		return len(s.patterns)+len(s.formats)+len(s.encodings) == 0 &&
			(s.lengths.min == nil || length.Cmp(jsontree.Rational(s.lengths.min)) >= 0) &&
			(s.lengths.max == nil || length.Cmp(jsontree.Rational(s.lengths.max)) <= 0)
	case jsontree.Null, jsontree.Boolean:
		return true
	}
	return false
}

func (s *schema) takesNumber(r *big.Rat) bool {
	if r == nil {
		return false
	}
	in := func(b *bound, sign int) bool {
		if b == nil {
			return true
		}
		order := sign * r.Cmp(b.rat)
		return order > 0 || order == 0 && !b.exclusive
	}
	return in(s.lower, 1) && in(s.upper, -1) &&
		!slices.ContainsFunc(s.multiples, func(m *jsontree.Value) bool { return !new(big.Rat).Quo(r, jsontree.Rational(m)).IsInt() })
}
