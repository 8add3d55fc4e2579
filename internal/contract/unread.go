package contract

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// entangled are keywords that change the meaning of the keywords beside them. They are not
// supported: if a schema contains one, no change of it can be classified.
var entangled = words("patternProperties", "unevaluatedProperties", "unevaluatedItems", "prefixItems", "additionalItems")

// unread compares the unsupported keywords: unknown ones, and keywords that mcpgen does not write,
// but that schemas of other servers and of //mcp:schema may contain. The keywords of one schema are
// compared together, since one may belong to another, such as then to if.
func (c *comparer) unread(path string, o, n *schema) effect {
	gone, come := without(o.unread, n.unread, false), without(n.unread, o.unread, false)
	if len(gone)+len(come) > 0 {
		return c.changedParts(path, gone, come)
	}
	annotated := slices.Concat(without(o.unread, n.unread, true), without(n.unread, o.unread, true))
	if len(annotated) == 0 {
		return 0
	}
	// Not wording: defaults and extensions are annotations, too.
	name := raw(annotated[0]).Members[0].Name
	return c.add(path, name, matters, nil, nil, "annotations inside of %s changed", name)
}

// without returns the nodes whose signatures do not occur in others.
func without(nodes, others []node, notes bool) []node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n node) bool {
		sign := n.signature(notes)
		return sign != "" && slices.ContainsFunc(others, func(other node) bool { return other.signature(notes) == sign })
	})
}

// changedParts reports each keyword that has changed, or that refers to a changed part.
func (c *comparer) changedParts(path string, gone, come []node) effect {
	e := effect(0)
	seen := map[string]bool{}
	for _, part := range slices.Concat(gone, come) {
		for _, m := range raw(part).Members {
			if seen[m.Name] {
				continue
			}
			seen[m.Name] = true
			before, signBefore := keywordOf(gone, m.Name)
			after, signAfter := keywordOf(come, m.Name)
			switch {
			case signBefore != "" && signBefore == signAfter:
			case jsontree.Equal(before, after):
				e |= c.add(path, m.Name, unclear, nil, nil, "what %s refers to changed, cannot be classified", m.Name)
			default:
				e |= c.add(path, m.Name, unclear, before, after, "%s, cannot be classified", changeText(m.Name, before, after))
			}
		}
	}
	if e == 0 {
		e = c.add(path, "allOf", unclear, nil, nil, "keywords belong to other parts now, cannot be classified")
	}
	return e
}

// keywordOf returns the value of a keyword, and its signature; nil if no node contains it.
func keywordOf(nodes []node, name string) (v *jsontree.Value, sign string) {
	for _, n := range nodes {
		if v = raw(n).Get(name); v != nil {
			return v, n.doc.node(n.doc.only(name, v)).signature(false)
		}
	}
	return nil, ""
}
