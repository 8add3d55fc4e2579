package directive

import (
	"fmt"
	"io"
	"strings"

	"github.com/mcpgen/mcpgen/internal/columns"
)

// keyWidth is the maximum width of the column of keys; a longer key is printed on a separate line.
const keyWidth = 24

// WriteHelp writes the table for "mcpgen help directives". Errors of the writer are ignored.
func WriteHelp(w io.Writer) {
	var out strings.Builder
	out.WriteString(`Directives are comments //mcp:word, without a space after the slashes, in the
doc comment of a declaration. Their arguments are words, key=word,
key="Go string", key=` + "`raw string`" + ` and flags, which key=false turns off. A
comment that begins with mcp: in any other form is an error.
`)
	for _, s := range table() {
		fmt.Fprintf(&out, "\n%s%s\n", s.heading(), unbuilt(s.Built))
		out.WriteString(columns.Row("", 4, s.Help))
		if s.Note != "" {
			out.WriteString(columns.Row("", 4, s.Note))
		}
		out.WriteString(columns.Row("    applies to:", 16, s.targets()))
		if example := "    example:    " + s.Example; len(example) <= columns.Width {
			out.WriteString(example + "\n")
		} else {
			out.WriteString("    example:\n      " + s.Example + "\n")
		}
		width := 0
		for _, k := range s.Keys {
			width = max(width, min(len(k.form()), keyWidth))
		}
		for _, k := range s.Keys {
			out.WriteString(columns.Row("      "+k.form(), 6+width+2, k.Help+unbuilt(k.Built || !s.Built)))
		}
	}
	_, _ = io.WriteString(w, out.String())
}

func (s *Spec) heading() string {
	if s.Synopsis == "" {
		return "//mcp:" + s.Word
	}
	return "//mcp:" + s.Word + " " + s.Synopsis
}

// form returns a key as a user writes it.
func (k *Key) form() string {
	switch k.Kind {
	case KindFlag:
		return k.Name
	case KindFlagOrNames:
		return k.Name + "[=" + k.Example + "]"
	case KindWord:
		return k.Name + "=" + strings.Join(k.Values, "|")
	}
	return k.Name + "=" + k.Example
}

func unbuilt(built bool) string {
	if built {
		return ""
	}
	return " (not built yet)"
}

// sentence returns s with a capital letter at the beginning.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
