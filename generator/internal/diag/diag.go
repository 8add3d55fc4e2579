// Package diag contains the messages about a user's source: errors and warnings with a position,
// the problem, and a hint how to fix it.
//
// Diagnostics are collected in a [List] during a run, so that all of them are reported at once, and
// are printed by [Print] for people or by [PrintJSON] for programs. Their order does not depend on
// the order in which they were found.
package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
)

// Severity is the effect of a diagnostic on the run.
type Severity int

const (
	// Error: nothing is written.
	Error Severity = iota
	// Warning: the run continues.
	Warning
	// Note explains a decision where nothing is wrong. Only mcpgen list -v prints it.
	Note
)

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	switch s {
	case Warning:
		return "warning"
	case Note:
		return "note"
	}
	return "error"
}

// Related is a second place that belongs to a diagnostic: the other half of a conflict, or the
// compiler's error that explains it.
type Related struct {
	Pos     token.Position // zero without a place
	Message string
}

// Diagnostic is one finding.
type Diagnostic struct {
	Pos      token.Position // zero if the diagnostic is not about a file; Line is 0 if it is about a whole file
	Severity Severity
	Subject  string // the feature or its part, such as "tool Search: argument filter"; may be empty
	Message  string // the problem, in lower case, without a full stop
	Hint     string // how to fix it; may be empty
	Rule     string // the rule of mcpgen vet, by which the finding can be ignored; may be empty
	Related  []Related
	// Member is the struct field that a warning is about; may be empty. The warning is dropped if
	// the field is not published.
	Member string
}

// Text returns subject and message as they are printed.
func (d *Diagnostic) Text() string {
	if d.Subject == "" {
		return d.Message
	}
	return d.Subject + ": " + d.Message
}

// List collects diagnostics. Notes are kept apart: only the list that WithNotes returns contains
// them. The zero value is an empty list. It is not safe for concurrent use.
type List struct {
	all   []*Diagnostic
	notes []*Diagnostic
}

// Add appends a diagnostic, which the list keeps.
func (l *List) Add(d *Diagnostic) {
	if d.Severity == Note {
		l.notes = append(l.notes, d)
		return
	}
	l.all = append(l.all, d)
}

// WithNotes returns a list that includes the notes.
func (l *List) WithNotes() *List { return &List{all: slices.Concat(l.all, l.notes)} }

// Append adds all diagnostics and notes of other, which may be nil.
func (l *List) Append(other *List) {
	if other != nil {
		l.all = append(l.all, other.all...)
		l.notes = append(l.notes, other.notes...)
	}
}

// Errorf adds an error and returns it, so that a hint or related places can be set.
func (l *List) Errorf(pos token.Position, subject, format string, args ...any) *Diagnostic {
	return l.addf(Error, pos, subject, format, args)
}

// Warnf adds a warning and returns it, so that a hint or related places can be set.
func (l *List) Warnf(pos token.Position, subject, format string, args ...any) *Diagnostic {
	return l.addf(Warning, pos, subject, format, args)
}

func (l *List) addf(s Severity, pos token.Position, subject, format string, args []any) *Diagnostic {
	d := &Diagnostic{Pos: pos, Severity: s, Subject: subject, Message: fmt.Sprintf(format, args...)}
	l.Add(d)
	return d
}

// Drop removes the diagnostics for which a function returns true.
func (l *List) Drop(is func(*Diagnostic) bool) {
	l.all, l.notes = slices.DeleteFunc(l.all, is), slices.DeleteFunc(l.notes, is)
}

// HasErrors reports whether the list contains more than warnings.
func (l *List) HasErrors() bool {
	return slices.ContainsFunc(l.all, func(d *Diagnostic) bool { return d.Severity == Error })
}

// Len returns the number of diagnostics, equal ones counted once.
func (l *List) Len() int { return len(l.All()) }

// All returns the diagnostics in order of file, line, column and text, equal ones once. The slice
// is the caller's, the diagnostics are the list's.
func (l *List) All() []*Diagnostic {
	sorted := slices.Clone(l.all)
	slices.SortStableFunc(sorted, compare)
	return slices.CompactFunc(sorted, func(a, b *Diagnostic) bool { return compare(a, b) == 0 })
}

// Sort puts the list itself into the order of All and drops equal ones.
func (l *List) Sort() { l.all = l.All() }

// compare orders by everything that is printed, so that it returns 0 for equal diagnostics.
func compare(a, b *Diagnostic) int {
	return cmp.Or(
		comparePos(a.Pos, b.Pos),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Subject, b.Subject),
		cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.Hint, b.Hint),
		cmp.Compare(a.Rule, b.Rule),
		slices.CompareFunc(a.Related, b.Related, func(x, y Related) int {
			return cmp.Or(comparePos(x.Pos, y.Pos), cmp.Compare(x.Message, y.Message))
		}),
	)
}

// comparePos leaves out the byte offset, which is not printed and differs between a position that
// came as text and one that came from a file set.
func comparePos(a, b token.Position) int {
	return cmp.Or(
		cmp.Compare(a.Filename, b.Filename),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
	)
}

// Relate adds a second place and returns d.
func (d *Diagnostic) Relate(pos token.Position, message string) *Diagnostic {
	d.Related = append(d.Related, Related{Pos: pos, Message: message})
	return d
}
