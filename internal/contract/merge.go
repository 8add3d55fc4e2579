package contract

import (
	"cmp"
	"math/big"
	"slices"
)

// merger adds the keywords of one schema to those of a node.
type merger struct {
	*schema
	doc    *document
	part   *value
	object *objectPart
	array  *arrayPart

	contains       *node
	contMin        *value
	contMax        *value
	test           *node
	then, negative *node
}

// keyword adds one keyword.
func (m *merger) keyword(name string, v *value) {
	switch name {
	case "type":
		m.typeKeyword(v)
	case "enum":
		m.requireKind(v, array)
		m.enumerate(v.items)
	case "const":
		m.enumerate([]*value{v})
	case "nullable":
		m.nullable = m.nullable || v.kind == boolean && v.text == "true"
	case headerKeyword:
		m.header = v.text
	case "not":
		m.nots = append(m.nots, m.node(v))
	case "if":
		m.test = m.sub(v)
	case "then":
		m.then = m.sub(v)
	case "else":
		m.negative = m.sub(v)
	case "anyOf", "oneOf":
		if m.requireKind(v, array) {
			m.broken = m.broken || len(v.items) == 0
			u := union{keyword: name, owner: m.part}
			for _, item := range v.items {
				u.nodes = append(u.nodes, m.node(item))
			}
			m.unions = append(m.unions, u)
		}
	default:
		if m.scalarKeyword(name, v) || m.arrayKeyword(name, v) || m.objectKeyword(name, v) || ignored[name] {
			return
		}
		if noted[name] || isExtension(name) {
			m.note(name, v)
			return
		}
		m.others = append(m.others, member{name, v})
	}
}

func (m *merger) typeKeyword(v *value) {
	set := types(0)
	switch v.kind {
	case text:
		set = typeOf(v.text)
	case array:
		for _, item := range v.items {
			set |= typeOf(item.text)
		}
	}
	if set == 0 {
		m.broken = true
		return
	}
	m.types &= set
}

// enumerate narrows the enumeration to values that are in both lists.
func (m *merger) enumerate(list []*value) {
	if !m.hasEnum {
		m.hasEnum = true
		for _, v := range list {
			if !slices.ContainsFunc(m.enum, func(w *value) bool { return equal(v, w) }) {
				m.enum = append(m.enum, v)
			}
		}
		return
	}
	m.enum = slices.DeleteFunc(slices.Clone(m.enum), func(v *value) bool {
		return !slices.ContainsFunc(list, func(w *value) bool { return equal(v, w) })
	})
}

