package columns

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/visible"
)

// Screen describes the output device. The zero value is a pipe or a file, which gets the full text.
type Screen struct {
	Out   io.Writer // of the terminal, without escaping; or nil
	Width int       // columns; 0 means no limit
	Bold  bool      // names are bold
}

// Wide returns the screen without its width.
func (s Screen) Wide() Screen {
	s.Width = 0
	return s
}

// Table writes lines of cells, separated by tabs, in columns. The first line is the heading. On a
// narrow screen, columns are omitted and cells are cut with an ellipsis.
type Table struct {
	// Cut contains the headings of columns that are cut first, in this order.
	Cut     []string
	out     io.Writer
	screen  Screen
	text    bytes.Buffer
	drop    func(t *Table, rows [][]string, widths []int) ([][]string, []int) // see Drop; may be nil
	drops   []string
	dropped []string
}

// NewTable returns a table that is written to out, or to the screen if it is a terminal.
func NewTable(out io.Writer, s Screen) *Table { return &Table{out: out, screen: s} }

// Drop sets the headings of columns that are omitted, in this order, if the others would be too
// narrow to read.
func (t *Table) Drop(headings ...string) { t.drop, t.drops = (*Table).omit, headings }

// Dropped returns the headings of the columns that Flush omitted.
func (t *Table) Dropped() []string { return t.dropped }

// Write adds lines, or parts of them.
func (t *Table) Write(b []byte) (int, error) { return t.text.Write(b) }

// Flush writes the table.
func (t *Table) Flush() error {
	var rows [][]string
	for line := range strings.Lines(t.text.String()) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i := range cells {
			cells[i] = visible.Escape(cells[i])
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 {
		return nil
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row[:min(len(row), len(widths))] {
			widths[i] = max(widths[i], width(cell))
		}
	}
	if t.screen.Width > 0 {
		if t.drop != nil {
			rows, widths = t.drop(t, rows, widths)
		}
		t.fit(rows[0], widths)
	}
	var text bytes.Buffer
	for n, row := range rows {
		for i, cell := range row[:min(len(row), len(widths))] {
			cell = cutTo(cell, widths[i])
			pad := strings.Repeat(" ", widths[i]-width(cell)+gap)
			if i == len(row)-1 {
				pad = ""
			}
			if t.screen.Bold && n > 0 && rows[0][i] == nameHeading && row[0] != totalRow {
				cell = bold(cell)
			}
			text.WriteString(cell + pad)
		}
		text.WriteByte('\n')
	}
	out := t.out
	if t.screen.Out != nil {
		out = t.screen.Out
	}
	_, err := io.WriteString(out, text.String())
	return err
}

const (
	gap         = 2 // between columns
	readable    = 24
	narrowest   = 10
	nameHeading = "NAME"
	totalRow    = "total" // the name is a number of features
	ellipsis    = "…"
)

// omit omits columns while the others do not fit, even cut to their minimum widths.
func (t *Table) omit(rows [][]string, widths []int) ([][]string, []int) {
	for _, name := range t.drops {
		need := gap * (len(widths) - 1)
		for i, w := range widths {
			if slices.Contains(t.Cut, rows[0][i]) {
				w = min(w, readable)
			}
			need += w
		}
		at := slices.Index(rows[0], name)
		if need <= t.screen.Width || at < 0 {
			continue
		}
		t.dropped = append(t.dropped, name)
		widths = slices.Delete(widths, at, at+1)
		for i := range rows {
			if at < len(rows[i]) {
				rows[i] = slices.Delete(rows[i], at, at+1)
			}
		}
	}
	return rows, widths
}

// fit makes columns narrower until a line fits: first the columns in Cut, then all, from the right,
// and finally to one character.
func (t *Table) fit(heading []string, widths []int) {
	excess := gap*(len(widths)-1) - t.screen.Width
	for _, w := range widths {
		excess += w
	}
	shrink := func(i, least int) {
		by := max(min(excess, widths[i]-least), 0)
		widths[i] -= by
		excess -= by
	}
	for _, least := range []int{readable, narrowest} {
		for _, name := range t.Cut {
			if i := slices.Index(heading, name); i >= 0 {
				shrink(i, max(least, width(name)))
			}
		}
	}
	for _, least := range []int{narrowest, 1} {
		for i := len(widths) - 1; i >= 0; i-- {
			shrink(i, least)
		}
	}
}

func bold(text string) string {
	if text == "" {
		return ""
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// cutTo cuts a text to a number of columns.
func cutTo(text string, columns int) string {
	if width(text) <= columns {
		return text
	}
	var out bytes.Buffer
	used := 1 // the ellipsis
	for _, r := range text {
		if used += runeWidth(r); used > columns {
			break
		}
		out.WriteRune(r)
	}
	return out.String() + ellipsis
}

// width returns the width of a text in columns.
func width(text string) (n int) {
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

// wide contains the ranges of characters that take two columns (UAX #11).
var wide = [][2]rune{
	{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0x33FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},
	{0xF900, 0xFAFF}, {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
}

func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	return 1
}

// Fit wraps lines that are wider than the screen between words. The continuation is indented a
// little more than the line.
func (s Screen) Fit(text string) string {
	if s.Width <= 0 {
		return text
	}
	var out bytes.Buffer
	for line := range strings.Lines(text) {
		body := strings.TrimSuffix(line, "\n")
		if plain := strings.ReplaceAll(body, "\t", "        "); width(plain) <= s.Width {
			out.WriteString(line)
			continue
		}
		rest := strings.TrimLeft(body, "\t ")
		indent := strings.ReplaceAll(body[:len(body)-len(rest)], "\t", "        ")
		if len(indent) > s.Width/2 {
			indent = ""
		}
		line, empty := indent, true
		for word := range strings.FieldsSeq(rest) {
			if !empty && width(line)+1+width(word) > s.Width {
				out.WriteString(line + "\n")
				line, empty = indent+"    ", true
			}
			if !empty {
				line += " "
			}
			line, empty = line+word, false
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}
