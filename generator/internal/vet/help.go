package vet

import (
	"fmt"
	"io"
	"strings"
)

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}

// WriteHelp writes the table for "mcpgen help vet". Errors of the writer are ignored.
func WriteHelp(w io.Writer) {
	var out strings.Builder
	for _, r := range rules {
		fmt.Fprintf(&out, "%s\n%s%s", r.ID, wrap(r.Finds), wrap(r.Why))
	}
	_, _ = io.WriteString(w, out.String())
}

// WriteMarkdown writes the table as the reference of the docs. Errors of the writer are ignored.
func WriteMarkdown(w io.Writer) {
	var out strings.Builder
	out.WriteString("| rule | finds | why |\n|---|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", r.ID, r.Finds, r.Why)
	}
	_, _ = io.WriteString(w, out.String())
}

// wrap breaks a text into indented lines of 80 columns.
func wrap(text string) string {
	var out strings.Builder
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len("    ")+len(line)+1+len(word) > 80 {
			out.WriteString("    " + line + "\n")
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return out.String() + "    " + line + "\n"
}
