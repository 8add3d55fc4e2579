package mcptest

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/linediff"
)

const (
	diffContext = 3   // lines around a change
	diffLines   = 200 // that are shown at most
)

// lineDiff returns the difference between two texts, line by line, with some lines around each
// change.
func lineDiff(before, after string) string {
	edits := linediff.Edits(strings.Split(before, "\n"), strings.Split(after, "\n"))
	near := make([]bool, len(edits))
	for i, e := range edits {
		if e.Kind == ' ' {
			continue
		}
		for j := max(0, i-diffContext); j < min(len(edits), i+diffContext+1); j++ {
			near[j] = true
		}
	}
	var b strings.Builder
	line, shown, gap := 0, 0, true
	for i, e := range edits {
		if e.Kind != '+' {
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
		b.WriteByte(e.Kind)
		b.WriteString(e.Text)
		b.WriteByte('\n')
	}
	return b.String()
}
