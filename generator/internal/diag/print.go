package diag

import (
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/internal/visible"
)

// maxPrinted limits the diagnostics that Print writes: longer lists are not read.
const maxPrinted = 50

// Print writes the list for people, one diagnostic after the other:
//
//	store.go:41:2: tool Search: argument filter: type chan int cannot be expressed in JSON
//		hint: leave it out of the signature
//
// File names are relative to the directory relTo where that is shorter; "" for relTo leaves them
// unchanged. After 50 diagnostics Print writes only the number of the others; errors come before
// warnings. Characters that a terminal would not show, or would interpret, are written as escapes:
// file names and values are not trusted. Write errors are ignored, as they cannot be reported
// anywhere.
func Print(w io.Writer, l *List, relTo string) {
	var out strings.Builder
	names := relative{dir: relTo}
	shown, more := bounded(l.All())
	for _, d := range shown {
		if at := names.place(d.Pos); at != "" {
			fmt.Fprintf(&out, "%s: ", at)
		}
		if d.Severity != Error {
			out.WriteString(d.Severity.String() + ": ")
		}
		out.WriteString(indented(d.Text(), "\t"))
		if d.Rule != "" {
			fmt.Fprintf(&out, " [%s]", d.Rule)
		}
		out.WriteByte('\n')
		for _, r := range d.Related {
			out.WriteByte('\t')
			if at := names.place(r.Pos); at != "" {
				fmt.Fprintf(&out, "%s: ", at)
			}
			fmt.Fprintf(&out, "%s\n", indented(r.Message, "\t\t"))
		}
		if d.Hint != "" {
			fmt.Fprintf(&out, "\thint: %s\n", indented(d.Hint, "\t      "))
		}
	}
	if more > 0 {
		fmt.Fprintf(&out, "and %d more\n", more)
	}
	_, _ = io.WriteString(w, visible.Escape(out.String()))
}

// bounded returns the diagnostics to show, in order, and the number of the others.
func bounded(all []*Diagnostic) (shown []*Diagnostic, more int) {
	if len(all) <= maxPrinted {
		return all, 0
	}
	errors := 0
	for _, d := range all {
		if d.Severity == Error {
			errors++
		}
	}
	warnings := max(0, maxPrinted-errors)
	for _, d := range all {
		if d.Severity == Warning {
			if warnings == 0 {
				continue
			}
			warnings--
		}
		if len(shown) < maxPrinted {
			shown = append(shown, d)
		}
	}
	return shown, len(all) - len(shown)
}

// indented indents the lines of a text, so that it is recognisable as one diagnostic.
func indented(s, prefix string) string {
	s = strings.ReplaceAll(strings.TrimRight(s, "\r\n\t "), "\r\n", "\n")
	return strings.ReplaceAll(s, "\n", "\n"+prefix)
}

type jsonPlace struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

type jsonDiagnostic struct {
	File     string      `json:"file,omitempty"`
	Line     int         `json:"line,omitempty"`
	Column   int         `json:"column,omitempty"`
	Severity string      `json:"severity"`
	Rule     string      `json:"rule,omitempty"`
	Message  string      `json:"message"`
	Hint     string      `json:"hint,omitempty"`
	Related  []jsonPlace `json:"related,omitempty"`
}

// PrintJSON writes the list for programs: one JSON object a line, with file, line, column, severity
// ("error" or "warning"), rule, message, hint and related, without empty members. All diagnostics
// are written.
func PrintJSON(w io.Writer, l *List, relTo string) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	names := relative{dir: relTo}
	for _, d := range l.All() {
		j := jsonDiagnostic{
			File: names.file(d.Pos.Filename), Line: d.Pos.Line, Column: d.Pos.Column,
			Severity: d.Severity.String(), Rule: d.Rule, Message: d.Text(), Hint: d.Hint,
		}
		for _, r := range d.Related {
			j.Related = append(j.Related, jsonPlace{names.file(r.Pos.Filename), r.Pos.Line, r.Pos.Column, r.Message})
		}
		_ = enc.Encode(j) // strings and numbers cannot fail
	}
	_, _ = io.WriteString(w, visible.Escape(out.String()))
}

// relative shortens file names against a directory.
type relative struct {
	dir  string
	real string // dir without symbolic links, resolved on first use
}

// place returns "file:line:col", without the parts that are unknown.
func (r *relative) place(p token.Position) string {
	name := r.file(p.Filename)
	switch {
	case name == "" || p.Line == 0:
		return name
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", name, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column)
}

func (r *relative) file(name string) string {
	if name == "" || r.dir == "" || !filepath.IsAbs(name) {
		return name
	}
	rel, err := filepath.Rel(r.dir, name)
	if err != nil {
		return name
	}
	if filepath.IsLocal(rel) {
		return rel
	}
	// One directory may have two spellings, one through a symbolic link.
	if r.real == "" {
		r.real = r.dir
		if real, err := filepath.EvalSymlinks(r.dir); err == nil {
			r.real = real
		}
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		real, err := filepath.Rel(r.real, filepath.Join(dir, filepath.Base(name)))
		if err == nil && filepath.IsLocal(real) {
			return real
		}
	}
	if len(rel) < len(name) {
		return rel
	}
	return name
}
