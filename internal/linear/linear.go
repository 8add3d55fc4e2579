// Package linear matches texts with patterns, in time proportional to the length of the text.
// Programs that match URIs use it instead of package regexp, which they would link for nothing
// else. A pattern matches like a regular expression of the same form that is anchored at both ends:
// alternatives are tried in order, and repetitions are greedy.
package linear

import "strings"

// Node is a part of a pattern.
type Node struct {
	kind  kind
	text  string
	set   Set
	group int
	nodes []Node
}

type kind uint8

const (
	sequence kind = iota
	text
	one
	optional
	star
	group
)

// Set is a set of bytes. Its value requires no initialization at program start.
type Set struct {
	Bytes    string
	Except   bool // the set contains all bytes but these
	Triplets bool // the set also contains percent-encoded bytes: % and two hexadecimal digits
}

// table is a set in the form for matching.
type table struct {
	bytes    [256]bool
	triplets bool
}

func newTable(s Set) *table {
	t := &table{triplets: s.Triplets}
	for i := range len(s.Bytes) {
		t.bytes[s.Bytes[i]] = true
	}
	if s.Except {
		for i := range t.bytes {
			t.bytes[i] = !t.bytes[i]
		}
	}
	return t
}

// width returns the number of bytes at the beginning of a text that form one element of the set,
// or 0.
func (t *table) width(text string) int {
	switch {
	case text == "":
		return 0
	case t.bytes[text[0]]:
		return 1
	case t.triplets && len(text) >= 3 && text[0] == '%' && isHex(text[1]) && isHex(text[2]):
		return 3
	}
	return 0
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// Text matches a text.
func Text(s string) Node { return Node{kind: text, text: s} }

// One matches one element of a set.
func One(s Set) Node { return Node{kind: one, set: s} }

// Sequence matches its nodes one after the other.
func Sequence(nodes ...Node) Node { return Node{kind: sequence, nodes: nodes} }

// Optional matches its node, or nothing.
func Optional(n Node) Node { return Node{kind: optional, nodes: []Node{n}} }

// Star matches its node any number of times. The node must not match the empty text.
func Star(n Node) Node { return Node{kind: star, nodes: []Node{n}} }

// Group matches its node, and reports the position. The number is the index among the groups of a
// pattern, from 0.
func Group(number int, n Node) Node { return Node{kind: group, group: number, nodes: []Node{n}} }

// Pattern is a compiled pattern. Several goroutines may use it.
type Pattern struct {
	code   []instruction
	start  int
	splits int // number of instructions with two successors
	groups int
}

// instruction is a step of matching. The kind of its node determines the action: optional tries
// next and then other, and group records the position.
type instruction struct {
	kind  kind
	text  string
	set   *table
	slot  int // of a group, or the number of a split
	next  int // the next instruction
	other int // the alternative that a split tries last
}

// end is the instruction at which the text must end.
const end = 0

// Compile compiles a pattern.
func Compile(n Node) *Pattern {
	p := &Pattern{code: make([]instruction, 1)}
	p.start = p.add(&n, end)
	return p
}

func (p *Pattern) emit(i instruction) int {
	p.code = append(p.code, i)
	return len(p.code) - 1
}

func (p *Pattern) split(next, other int) int {
	p.splits++
	return p.emit(instruction{kind: optional, slot: p.splits - 1, next: next, other: other})
}

// add adds the instructions of a node, followed by next. It returns the first one.
func (p *Pattern) add(n *Node, next int) int {
	switch n.kind {
	case text:
		return p.emit(instruction{kind: text, text: n.text, next: next})
	case one:
		return p.emit(instruction{kind: one, set: newTable(n.set), next: next})
	case optional:
		return p.split(p.add(&n.nodes[0], next), next)
	case star:
		loop := p.split(0, next)
		p.code[loop].next = p.add(&n.nodes[0], loop)
		return loop
	case group:
		p.groups = max(p.groups, n.group+1)
		last := p.emit(instruction{kind: group, slot: 2*n.group + 1, next: next})
		return p.emit(instruction{kind: group, slot: 2 * n.group, next: p.add(&n.nodes[0], last)})
	}
	for i := len(n.nodes) - 1; i >= 0; i-- {
		next = p.add(&n.nodes[i], next)
	}
	return next
}

// Match reports whether the whole text matches, and returns the begin and end of each group, or -1
// for groups outside of the match.
func (p *Pattern) Match(s string) (groups []int, ok bool) {
	groups, _, ok = p.run(s)
	return groups, ok
}

// branch is an alternative that was not tried yet. If at is negative, place is the previous value
// of the slot ^at.
type branch struct{ at, place int32 }

// run tries the alternatives in order. It enters each split once for each position in the text,
// since the rest does not depend on the way there. It also returns the number of executed
// instructions.
func (p *Pattern) run(s string) (groups []int, steps int, ok bool) {
	groups = make([]int, 2*p.groups)
	for i := range groups {
		groups[i] = -1
	}
	var few [32]uint64 // for a short text, these two stay on the stack
	entered := few[:]
	if n := (p.splits*(len(s)+1) + 63) / 64; n > len(few) {
		entered = make([]uint64, n)
	}
	var some [128]branch
	branches := append(some[:0], branch{at: int32(p.start)})
	for len(branches) > 0 {
		b := branches[len(branches)-1]
		branches = branches[:len(branches)-1]
		if b.at < 0 {
			groups[^b.at] = int(b.place)
			continue
		}
		place := int(b.place)
	way:
		for at := int(b.at); ; steps++ {
			if at == end {
				if place == len(s) {
					return groups, steps, true
				}
				break
			}
			switch i := &p.code[at]; i.kind {
			case text:
				if !strings.HasPrefix(s[place:], i.text) {
					break way
				}
				place += len(i.text)
				at = i.next
			case one:
				n := i.set.width(s[place:])
				if n == 0 {
					break way
				}
				place += n
				at = i.next
			case optional:
				bit := i.slot*(len(s)+1) + place
				if entered[bit/64]&(1<<(bit%64)) != 0 {
					break way
				}
				entered[bit/64] |= 1 << (bit % 64)
				branches = append(branches, branch{int32(i.other), int32(place)})
				at = i.next
			case group:
				branches = append(branches, branch{^int32(i.slot), int32(groups[i.slot])})
				groups[i.slot] = place
				at = i.next
			}
		}
	}
	return nil, steps, false
}
