package schema

import (
	"strings"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// inLayout copies the plan of a time.Time, or of pointers to it and lists of it, for a layout of
// package time or a unit of Unix time. It returns nil for other types. A time without an offset is
// local, or in UTC.
func inLayout(t *model.Type, layout string, local bool) *model.Type {
	changed := *t
	switch {
	case t.Kind == model.Time:
		if changed.Layout, changed.Local = layout, local; layout == time.RFC3339 || layout == time.RFC3339Nano {
			changed.Layout = "" // read anyway
		}
		return &changed
	case t.Elem == nil || t.Name != "":
		return nil
	}
	if changed.Elem = inLayout(t.Elem, layout, local); changed.Elem == nil {
		return nil
	}
	return &changed
}

// timeForm describes the form of a time in a schema, and returns the description.
func timeForm(s *jsonschema.Schema, t *model.Type, desc string) string {
	switch {
	case t.Layout == "":
		s.Format = "date-time"
	case t.Layout == time.DateOnly:
		s.Format = "date"
	case t.UnixUnit() > 0:
		unit := map[int64]string{1e9: "seconds", 1e6: "milliseconds", 1e3: "microseconds", 1: "nanoseconds"}[t.UnixUnit()]
		return withUnit(desc, "since 1970", "In "+unit+" since 1970.")
	default:
		s.Pattern = layoutPattern(t.Layout)
		return withUnit(desc, t.Layout, "A time such as \""+t.Layout+"\".")
	}
	return desc
}

// layoutElements are the elements of a layout that a pattern can express, by their text.
var layoutElements = []struct{ text, pattern string }{
	{"2006", `[0-9]{4}`}, {"01", `(0[1-9]|1[0-2])`}, {"02", `(0[1-9]|[12][0-9]|3[01])`},
	{"15", `([01][0-9]|2[0-3])`}, {"04", `[0-5][0-9]`}, {"05", `[0-5][0-9]`},
}

// layoutPattern returns the pattern of times in a layout, or "" if it contains names or elements of
// varying length.
func layoutPattern(layout string) string {
	var b strings.Builder
	b.WriteByte('^')
next:
	for layout != "" {
		for _, e := range layoutElements {
			if rest, ok := strings.CutPrefix(layout, e.text); ok {
				b.WriteString(e.pattern)
				layout = rest
				continue next
			}
		}
		if !strings.ContainsRune(" -/:T", rune(layout[0])) {
			return ""
		}
		b.WriteString(literalPattern(layout[:1]))
		layout = layout[1:]
	}
	return b.String() + "$"
}
