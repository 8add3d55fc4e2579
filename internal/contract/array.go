package contract

// arrays compares the keywords about elements.
func (c *comparer) arrays(path string, o, n *schema) effect {
	c.level++
	defer func() { c.level-- }()
	e := effect(0)
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
	return e
}
