// Package columns wraps help texts in the columns of a terminal.
package columns

import "strings"

// Width limits the columns of help.
const Width = 80

// Row formats a head and, from a column on, a text, in lines of at most Width columns unless a word
// is longer. A head that reaches the column gets its own line.
func Row(head string, column int, text string) string {
	var out strings.Builder
	line := head
	indent := strings.Repeat(" ", column)
	switch n := len([]rune(head)); {
	case n+1 < column:
		line += indent[:column-n]
	case n > 0:
		out.WriteString(strings.TrimRight(head, " ") + "\n")
		line = indent
	}
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > Width {
			out.WriteString(line + "\n")
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return out.String() + strings.TrimRight(line, " ") + "\n"
}
