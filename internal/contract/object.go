package contract

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// objects compares the keywords about members.
func (c *comparer) objects(path string, o, n *schema) effect {
	c.level++
	defer func() { c.level-- }()
	e := effect(0)
	for _, name := range o.names {
		before := o.properties[name]
		if after, there := n.properties[name]; there {
			e |= c.nodes(join(path, name), before, after)
		} else {
			e |= c.removed(join(path, name), name, before, n)
		}
	}
	for _, name := range n.names {
		if _, there := o.properties[name]; !there {
			e |= c.added(path, name, o, n)
		}
	}
	e |= c.required(path, o, n)
	e |= c.further(path, o, n)
	if o.keys != nil || n.keys != nil {
		e |= c.optional(path+"{names}", o, n, o.keys, n.keys)
	}
	return e | c.interval(path, "minProperties", "maxProperties", o.sizes, n.sizes)
}

// optional compares two nodes; nil allows everything.
func (c *comparer) optional(path string, o, n *schema, before, after *node) effect {
	if before == nil {
		before = &node{doc: o.doc}
	}
	if after == nil {
		after = &node{doc: n.doc}
	}
	return c.nodes(path, *before, *after)
}

// removed reports a member that the new schema does not name. If further members have a schema, as
// in a map, that now applies to it.
func (c *comparer) removed(path, name string, before node, n *schema) effect {
	if !n.drops() {
		return c.nodes(path, before, *n.additional)
	}
	if before.schema().types == 0 {
		// Its schema was false: the member was forbidden.
		if n.additional.isNothing() {
			return 0
		}
		return c.add(path, "properties", widens, raw(before), nil, "no longer forbidden")
	}
	return c.add(path, "properties", narrows|widens, raw(before), nil, "removed")
}

// drops reports whether no keyword applies to unnamed members.
func (s *schema) drops() bool {
	return s.additional == nil || s.additional.isNothing() || s.additional.isAnything()
}

// added reports a member that the old schema does not name.
func (c *comparer) added(path, name string, o, n *schema) effect {
	after := n.properties[name]
	at := join(path, name)
	var e effect
	note := "added"
	switch {
	case o.additional == nil && c.namesAll(path, o), o.additional.isNothing():
		e = widens
		if after.schema().types == 0 {
			return 0
		}
		if c.output {
			// Clients ignore unknown members.
			e = matters
		}
	case o.additional == nil:
		e = c.prove(after.doc.node(), after) | matters
	default:
		e = c.prove(*o.additional, after) | matters
	}
	if !c.output && e&narrows != 0 {
		note = "added; what was sent under that name before may not be allowed now"
	}
	if slices.Contains(n.required, name) {
		if !slices.Contains(o.required, name) {
			e |= narrows
		}
		if !c.output {
			note = strings.Replace(note, "added", "added, required", 1)
		}
	}
	return c.add(at, "properties", e&^unsure, nil, raw(after), "%s", note)
}

// namesAll reports whether clients are assumed to send only named members, although the schema
// allows others.
func (c *comparer) namesAll(path string, s *schema) bool {
	return !c.output && c.partial == 0 && (len(s.names) > 0 || path == "")
}

// required compares which of the old members are required.
func (c *comparer) required(path string, o, n *schema) effect {
	e := effect(0)
	now, before := "required now", "optional now"
	if c.output {
		now, before = "always there now", "may be missing now"
	}
	for _, name := range n.required {
		_, named := n.properties[name]
		_, there := o.properties[name]
		if !slices.Contains(o.required, name) && (there || !named) {
			e |= c.add(join(path, name), "required", narrows, jsontree.False, jsontree.True, "%s", now)
		}
	}
	for _, name := range o.required {
		_, named := n.properties[name]
		old, there := o.properties[name]
		gone := there && !named && n.drops() && old.schema().types != 0
		if !gone && !slices.Contains(n.required, name) {
			e |= c.add(join(path, name), "required", widens, jsontree.True, jsontree.False, "%s", before)
		}
	}
	return e
}

// further compares the schemas of unnamed members.
func (c *comparer) further(path string, o, n *schema) effect {
	before, after := o.additional, n.additional
	what := "further members are"
	switch {
	case before == nil && after == nil, before.isNothing() && after.isNothing():
		return 0
	case before.isNothing():
		e := widens
		if c.output {
			e = matters
		}
		return c.add(path, "additionalProperties", e, jsontree.False, nil, "%s allowed now", what)
	case after.isNothing():
		return c.add(path, "additionalProperties", narrows, nil, jsontree.False, "%s refused now", what)
	}
	return c.optional(path+".*", o, n, before, after)
}
