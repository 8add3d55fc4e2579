package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// Limits of a table, and of the work to build one.
const (
	maxInstructions = 10_000
	maxStates       = 4_000
	maxCells        = 1 << 17
	maxWork         = 1 << 22 // visited instructions
)

// classes divides the characters into sets that no instruction distinguishes.
type classes struct {
	ascii  [utf8.RuneSelf]uint16
	starts []rune   // where each range begins
	class  []uint16 // of each range
}

func (c *classes) of(r rune) int {
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i] > r }) - 1
	return int(c.class[i])
}

// builder builds states from sets of instructions (the subset construction).
type builder struct {
	prog    *syntax.Prog
	words   bool   // the expression contains \b or \B
	samples []rune // one character of each class
	m       *Matcher
	states  map[string]uint16
	sets    [][]uint32 // the instructions of each state
	before  []rune     // a character like the one before it, or -1 at the start
	work    int

	mark []uint32 // when an instruction was last added to a set
	now  uint32
}

func build(prog *syntax.Prog) (*Matcher, error) {
	if len(prog.Inst) > maxInstructions {
		return nil, errTooLarge
	}
	b := &builder{prog: prog, m: new(Matcher), states: map[string]uint16{}, mark: make([]uint32, len(prog.Inst))}
	if !b.classify() {
		return nil, errTooLarge
	}
	b.m.width = len(b.samples)
	b.sets, b.before = make([][]uint32, initial), make([]rune, initial)
	b.m.final = []bool{failed: false, matched: true}
	b.m.next = make([]uint16, int(initial)*b.m.width)
	first := b.state([]uint32{uint32(prog.Start)}, -1)
	if first < initial { // every text matches, or none, already at its start
		b.add(nil, -1, first == matched)
	}
	for s := int(initial); s < len(b.sets); s++ {
		set, before := b.sets[s], b.before[s]
		if !b.m.final[s] {
			_, b.m.final[s] = b.expand(set, syntax.EmptyOpContext(before, -1))
		}
		for _, sample := range b.samples {
			next := first // of no instructions
			if set != nil {
				all, match := b.expand(set, syntax.EmptyOpContext(before, sample))
				if next = matched; !match {
					next = b.step(all, sample)
				}
			}
			b.m.next = append(b.m.next, next)
			if len(b.sets) > maxStates || len(b.m.next) > maxCells || b.work > maxWork {
				return nil, errTooLarge
			}
		}
	}
	return b.m, nil
}

// classify finds the classes of characters.
func (b *builder) classify() bool {
	bounds := []rune{0, utf8.RuneSelf}
	type key struct {
		first *rune
		n     int
		op    syntax.InstOp
	}
	seen := map[key]bool{}
	var insts []*syntax.Inst // one for each set of characters
	for i := range b.prog.Inst {
		inst := &b.prog.Inst[i]
		switch inst.Op {
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
				b.words = true
			}
			continue
		case syntax.InstRune, syntax.InstRune1:
			if len(inst.Rune) == 0 {
				continue // its set is empty
			}
			k := key{&inst.Rune[0], len(inst.Rune), inst.Op}
			if seen[k] {
				continue
			}
			seen[k] = true
			if len(inst.Rune) == 1 {
				bounds = append(bounds, inst.Rune[0], inst.Rune[0]+1)
				if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 { // as [eE] is compiled
					for r := unicode.SimpleFold(inst.Rune[0]); r != inst.Rune[0]; r = unicode.SimpleFold(r) {
						bounds = append(bounds, r, r+1)
					}
				}
			}
			for j := 0; j+1 < len(inst.Rune); j += 2 {
				bounds = append(bounds, inst.Rune[j], inst.Rune[j+1]+1)
			}
		case syntax.InstRuneAny:
			continue
		case syntax.InstRuneAnyNotNL:
			bounds = append(bounds, '\n', '\n'+1)
		default:
			continue
		}
		insts = append(insts, inst)
	}
	if b.words {
		bounds = append(bounds, '0', '9'+1, 'A', 'Z'+1, '_', '_'+1, 'a', 'z'+1)
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	if len(bounds)*len(insts) > maxWork {
		return false
	}
	known := map[string]uint16{}
	c := &b.m.classes
	for _, r := range bounds {
		signature := make([]byte, 1, 1+len(insts)/8)
		if b.words && syntax.IsWordChar(r) {
			signature[0] = 1
		}
		for i, inst := range insts {
			if i%8 == 0 {
				signature = append(signature, 0)
			}
			if inst.MatchRune(r) {
				signature[len(signature)-1] |= 1 << (i % 8)
			}
		}
		class, ok := known[string(signature)]
		if !ok {
			if len(b.samples) == maxStates {
				return false
			}
			class = uint16(len(b.samples))
			known[string(signature)] = class
			b.samples = append(b.samples, r)
		}
		c.starts = append(c.starts, r)
		c.class = append(c.class, class)
	}
	for r := range c.ascii {
		c.ascii[r] = uint16(c.of(rune(r)))
	}
	return true
}

// step returns the state after a character.
func (b *builder) step(set []uint32, r rune) uint16 {
	var next []uint32
	for _, pc := range set {
		if inst := &b.prog.Inst[pc]; isRune(inst.Op) && inst.MatchRune(r) {
			next = append(next, inst.Out)
		}
	}
	b.work += len(set)
	// A match may begin anywhere.
	next = append(next, uint32(b.prog.Start))
	if b.words && syntax.IsWordChar(r) {
		return b.state(next, 'a')
	}
	return b.state(next, '.')
}

func isRune(op syntax.InstOp) bool { return op >= syntax.InstRune }

// state finds or adds the state for a set of instructions.
func (b *builder) state(set []uint32, before rune) uint16 {
	set, match := b.expand(set, 0)
	if match {
		return matched
	}
	if before >= 0 {
		set = slices.DeleteFunc(set, func(pc uint32) bool {
			inst := &b.prog.Inst[pc]
			return inst.Op == syntax.InstEmptyWidth && syntax.EmptyOp(inst.Arg)&(syntax.EmptyBeginText|syntax.EmptyBeginLine) != 0
		})
	}
	if len(set) == 0 {
		return failed
	}
	slices.Sort(set)
	key := binary.AppendVarint(nil, int64(before))
	for _, pc := range set {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	s, ok := b.states[string(key)]
	if !ok {
		s = b.add(set, before, false)
		b.states[string(key)] = s
	}
	return s
}

func (b *builder) add(set []uint32, before rune, final bool) uint16 {
	b.sets, b.before, b.m.final = append(b.sets, set), append(b.before, before), append(b.m.final, final)
	return uint16(len(b.sets) - 1)
}

// expand follows all instructions that consume no character, as far as the conditions at this
// position hold, and reports whether a match is among them. Instructions with other conditions
// remain in the set.
func (b *builder) expand(set []uint32, holds syntax.EmptyOp) (all []uint32, match bool) {
	b.now++
	stack := slices.Clone(set)
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.mark[pc] == b.now {
			continue
		}
		b.mark[pc] = b.now
		b.work++
		inst := &b.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			stack = append(stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds == 0 {
				stack = append(stack, inst.Out)
			} else {
				all = append(all, pc)
			}
		case syntax.InstMatch:
			match = true
		case syntax.InstFail:
		default:
			all = append(all, pc)
		}
	}
	return all, match
}
