package contract

import "fmt"

// arrays compares the keywords about elements.
func (c *comparer) arrays(path string, o, n *schema) effect {
	c.level++
	defer func() { c.level-- }()
	e := effect(0)
	for i := range max(len(o.prefix), len(n.prefix)) {
		e |= c.optional(fmt.Sprintf("%s[%d]", path, i), o, n, o.element(i), n.element(i))
	}
	if o.items != nil || n.items != nil {
		e |= c.optional(path+"[]", o, n, o.items, n.items)
	}
	e |= c.interval(path, "minItems", "maxItems", o.counts, n.counts)
	if o.unique != n.unique {
		if n.unique {
			e |= c.add(path, "uniqueItems", narrows, falseValue, trueValue, "elements must be unique now")
		} else {
			e |= c.add(path, "uniqueItems", widens, trueValue, falseValue, "elements may repeat now")
		}
	}
	return e | c.contains(path, o, n)
}

// element returns the schema of the element with an index, nil if there is none.
func (s *schema) element(i int) *node {
	if i < len(s.prefix) {
		return &s.prefix[i]
	}
	return s.items
}

// contains compares the keyword contains and its limits.
func (c *comparer) contains(path string, o, n *schema) effect {
	one := &value{kind: number, text: "1"}
	switch a, b := o.contains, n.contains; {
	case len(a)+len(b) == 0:
		return 0
	case len(a) == 0:
		return c.add(path, "contains", narrows, nil, nil, "must contain certain elements now")
	case len(b) == 0:
		return c.add(path, "contains", widens, nil, nil, "need not contain certain elements any more")
	case len(a) == 1 && len(b) == 1 && a[0].node.signature(false) != "" && a[0].node.signature(false) == b[0].node.signature(false):
		least := func(v *value) *value {
			if v == nil {
				return one
			}
			return v
		}
		return c.count(path, "minContains", least(a[0].min), least(b[0].min), 1) | c.count(path, "maxContains", a[0].max, b[0].max, -1)
	}
	return c.add(path, "contains", unclear, nil, nil, "must contain other elements now, cannot be classified")
}
