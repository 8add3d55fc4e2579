package contract

import "github.com/mcpgen/mcpgen/internal/jsontree"

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
			e |= c.add(path, "uniqueItems", narrows, jsontree.False, jsontree.True, "elements must be unique now")
		} else {
			e |= c.add(path, "uniqueItems", widens, jsontree.True, jsontree.False, "elements may repeat now")
		}
	}
	return e
}
