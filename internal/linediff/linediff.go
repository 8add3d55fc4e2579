// Package linediff compares texts line by line.
package linediff

import (
	"fmt"
	"sort"
	"strings"
)

// maxCells limits the table for comparing lines.
const maxCells = 4 << 20

// Edit is one line of a difference.
type Edit struct {
	Kind byte // ' ' for a line in both texts, '-' in the old one, '+' in the new one
	Text string
}

// Edits returns the edits that turn the lines of a into the lines of b. They keep as many lines as
// possible; in long texts without unique common lines, they replace everything between the common
// prefix and suffix.
func Edits(a, b []string) []Edit {
	var edits, tail []Edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		edits = append(edits, Edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, Edit{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case len(a)*len(b) <= maxCells:
		edits = append(edits, shortest(a, b)...)
	default:
		edits = append(edits, betweenAnchors(a, b)...)
	}
	for i := len(tail) - 1; i >= 0; i-- {
		edits = append(edits, tail[i])
	}
	return edits
}

// shortest compares every line of a with every line of b.
func shortest(a, b []string) []Edit {
	var edits []Edit
	// kept[i][j] counts the lines of a[i:] and b[j:] that can be kept.
	kept := make([][]int32, len(a)+1)
	for i := range kept {
		kept[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				kept[i][j] = kept[i+1][j+1] + 1
			} else {
				kept[i][j] = max(kept[i+1][j], kept[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, Edit{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || kept[i+1][j] >= kept[i][j+1]):
			edits = append(edits, Edit{'-', a[i]})
			i++
		default:
			edits = append(edits, Edit{'+', b[j]})
			j++
		}
	}
	return edits
}

// betweenAnchors compares the parts between the lines that are unique in each text, in the same
// order.
func betweenAnchors(a, b []string) []Edit {
	pairs := anchors(a, b)
	if len(pairs) == 0 {
		var edits []Edit
		for _, line := range a {
			edits = append(edits, Edit{'-', line})
		}
		for _, line := range b {
			edits = append(edits, Edit{'+', line})
		}
		return edits
	}
	var edits []Edit
	i, j := 0, 0
	for _, p := range pairs {
		edits = append(edits, Edits(a[i:p[0]], b[j:p[1]])...)
		edits = append(edits, Edit{' ', a[p[0]]})
		i, j = p[0]+1, p[1]+1
	}
	return append(edits, Edits(a[i:], b[j:])...)
}

// anchors returns the positions of lines that are unique in a and in b: the longest sequence with
// the same order in both.
func anchors(a, b []string) [][2]int {
	count := map[string][2]int{}
	at := map[string]int{} // positions in b
	for _, line := range a {
		n := count[line]
		n[0]++
		count[line] = n
	}
	for j, line := range b {
		n := count[line]
		n[1]++
		count[line], at[line] = n, j
	}
	var pairs [][2]int
	for i, line := range a {
		if count[line] == [2]int{1, 1} {
			pairs = append(pairs, [2]int{i, at[line]})
		}
	}
	// The longest increasing subsequence of the positions in b: ends[k] is the last pair of the
	// subsequence of length k+1 with the lowest position, and before[n] the pair before pair n.
	var ends []int
	before := make([]int, len(pairs))
	for n, p := range pairs {
		k := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]][1] >= p[1] })
		before[n] = -1
		if k > 0 {
			before[n] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, n)
		} else {
			ends[k] = n
		}
	}
	chosen := make([][2]int, len(ends))
	if len(ends) > 0 {
		for k, n := len(ends)-1, ends[len(ends)-1]; k >= 0; k, n = k-1, before[n] {
			chosen[k] = pairs[n]
		}
	}
	return chosen
}

// context is the number of lines that Unified prints around a change.
const context = 3

// Unified returns the difference of two texts with their names, in the unified format of diff -u,
// or nil if they are equal.
func Unified(oldName string, before []byte, newName string, after []byte) []byte {
	if string(before) == string(after) {
		return nil
	}
	edits := Edits(lines(before), lines(after))
	var out strings.Builder
	fmt.Fprintf(&out, "diff %s %s\n--- %s\n+++ %s\n", oldName, newName, oldName, newName)
	oldLine, newLine := 1, 1
	for at := 0; at < len(edits); {
		if edits[at].Kind == ' ' {
			at, oldLine, newLine = at+1, oldLine+1, newLine+1
			continue
		}
		from := max(0, at-context)
		to, quiet := at, 0
		for to < len(edits) && quiet <= 2*context {
			if quiet++; edits[to].Kind != ' ' {
				quiet = 0
			}
			to++
		}
		to -= max(0, quiet-context) // lines after the last change
		writeHunk(&out, edits[from:to], oldLine-(at-from), newLine-(at-from))
		for ; at < to; at++ {
			if edits[at].Kind != '+' {
				oldLine++
			}
			if edits[at].Kind != '-' {
				newLine++
			}
		}
	}
	return []byte(out.String())
}

// writeHunk writes a hunk with its heading. A side without lines begins at the previous line.
func writeHunk(out *strings.Builder, edits []Edit, oldLine, newLine int) {
	olds, news := 0, 0
	for _, e := range edits {
		if e.Kind != '+' {
			olds++
		}
		if e.Kind != '-' {
			news++
		}
	}
	if olds == 0 {
		oldLine--
	}
	if news == 0 {
		newLine--
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", oldLine, olds, newLine, news)
	for _, e := range edits {
		out.WriteByte(e.Kind)
		out.WriteString(e.Text)
	}
}

// lines splits a text after its line feeds. A text without a final line feed gets a note, like in
// diff.
func lines(text []byte) []string {
	all := strings.SplitAfter(string(text), "\n")
	if last := len(all) - 1; all[last] == "" {
		all = all[:last]
	} else {
		all[last] += "\n\\ No newline at end of file\n"
	}
	return all
}
