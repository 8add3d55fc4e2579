package contract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// unions compares two nodes, at least one of which is a union. It splits each into alternatives;
// the keywords beside the union are part of every alternative.
func (c *comparer) unions(path string, o, n node) effect {
	before, after := o.schema(), n.schema()
	if len(before.unions) > 0 && len(after.unions) > 0 {
		// Changes beside the unions are reported once.
		b, a := o.beside(), n.beside()
		if e := c.prove(b, a); e&(narrows|widens) != 0 {
			e = c.nodes(path, b, a)
			c.partial++
			defer func() { c.partial-- }()
			return e | c.alternatives(path, o.choices(false), n.choices(false))
		}
	}
	return c.alternatives(path, o.choices(true), n.choices(true))
}

// beside returns a node without its unions.
func (n node) beside() node {
	rest := n.doc.node()
	for _, p := range n.parts() {
		rest.all = append(rest.all, n.doc.strip(p, "anyOf", "oneOf"))
	}
	return rest.wordless()
}

// wordless returns a node without the annotations of its outermost schemas.
func (n node) wordless() node {
	rest := n.doc.node()
	for _, p := range n.parts() {
		var names []string
		for _, m := range p.Members {
			if noted[m.Name] || isExtension(m.Name) {
				names = append(names, m.Name)
			}
		}
		rest.all = append(rest.all, n.doc.strip(p, names...))
	}
	return rest
}

// choices are the alternatives of one node.
type choices struct {
	nodes []node
	// exclusive is set if a value must be valid under only one alternative, and alternatives may
	// overlap.
	exclusive bool
}

// choices splits the first union of a node. If whole is set, further unions remain inside the
// alternatives; otherwise there must be no others.
func (n node) choices(whole bool) choices {
	s := n.schema()
	if len(s.unions) == 0 {
		return choices{nodes: []node{n.wordless()}}
	}
	u := s.unions[0]
	all := choices{nodes: u.nodes}
	if whole {
		rest := n.doc.node()
		for _, p := range n.parts() {
			if p == u.owner {
				p = n.doc.strip(p, u.keyword)
			}
			rest.all = append(rest.all, p)
		}
		rest = rest.wordless()
		all.nodes = nil
		for _, alternative := range u.nodes {
			all.nodes = append(all.nodes, alternative.and(rest))
		}
	} else if len(s.unions) > 1 {
		return choices{nodes: []node{n.wordless()}}
	}
	if u.keyword == "oneOf" {
		for i := range all.nodes {
			for j := range i {
				all.exclusive = all.exclusive || !disjoint(all.nodes[i], all.nodes[j])
			}
		}
	}
	return all
}

// disjoint reports whether provably no value is valid in both nodes.
func disjoint(a, b node) bool {
	x, y := a.schema(), b.schema()
	common := x.allowed() & y.allowed()
	if common == 0 || x.hasEnum && y.hasEnum && disjointValues(x.enum, y.enum) {
		return true
	}
	if common != objectType {
		return false
	}
	// A required member whose values are disjoint.
	for _, name := range x.names {
		other, there := y.properties[name]
		if !there || !slices.Contains(x.required, name) && !slices.Contains(y.required, name) {
			continue
		}
		p, q := x.properties[name].schema(), other.schema()
		if p.allowed()&q.allowed() == 0 || p.hasEnum && q.hasEnum && disjointValues(p.enum, q.enum) {
			return true
		}
	}
	return false
}

func disjointValues(a, b []*jsontree.Value) bool {
	return !slices.ContainsFunc(a, func(v *jsontree.Value) bool { return contains(b, v) })
}

func contains(list []*jsontree.Value, v *jsontree.Value) bool {
	return slices.ContainsFunc(list, func(w *jsontree.Value) bool { return jsontree.Equal(v, w) })
}

// alternatives compares two choices. Matching alternatives are compared with each other; the others
// are removed or added, unless another alternative allows their values.
func (c *comparer) alternatives(path string, o, n choices) effect {
	if o.exclusive || n.exclusive {
		// A value may match more than one alternative, which makes it invalid.
		if a, b := signatures(o.nodes), signatures(n.nodes); a != nil && slices.Equal(a, b) {
			return 0
		}
		return c.add(path, "oneOf", unclear, nil, nil, "alternatives changed, of which a value must fit exactly one: cannot be classified")
	}
	pairs := c.matchAlternatives(o.nodes, n.nodes)
	e := effect(0)
	paired := map[int]bool{}
	for i, j := range pairs {
		before := o.nodes[i]
		if j < 0 {
			if !c.covers(before, n.nodes, 0) {
				e |= c.add(path, "alternative", narrows, raw(before), nil, "%s", alternativeText(before, i, "removed", "is no longer allowed"))
			}
			continue
		}
		paired[j] = true
		e |= c.compareMatched(path, i, before, n.nodes[j], o, n)
	}
	for j, after := range n.nodes {
		if !paired[j] && !c.coveredBy(after, o.nodes, 0) {
			e |= c.add(path, "alternative", widens, nil, raw(after), "%s", alternativeText(after, j, "added", "is allowed now"))
		}
	}
	return e
}

// signatures returns the sorted signatures of nodes, or nil if one is too long.
func signatures(nodes []node) []string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		if all[i] = n.signature(false); all[i] == "" {
			return nil
		}
	}
	slices.Sort(all)
	return all
}