func (m *merger) scalarKeyword(name string, v *value) bool {
	switch name {
	case "minimum", "exclusiveMinimum":
		m.lower = m.bound(name, v, "minimum", "exclusiveMinimum", m.lower, 1)
	case "maximum", "exclusiveMaximum":
		m.upper = m.bound(name, v, "maximum", "exclusiveMaximum", m.upper, -1)
	case "multipleOf":
		if r := rational(v); r == nil || r.Sign() <= 0 {
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
	case "contentMediaType":
		m.texts(&m.media, v)
	case "minLength":
		m.lengths.min = m.count(v, m.lengths.min, 1)
	case "maxLength":
		m.lengths.max = m.count(v, m.lengths.max, -1)
	default:
		return false
	}
	return true
}

func (m *merger) arrayKeyword(name string, v *value) bool {
	switch name {
	case "prefixItems":
		m.tuple(v)
	case "items":
		if v.kind == array { // before 2020-12
			m.tuple(v)
			return true
		}
		m.array.items = m.sub(v)
	case "additionalItems":
		if m.part.get("items").is(array) {
			m.array.items = m.sub(v)
		}
	case "unevaluatedItems":
		m.array.unevaluated, m.whole = m.sub(v), true
	case "minItems":
		m.counts.min = m.count(v, m.counts.min, 1)
	case "maxItems":
		m.counts.max = m.count(v, m.counts.max, -1)
	case "uniqueItems":
		m.requireKind(v, boolean)
		m.unique = m.unique || v.text == "true"
	case "contains":
		m.contains = m.sub(v)
	case "minContains":
		m.contMin = m.count(v, nil, 1)
	case "maxContains":
		m.contMax = m.count(v, nil, 1)
	default:
		return false
	}
	return true
}

func (m *merger) objectKeyword(name string, v *value) bool {
	switch name {
	case "properties":
		m.requireKind(v, object)
		for _, p := range v.members {
			m.object.names = append(m.object.names, p.name)
			m.object.properties[p.name] = m.node(p.value)
		}
	case "patternProperties":
		m.requireKind(v, object)
		for _, p := range v.members {
			m.object.patterned = append(m.object.patterned, pattern{p.name, m.node(p.value)})
		}
	case "additionalProperties":
		m.object.additional = m.sub(v)
	case "unevaluatedProperties":
		m.object.unevaluated, m.whole = m.sub(v), true
	case "propertyNames":
		m.keys = both(m.doc, m.keys, m.sub(v))
	case "minProperties":
		m.sizes.min = m.count(v, m.sizes.min, 1)
	case "maxProperties":
		m.sizes.max = m.count(v, m.sizes.max, -1)
	case "required":
		// In draft 3, required is a boolean of the property itself.
		if m.requireKind(v, array) {
			m.required = m.allNames(m.required, v)
		}
	case "dependentRequired", "dependentSchemas", "dependencies":
		m.requireKind(v, object)
		for _, d := range v.members {
			m.dependency(d.name, d.value)
		}
	default:
		return false
	}
	return true
}

func (m *merger) dependency(name string, v *value) {
	if v.kind == array {
		if m.needs == nil {
			m.needs = map[string][]string{}
		}
		m.needs[name] = m.allNames(m.needs[name], v)
		return
	}
	if m.dependents == nil {
		m.dependents = map[string]node{}
	}
	m.dependents[name] = conjunction(m.doc, m.dependents[name], m.node(v))
}

// end combines the keywords that depend on each other.
func (m *merger) end() {
	// A minimum of 0 without a maximum requires nothing.
	if m.contains != nil && (m.contMax != nil || m.contMin == nil || rational(m.contMin).Sign() > 0) {
		m.schema.contains = append(m.schema.contains, containing{*m.contains, m.contMin, m.contMax})
	}
	if m.test != nil && (m.then != nil || m.negative != nil) {
		m.conds = append(m.conds, condition{*m.test, m.then, m.negative})
	}
}

func (m *merger) requireKind(v *value, k kind) bool {
	if v.kind != k {
		m.broken = true
		return false
	}
	return true
}

func (m *merger) node(v *value) node {
	if v.kind != object && v.kind != boolean {
		m.broken = true
	}
	return m.doc.node(v)
}

func (m *merger) sub(v *value) *node {
	n := m.node(v)
	return &n
}

func (m *merger) tuple(v *value) {
	m.requireKind(v, array)
	for _, item := range v.items {
		m.array.prefix = append(m.array.prefix, m.node(item))
	}
}

func (m *merger) texts(set *[]string, v *value) {
	if m.requireKind(v, text) {
		*set = addText(*set, v)
	}
}

func (m *merger) allNames(list []string, v *value) []string {
	for _, item := range v.items {
		if m.requireKind(item, text) && !slices.Contains(list, item.text) {
			list = append(list, item.text)
		}
	}
	return list
}

// count returns the larger of two counts, or the smaller if sign is -1.
func (m *merger) count(v, other *value, sign int) *value {
	r := rational(v)
	if r == nil || !r.IsInt() || r.Sign() < 0 {
		m.broken = true
		return other
	}
	if other != nil && sign*r.Cmp(rational(other)) < 0 {
		return other
	}
	return v
}

// bound returns the tighter of two bounds. Draft 4 makes the plain keyword exclusive by
// a boolean beside it.
func (m *merger) bound(name string, v *value, plain, exclusive string, other *bound, sign int) *bound {
	if name == exclusive && v.kind == boolean {
		return other
	}
	b := &bound{keyword: name, value: v, rat: rational(v), exclusive: name == exclusive || m.part.get(exclusive).is(boolean) && m.part.get(exclusive).text == "true"}
	if b.rat == nil {
		m.broken = true
		return other
	}
	if b.exclusive {
		b.keyword = exclusive
	} else {
		b.keyword = plain
	}
	if other != nil && sign*b.compare(other, sign) < 0 {
		return other
	}
	return b
}

// compare orders bounds by value. At the same value an exclusive bound is tighter:
// greater for lower bounds (sign 1), less for upper ones (-1).
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
