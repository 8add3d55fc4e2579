package contract

import (
	"slices"
	"strings"
)

// conditions compares if, then and else.
func (c *comparer) conditions(path string, o, n *schema) effect {
	if len(o.conds)+len(n.conds) == 0 {
		return 0
	}
	if len(o.conds) != len(n.conds) {
		return c.add(path, "if", unclear, nil, nil, "conditions changed, cannot be classified")
	}
	c.partial++
	defer func() { c.partial-- }()
	e := effect(0)
	for i, before := range o.conds {
		after := n.conds[i]
		if sign := before.test.signature(false); sign == "" || sign != after.test.signature(false) {
			e |= c.add(path, "if", unclear, raw(before.test), raw(after.test), "a condition changed, cannot be classified")
			continue
		}
		if before.then != nil || after.then != nil {
			e |= c.optional(path+"{then}", o, n, before.then, after.then)
		}
		if before.not != nil || after.not != nil {
			e |= c.optional(path+"{else}", o, n, before.not, after.not)
		}
	}
	return e
}

// others compares keywords as a whole.
func (c *comparer) others(path string, o, n *schema) effect {
	e := effect(0)
	if len(o.nots)+len(n.nots) > 0 {
		a, b := signatures(o.nots), signatures(n.nots)
		switch {
		case a == nil || b == nil:
			e |= c.add(path, "not", unclear, nil, nil, "what is excluded is too large to be compared")
		case slices.Equal(a, b):
		case len(a) == 0:
			e |= c.add(path, "not", narrows, nil, nil, "some values are excluded now")
		case len(b) == 0:
			e |= c.add(path, "not", widens, nil, nil, "values that were excluded are allowed now")
		default:
			e |= c.add(path, "not", unclear, nil, nil, "other values are excluded now, cannot be classified")
		}
	}
	find := func(s *schema, name string) (v *value) {
		for _, m := range s.others {
			if m.name == name {
				v = m.value
			}
		}
		return v
	}
	var names []string
	for _, m := range append(slices.Clone(o.others), n.others...) {
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	for _, name := range names {
		before, after := find(o, name), find(n, name)
		if (name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef" || name == "contentSchema") &&
			before != nil && after != nil && !strings.HasPrefix(before.text, "#") && equal(before, after) {
			continue
		}
		if !strings.HasPrefix(name, "$") && equal(before, after) {
			continue
		}
		e |= c.add(path, name, unclear, before, after, "%s, cannot be classified", changeText(name, before, after))
	}
	return e
}