// compareMatched compares two matching alternatives. Values that the new one no longer allows are
// ignored if another alternative still allows them.
func (c *comparer) compareMatched(path string, i int, before, after node, o, n choices) effect {
	gone := effect(0)
	how := c.prove(before, after)
	if how&narrows != 0 && c.covers(before, n.nodes, 0) {
		gone |= narrows
	}
	if how&widens != 0 && c.coveredBy(after, o.nodes, 0) {
		gone |= widens
	}
	since := len(c.findings)
	at := path
	if len(o.nodes) > 1 || len(n.nodes) > 1 {
		at = choice(path, before, i)
	}
	e := c.nodes(at, before, after)
	if c.quiet == 0 {
		c.mask(since, gone)
	}
	return e &^ gone
}

// matchAlternatives returns the index of the matching new alternative for each old one, or -1.
func (c *comparer) matchAlternatives(o, n []node) []int {
	pairs := make([]int, len(o))
	taken := make([]bool, len(n))
	for i := range pairs {
		pairs[i] = -1
	}
	for _, alike := range []func(i, j int) bool{
		func(i, j int) bool { return c.prove(o[i], n[j])&(narrows|widens) == 0 },
		func(i, j int) bool { return sameDiscriminator(o[i].schema(), n[j].schema()) },
		func(i, j int) bool {
			a, b := o[i].schema(), n[j].schema()
			return a.types == b.types && a.types.one() && !differentDiscriminator(a, b) && len(a.unions)+len(b.unions) == 0 && (a.hasEnum == b.hasEnum || len(o) == 1 && len(n) == 1)
		},
		func(_, _ int) bool { return len(o) == 1 && len(n) == 1 },
	} {
		for i := range o {
			for j := range n {
				if pairs[i] < 0 && !taken[j] && alike(i, j) {
					pairs[i], taken[j] = j, true
				}
			}
		}
	}
	return pairs
}

func sameDiscriminator(a, b *schema) bool {
	name, v := a.discriminator()
	other, w := b.discriminator()
	return name != "" && name == other && jsontree.Equal(v, w)
}

func differentDiscriminator(a, b *schema) bool {
	name, v := a.discriminator()
	other, w := b.discriminator()
	return name != "" && (name != other || !jsontree.Equal(v, w))
}

// maxPieces limits how often a node is split.
const maxPieces = 8

// covers reports whether each value of a node is valid under one of the others. If necessary, it
// splits the node into pieces.
func (c *comparer) covers(n node, others []node, depth int) bool {
	if slices.ContainsFunc(others, func(other node) bool { return c.prove(n, other)&narrows == 0 }) {
		return true
	}
	return depth < maxPieces && allPieces(n, func(piece node) bool { return c.covers(piece, others, depth+1) })
}

// coveredBy is like covers for a new node n.
func (c *comparer) coveredBy(n node, others []node, depth int) bool {
	if slices.ContainsFunc(others, func(other node) bool { return c.prove(other, n)&widens == 0 }) {
		return true
	}
	return depth < maxPieces && allPieces(n, func(piece node) bool { return c.coveredBy(piece, others, depth+1) })
}

// allPieces splits a node by value or by type, and reports whether holds is true for all pieces. It
// returns false if the node cannot be split.
func allPieces(n node, holds func(node) bool) bool {
	s := n.schema()
	var pieces []node
	switch {
	case len(s.unions) > 0:
		pieces = n.choices(true).nodes
	case s.hasEnum && len(s.enum) > 1:
		for _, v := range s.enum {
			pieces = append(pieces, n.and(n.doc.node(n.doc.only("const", v))))
		}
	case s.hasEnum:
	case s.types == booleanType:
		for _, v := range []*jsontree.Value{jsontree.True, jsontree.False} {
			pieces = append(pieces, n.and(n.doc.node(n.doc.only("const", v))))
		}
	default:
		for _, t := range typeNames {
			if s.types&t.set == t.set && t.set != s.types && (t.set != integerType || s.types&fractionType == 0) {
				pieces = append(pieces, n.and(n.doc.node(n.doc.only("type", &jsontree.Value{Kind: jsontree.Text, Text: t.name}))))
			}
		}
	}
	return len(pieces) > 0 && !slices.ContainsFunc(pieces, func(p node) bool { return !holds(p) })
}

// alternativeName returns a display name of an alternative.
func alternativeName(n node, i int) string {
	s := n.schema()
	if name, v := s.discriminator(); name != "" {
		return name + " " + short(v)
	}
	if t := s.notes["title"]; t.Is(jsontree.Text) {
		return t.Text
	}
	if s.hasEnum && len(s.enum) == 1 {
		return short(s.enum[0])
	}
	if s.types.one() && s.types != objectType {
		return s.types.String()
	}
	return "alternative " + strconv.Itoa(i+1)
}

// alternativeText describes a change of an alternative, by its type if the alternative is only a
// type.
func alternativeText(n node, i int, happened, allowed string) string {
	if s := n.schema(); s.types.one() && s.types != objectType && !s.hasEnum && s.notes["title"] == nil {
		return s.types.String() + " " + allowed
	}
	name := alternativeName(n, i)
	if strings.HasPrefix(name, "alternative ") {
		return name + " " + happened
	}
	return "alternative " + name + " " + happened
}

// choice is the path of an alternative.
func choice(path string, n node, i int) string { return path + "(" + alternativeName(n, i) + ")" }
