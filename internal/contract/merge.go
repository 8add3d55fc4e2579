package contract

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// merger adds the keywords of one schema to the keywords of a node.
type merger struct {
	*schema
	doc    *document
	part   *jsontree.Value
	object *objectPart
}

// keyword adds one keyword, and reports whether it is supported.
func (m *merger) keyword(name string, v *jsontree.Value) bool {
	switch name {
	case "type":
		m.typeKeyword(v)
	case "enum":
		m.requireKind(v, jsontree.Array)
		m.enumerate(v.Items)
	case "const":
		m.enumerate([]*jsontree.Value{v})
	case headerKeyword:
		m.header = v.Text
	case "anyOf", "oneOf":
		if m.requireKind(v, jsontree.Array) {
			m.broken = m.broken || len(v.Items) == 0
			u := union{keyword: name, owner: m.part}
			for _, item := range v.Items {
				u.nodes = append(u.nodes, m.node(item))
			}
			m.unions = append(m.unions, u)
		}
	default:
		if m.scalarKeyword(name, v) || m.arrayKeyword(name, v) || m.objectKeyword(name, v) || ignored[name] {
			return true
		}
		if !noted[name] && !isExtension(name) {
			if entangled[name] {
				m.entangled = name
			}
			return false
		}
		m.note(name, v)
	}
	return true
}

func (m *merger) typeKeyword(v *jsontree.Value) {
	set := types(0)
	switch v.Kind {
	case jsontree.Text:
		set = typeOf(v.Text)
	case jsontree.Array:
		for _, item := range v.Items {
			set |= typeOf(item.Text)
		}
	}
	if set == 0 {
		m.broken = true
		return
	}
	m.types &= set
}

// enumerate narrows the enumeration to values in both lists.
func (m *merger) enumerate(list []*jsontree.Value) {
	if !m.hasEnum {
		m.hasEnum = true
		for _, v := range list {
			if !slices.ContainsFunc(m.enum, func(w *jsontree.Value) bool { return jsontree.Equal(v, w) }) {
				m.enum = append(m.enum, v)
			}
		}
		return
	}
	m.enum = slices.DeleteFunc(slices.Clone(m.enum), func(v *jsontree.Value) bool {
		return !slices.ContainsFunc(list, func(w *jsontree.Value) bool { return jsontree.Equal(v, w) })
	})
}

func (m *merger) scalarKeyword(name string, v *jsontree.Value) bool {
	switch name {
	case "minimum", "exclusiveMinimum":
		m.lower = m.bound(name, v, m.lower, 1)
	case "maximum", "exclusiveMaximum":
		m.upper = m.bound(name, v, m.upper, -1)
	case "multipleOf":
		if r := jsontree.Rational(v); r == nil || r.Sign() <= 0 {
			m.broken = true
		} else {
			m.multiples = append(m.multiples, v)
		}
	case "pattern":
		m.texts(&m.patterns, v)
	case "format":
		m.texts(&m.formats, v)
	case "contentEncoding":
		m.texts(&m.encodings, v)
	case "minLength":
		m.lengths.min = m.count(v, m.lengths.min, 1)
	case "maxLength":
		m.lengths.max = m.count(v, m.lengths.max, -1)
	default:
		return false
	}
	return true
}

func (m *merger) arrayKeyword(name string, v *jsontree.Value) bool {
	switch name {
	case "items":
		if v.Kind == jsontree.Array { // in older drafts, prefixItems
			m.entangled = name
			return false
		}
		m.items = both(m.doc, m.items, m.sub(v))
	case "minItems":
		m.counts.min = m.count(v, m.counts.min, 1)
	case "maxItems":
		m.counts.max = m.count(v, m.counts.max, -1)
	case "uniqueItems":
		m.requireKind(v, jsontree.Boolean)
		m.unique = m.unique || v.Text == "true"
	default:
		return false
	}
	return true
}

func (m *merger) objectKeyword(name string, v *jsontree.Value) bool {
	switch name {
	case "properties":
		m.requireKind(v, jsontree.Object)
		for _, p := range v.Members {
			m.object.names = append(m.object.names, p.Name)
			m.object.properties[p.Name] = m.node(p.Value)
		}
	case "additionalProperties":
		m.object.additional = m.sub(v)
	case "propertyNames":
		m.keys = both(m.doc, m.keys, m.sub(v))
	case "minProperties":
		m.sizes.min = m.count(v, m.sizes.min, 1)
	case "maxProperties":
		m.sizes.max = m.count(v, m.sizes.max, -1)
	case "required":
		// In draft 3, required is a boolean of the property itself.
		if m.requireKind(v, jsontree.Array) {
			m.required = m.allNames(m.required, v)
		}
	default:
		return false
	}
	return true
}

func (m *merger) requireKind(v *jsontree.Value, k jsontree.Kind) bool {
	if v.Kind != k {
		m.broken = true
		return false
	}
	return true
}

func (m *merger) node(v *jsontree.Value) node {
	if v.Kind != jsontree.Object && v.Kind != jsontree.Boolean {
		m.broken = true
	}
	return m.doc.node(v)
}

func (m *merger) sub(v *jsontree.Value) *node {
	n := m.node(v)
	return &n
}

func (m *merger) texts(set *[]string, v *jsontree.Value) {
	if m.requireKind(v, jsontree.Text) {
		*set = addText(*set, v)
	}
}

func (m *merger) allNames(list []string, v *jsontree.Value) []string {
	for _, item := range v.Items {
		if m.requireKind(item, jsontree.Text) && !slices.Contains(list, item.Text) {
			list = append(list, item.Text)
		}
	}
	return list
}

// count returns the larger of two counts, or the smaller if sign is -1.
func (m *merger) count(v, other *jsontree.Value, sign int) *jsontree.Value {
	r := jsontree.Rational(v)
	if r == nil || !r.IsInt() || r.Sign() < 0 {
		m.broken = true
		return other
	}
	if other != nil && sign*r.Cmp(jsontree.Rational(other)) < 0 {
		return other
	}
	return v
}

// bound returns the tighter of two bounds.
func (m *merger) bound(name string, v *jsontree.Value, other *bound, sign int) *bound {
	b := &bound{keyword: name, value: v, rat: jsontree.Rational(v), exclusive: strings.HasPrefix(name, "exclusive")}
	if b.rat == nil {
		m.broken = true
		return other
	}
	if other != nil && sign*b.compare(other, sign) < 0 {
		return other
	}
	return b
}

// compare orders bounds by value. With equal values, an exclusive bound is tighter: greater for
// lower bounds (sign 1), less for upper ones (-1).
func (b *bound) compare(other *bound, sign int) int {
	exclusive := func(b *bound) int {
		if b.exclusive {
			return sign
		}
		return 0
	}
	return cmp.Or(b.rat.Cmp(other.rat), cmp.Compare(exclusive(b), exclusive(other)))
}

// whole returns the bound for integers: inclusive and integer.
func (b *bound) whole(sign int) *bound {
	if b == nil {
		return nil
	}
	one := big.NewInt(int64(sign))
	// Floor for upper bounds, ceiling for lower ones.
	quotient, rest := new(big.Int).DivMod(b.rat.Num(), b.rat.Denom(), new(big.Int))
	switch {
	case rest.Sign() == 0:
		if b.exclusive {
			quotient.Add(quotient, one)
		}
	case sign > 0:
		quotient.Add(quotient, one)
	}
	return &bound{keyword: b.keyword, value: b.value, rat: new(big.Rat).SetInt(quotient)}
}
