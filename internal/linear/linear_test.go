package linear

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// expression returns the regular expression of a node.
func expression(n *Node) string {
	var all strings.Builder
	for i := range n.nodes {
		all.WriteString(expression(&n.nodes[i]))
	}
	switch n.kind {
	case text:
		return regexp.QuoteMeta(n.text)
	case one:
		var b strings.Builder
		for c, has := range newTable(n.set).bytes[:128] {
			if has {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		}
		e := "[" + b.String() + "]"
		if n.set.Triplets {
			e += "|%[0-9A-Fa-f]{2}"
		}
		return "(?:" + e + ")"
	case optional:
		return "(?:" + all.String() + ")?"
	case star:
		return "(?:" + all.String() + ")*"
	case group:
		return "(" + all.String() + ")"
	}
	return all.String()
}

// generated is a random pattern with groups numbered in order.
type generated struct {
	*rand.Rand
	groups int
}

var sets = []Set{{Bytes: "a"}, {Bytes: "ab"}, {Bytes: "abc/"}, {Triplets: true}, {Bytes: "a", Triplets: true}, {Bytes: "%a"}, {Bytes: "/%4", Except: true}}

func (g *generated) node(depth int) Node {
	kind := kind(g.IntN(6))
	if depth == 0 {
		kind = text + kind%2
	}
	switch kind {
	case text:
		return Text([]string{"a", "b", "ab", "/", "%61", ""}[g.IntN(6)])
	case one:
		set := sets[g.IntN(len(sets))]
		if set.Bytes == "" { // a class of package regexp must not be empty
			set = sets[0]
		}
		return One(set)
	case optional:
		return Optional(g.node(depth - 1))
	case star: // of a node that cannot be empty
		return Star(Sequence(One(sets[g.IntN(3)]), g.node(depth-1)))
	case group:
		number := g.groups
		g.groups++
		return Group(number, g.node(depth-1))
	}
	var nodes []Node
	for range g.IntN(4) {
		nodes = append(nodes, g.node(depth-1))
	}
	return Sequence(nodes...)
}

// Matches and groups equal package regexp's. A group in a repetition keeps its value of an earlier
// round, as there.
func TestAgainstRegexp(t *testing.T) {
	g := &generated{Rand: rand.New(rand.NewPCG(1, 2))}
	matched := 0
	for range 4000 {
		g.groups = 0
		n := g.node(5)
		pattern, want := Compile(n), regexp.MustCompile(`\A(?:`+expression(&n)+`)\z`)
		for range 25 {
			var b strings.Builder
			for range g.IntN(8) {
				b.WriteString([]string{"a", "b", "ab", "/", "%61", "%4", "c", "%z1", "%1z"}[g.IntN(9)])
			}
			groups, ok := pattern.Match(b.String())
			at := want.FindStringSubmatchIndex(b.String())
			if ok != (at != nil) || ok && !slices.Equal(groups, at[2:2+len(groups)]) {
				t.Fatalf("%s of %q: %v %v, want %v", want, b.String(), groups, ok, at)
			}
			if ok {
				matched++
			}
		}
	}
	if matched < 5000 {
		t.Errorf("only %d texts matched", matched)
	}
}

// The work is linear in the length of the text.
func TestLinear(t *testing.T) {
	a := Set{Bytes: "ab"}
	many := func(n int) Node {
		var nodes []Node
		for i := range n {
			nodes = append(nodes, Group(i, Star(One(a))))
		}
		return Sequence(append(nodes, Text("!"))...)
	}
	nested := Sequence(Star(Sequence(One(a), Star(One(a)))), Text("!"))
	options := Sequence(Optional(Star(One(a))), Optional(Star(One(a))), Optional(Star(Sequence(One(a), Optional(One(a))))), Text("!"))
	for name, n := range map[string]Node{"five": many(5), "nested": nested, "options": options} {
		p := Compile(n)
		for _, last := range []string{"", "!", "?"} {
			var before int
			for length := 1000; length <= 8000; length *= 2 {
				_, steps, ok := p.run(strings.Repeat("ab", length/2) + last)
				if ok != (last == "!") {
					t.Errorf("%s with %q: %v", name, last, ok)
				}
				if before > 0 && steps > 2*before+100 {
					t.Errorf("%s with %q: %d steps after %d for half of the text", name, last, steps, before)
				}
				before = steps
			}
		}
	}
}
