package schema

import (
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// graph contains the references between the declared types in a plan. Every cycle contains a
// declared type, so other types are skipped; so are pointers, which are not rendered.
type graph struct {
	nodes []*node // in the order in which a walk from the root reaches them
	byT   map[*model.Type]*node
	stack []*node
}

type node struct {
	t        *model.Type
	index    int
	low      int
	uses     int  // number of places with a value of the type
	open     bool // the walk has entered it and not left it
	pending  bool // on the stack: its component is not complete
	closes   bool // the walk returned to it
	inCycles bool
}

// newGraph walks over all types reachable from a plan.
func newGraph(root *model.Type) *graph {
	g := &graph{byT: map[*model.Type]*node{}}
	g.follow(root, nil)
	return g
}

// IsRecursive reports whether a plan contains a type that contains itself, so that its schema
// contains references.
func IsRecursive(root *model.Type) bool {
	return slices.ContainsFunc(newGraph(root).nodes, func(n *node) bool { return n.inCycles })
}

// follow walks into a type. from is the declared type around it, or nil at the root.
func (g *graph) follow(t *model.Type, from *node) {
	if t.Name == "" || base(t) != t {
		g.parts(t, from)
		return
	}
	n := g.byT[t]
	if n == nil {
		n = &node{t: t, index: len(g.nodes), low: len(g.nodes), open: true, pending: true}
		g.byT[t] = n
		g.nodes = append(g.nodes, n)
		g.stack = append(g.stack, n)
		g.parts(t, n)
		n.open = false
		if n.low == n.index {
			g.settle(n)
		}
		if from != nil {
			from.low = min(from.low, n.low)
		}
	} else if n.pending && from != nil {
		n.closes = n.closes || n.open
		from.low = min(from.low, n.index)
	}
	if from != nil {
		n.uses++
	}
}

func (g *graph) parts(t *model.Type, from *node) {
	if t.Elem != nil {
		g.follow(t.Elem, from)
	}
	for _, f := range t.Fields {
		g.follow(f.Type, from)
	}
	if t.Union != nil {
		// A variant is rendered at its place, since it contains the discriminator there: the union
		// closes the cycle.
		for _, v := range t.Union.Variants {
			g.parts(v.Type, from)
		}
	}
}

// settle takes a strongly connected component off the stack: the types that contain each other.
func (g *graph) settle(first *node) {
	i := slices.Index(g.stack, first)
	component := g.stack[i:]
	g.stack = g.stack[:i]
	for _, n := range component {
		n.pending = false
		n.inCycles = len(component) > 1 || n.closes
	}
}

// references returns the types to be rendered by reference: types that close a cycle, and types in
// a cycle that would be written several times, since the schemas of types that all contain each
// other would grow exponentially. With all, it returns every struct that is used several times.
func (g *graph) references(all bool) []*model.Type {
	var out []*model.Type
	for _, n := range g.nodes {
		repeated := n.uses > 1 && (n.inCycles || all && (n.t.Kind == model.Struct || n.t.Kind == model.Union))
		if n.closes || repeated {
			out = append(out, n.t)
		}
	}
	return out
}

// definitionNames names types for $defs: by their plain names, with the package if two share one,
// and with a number if the names are still equal.
func definitionNames(list []*model.Type) map[*model.Type]string {
	count := map[string]int{}
	for _, t := range list {
		count[t.Name]++
	}
	taken := map[string]bool{}
	names := map[*model.Type]string{}
	for _, t := range list {
		name := t.Name
		if count[name] > 1 {
			name = packageName(t) + "_" + name
			if t.Variant != "" {
				name += "_" + t.Variant
			}
		}
		unique := name
		for n := 2; taken[unique]; n++ {
			unique = name + "_" + strconv.Itoa(n)
		}
		taken[unique] = true
		names[t] = unique
	}
	return names
}
