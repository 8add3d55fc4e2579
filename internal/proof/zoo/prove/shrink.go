package prove

import (
	"slices"
)

// shrink removes parts of a value as long as it fails in the same way.
func (p *prover) shrink(n *Node, what string) (*Node, string) {
	budget := 1000
	for budget > 0 {
		smaller := false
		for _, candidate := range parts(n) {
			if budget--; budget < 0 {
				break
			}
			if w, _ := p.check(candidate, false); class(w) == class(what) && w != "" {
				n, what, smaller = candidate, w, true
				break
			}
		}
		if !smaller {
			break
		}
	}
	return n, what
}

// parts returns copies of a value that lack one member or element each, outer ones first.
func parts(n *Node) []*Node {
	var out []*Node
	for i := range n.Members {
		c := *n
		c.Members = slices.Delete(slices.Clone(n.Members), i, i+1)
		out = append(out, &c)
	}
	for i := range n.Items {
		c := *n
		c.Items = slices.Delete(slices.Clone(n.Items), i, i+1)
		out = append(out, &c)
	}
	for i := range n.Members {
		for _, inner := range parts(n.Members[i].Value) {
			c := *n
			c.Members = slices.Clone(n.Members)
			c.Members[i].Value = inner
			out = append(out, &c)
		}
	}
	for i := range n.Items {
		for _, inner := range parts(n.Items[i]) {
			c := *n
			c.Items = slices.Clone(n.Items)
			c.Items[i] = inner
			out = append(out, &c)
		}
	}
	return out
}
