package contract

import (
	"regexp"
	"slices"
	"strings"
)

// objects compares the keywords about members.
func (c *comparer) objects(path string, o, n *schema) effect {
	c.level++
	defer func() { c.level-- }()
	e := c.patterned(path, o, n)
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
	e |= c.interval(path, "minProperties", "maxProperties", o.sizes, n.sizes)
	return e | c.needs(path, o, n)
}

// optional compares two nodes, where nil allows everything.
func (c *comparer) optional(path string, o, n *schema, before, after *node) effect {
	if before == nil {
		before = &node{doc: o.doc}
	}
	if after == nil {
		after = &node{doc: n.doc}
	}
	return c.nodes(path, *before, *after)
}

// removed reports a member that is no longer named. If further members have a schema,
// as in a map, that now applies to it.
func (c *comparer) removed(path, name string, before node, n *schema) effect {
	if at, sure := matching(name, n.patterned); !sure {
		return c.add(path, "properties", unclear, raw(before), nil, "removed, and may match a pattern: cannot be classified")
	} else if at != nil {
		return c.nodes(path, before, *at)
	}
	if !n.drops(name) {
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

// drops reports whether no keyword applies to a member that is not named.
func (s *schema) drops(name string) bool {
	at, sure := matching(name, s.patterned)
	return sure && at == nil && (s.additional == nil || s.additional.isNothing() || s.additional.isAnything())
}

// added reports a member that was not named before.
func (c *comparer) added(path, name string, o, n *schema) effect {
	after := n.properties[name]
	at := join(path, name)
	if matched, sure := matching(name, o.patterned); !sure {
		return c.add(at, "properties", unclear, nil, raw(after), "added, and may match a pattern: cannot be classified")
	} else if matched != nil {
		e := c.nodes(at, *matched, after)
		if slices.Contains(n.required, name) && !slices.Contains(o.required, name) {
			e |= c.add(at, "required", narrows, falseValue, trueValue, "required now")
		}
		return e
	}
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

// namesAll reports whether clients are assumed to send only named members, although the
// schema allows others.
func (c *comparer) namesAll(path string, s *schema) bool {
	return !c.output && c.partial == 0 && (len(s.names) > 0 || path == "")
}

// required compares which members are required, of those that are not new.
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
			e |= c.add(join(path, name), "required", narrows, falseValue, trueValue, "%s", now)
		}
	}
	for _, name := range o.required {
		_, named := n.properties[name]
		old, there := o.properties[name]
		gone := there && !named && n.drops(name) && old.schema().types != 0
		if !gone && !slices.Contains(n.required, name) {
			e |= c.add(join(path, name), "required", widens, trueValue, falseValue, "%s", before)
		}
	}
	return e
}

// further compares the schemas of members that are not named.
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
		return c.add(path, "additionalProperties", e, falseValue, nil, "%s allowed now", what)
	case after.isNothing():
		return c.add(path, "additionalProperties", narrows, nil, falseValue, "%s refused now", what)
	}
	return c.optional(path+".*", o, n, before, after)
}

// patterned compares patternProperties.
func (c *comparer) patterned(path string, o, n *schema) effect {
	e := effect(0)
	var gone, come []string
	for _, p := range o.patterned {
		at := slices.IndexFunc(n.patterned, func(q pattern) bool { return p.text == q.text })
		if at < 0 {
			gone = append(gone, p.text)
			continue
		}
		e |= c.nodes(path+"{"+p.text+"}", p.node, n.patterned[at].node)
	}
	for _, p := range n.patterned {
		if !slices.ContainsFunc(o.patterned, func(q pattern) bool { return p.text == q.text }) {
			come = append(come, p.text)
		}
	}
	var how effect
	switch {
	case len(gone)+len(come) == 0:
		return e
	case len(o.patterned) == 0 && o.additional.isNothing() && !touched(n.patterned, o, n):
		how = widens
	case len(n.patterned) == 0 && n.additional.isNothing() && !touched(o.patterned, o, n):
		how = narrows
	default:
		return e | c.add(path, "patternProperties", unclear, nil, nil, "patterns of names changed (%s), cannot be classified", namesOf(gone, come))
	}
	return e | c.add(path, "patternProperties", how, nil, nil, "patterns of names changed: %s", namesOf(gone, come))
}

func namesOf(gone, come []string) string {
	var parts []string
	for _, s := range gone {
		parts = append(parts, "-"+quote(s))
	}
	for _, s := range come {
		parts = append(parts, "+"+quote(s))
	}
	return strings.Join(parts, " ")
}

// touched reports whether a pattern may match a named member.
func touched(patterns []pattern, all ...*schema) bool {
	for _, s := range all {
		for _, name := range s.names {
			if at, sure := matching(name, patterns); !sure || at != nil {
				return true
			}
		}
	}
	return false
}

// matching returns the schema that patterns apply to a name, nil if there is none. The
// result is not sure if a pattern cannot be parsed.
func matching(name string, patterns []pattern) (at *node, sure bool) {
	for _, p := range patterns {
		re, err := regexp.Compile(p.text)
		if err != nil {
			return nil, false
		}
		if re.MatchString(name) {
			at = both(p.node.doc, at, &p.node)
		}
	}
	return at, true
}

// needs compares dependentRequired.
func (c *comparer) needs(path string, o, n *schema) effect {
	e := effect(0)
	for _, name := range keysOf(o.needs, n.needs) {
		for _, other := range n.needs[name] {
			if !slices.Contains(o.needs[name], other) {
				e |= c.add(join(path, name), "dependentRequired", narrows, nil, nil, "requires %s now", other)
			}
		}
		for _, other := range o.needs[name] {
			if !slices.Contains(n.needs[name], other) {
				e |= c.add(join(path, name), "dependentRequired", widens, nil, nil, "no longer requires %s", other)
			}
		}
	}
	return e
}

// dependents compares dependentSchemas.
func (c *comparer) dependents(path string, o, n *schema) effect {
	c.partial++
	defer func() { c.partial-- }()
	e := effect(0)
	for _, name := range keysOf(o.dependents, n.dependents) {
		before, was := o.dependents[name]
		after, is := n.dependents[name]
		at := path + "{with " + name + "}"
		switch {
		case was && is:
			e |= c.nodes(at, before, after)
		case is:
			e |= c.add(at, "dependentSchemas", narrows, nil, raw(after), "there is a condition now")
		default:
			e |= c.add(at, "dependentSchemas", widens, raw(before), nil, "the condition is gone")
		}
	}
	return e
}

func keysOf[T any](maps ...map[string]T) []string {
	var names []string
	for _, m := range maps {
		for name := range m {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
