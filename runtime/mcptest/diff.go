package mcptest

import (
	"fmt"
	"strings"
)

const (
	diffContext = 3       // lines around a change
	diffCells   = 4 << 20 // of the table; texts that differ in more are shown as a whole
	diffLines   = 200     // that are shown at most
)

// edit is a line of a difference: ' ' in both, '-' in the old, '+' in the new text.
type edit struct {
	kind byte
	text string
}

// lineDiff returns the difference between two texts, line by line, with some lines
// around each change.
func lineDiff(before, after string) string {
	edits := editsOf(strings.Split(before, "\n"), strings.Split(after, "\n"))
	near := make([]bool, len(edits))
	for i, e := range edits {
		if e.kind == ' ' {
			continue
		}
		for j := max(0, i-diffContext); j < min(len(edits), i+diffContext+1); j++ {
			near[j] = true
		}
	}
	var b strings.Builder
	line, shown, gap := 0, 0, true
	for i, e := range edits {
		if e.kind != '+' {
			line++
		}
		switch {
		case !near[i]:
			gap = true
			continue
		case shown == diffLines:
			b.WriteString("… and more\n")
			return b.String()
		case gap:
			fmt.Fprintf(&b, "@@ line %d @@\n", max(1, line))
			gap = false
		}
		shown++
		b.WriteByte(e.kind)
		b.WriteString(e.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// editsOf turns a into b, keeping as many lines as possible.
func editsOf(a, b []string) []edit {
	var edits, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		edits = append(edits, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, edit{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	// kept[i][j] is how many lines of a[i:] and b[j:] can be kept.
	var kept [][]int32
	if len(a)*len(b) <= diffCells {
		kept = make([][]int32, len(a)+1)
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
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case kept != nil && i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || kept == nil || kept[i+1][j] >= kept[i][j+1]):
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	for k := len(tail) - 1; k >= 0; k-- {
		edits = append(edits, tail[k])
	}
	return edits
}
