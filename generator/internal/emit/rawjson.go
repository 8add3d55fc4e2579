package emit

import "strings"

// breakJSON cuts a schema's compact text into lines. A value that fits on a line stays on one. If
// the properties of an object do not, each begins on a separate line; other members share lines. A
// string longer than a line is cut behind words. Joined, the lines are the text again. The first
// line is shorter by the width of the code before it.
func breakJSON(s string, before, limit int) []string {
	w := &jsonLines{limit: limit, before: before}
	w.value(s, false)
	w.newline()
	return w.lines
}

type jsonLines struct {
	limit  int
	before int
	lines  []string
	line   strings.Builder
	broken bool // the preceding object was broken over lines
}

func (w *jsonLines) newline() {
	if w.line.Len() > 0 {
		w.lines = append(w.lines, w.line.String())
		w.line.Reset()
	}
}

func (w *jsonLines) write(s string) { w.line.WriteString(s) }

func (w *jsonLines) fits(n int) bool {
	n += w.line.Len()
	if len(w.lines) == 0 {
		n += w.before
	}
	return n <= w.limit
}

// value writes a value that begins on the current line. The members of a map are properties; the
// members of other objects are keywords of a schema.
func (w *jsonLines) value(s string, isMap bool) {
	if w.fits(len(s)) || s == "" {
		w.write(s)
		return
	}
	switch s[0] {
	case '{':
		w.write("{")
		for i, m := range splitJSON(s) {
			if i > 0 {
				w.write(",")
			}
			if isMap || w.broken {
				w.newline()
			}
			w.broken = false
			w.member(m)
		}
		w.write("}")
		w.broken = true
	case '[':
		w.write("[")
		for i, e := range splitJSON(s) {
			if i > 0 {
				w.write(",")
			}
			if !w.fits(len(e)+1) && len(e) < w.limit {
				w.newline()
			}
			w.value(e, false)
		}
		w.write("]")
	case '"':
		w.words(s)
	default:
		w.newline()
		w.write(s)
	}
}

// member writes "name":value. The comma behind it counts.
func (w *jsonLines) member(s string) {
	end := stringEnd(s, 0)
	if end+1 >= len(s) {
		w.write(s)
		return
	}
	value := s[end+1:]
	long := len(s) >= w.limit // it does not fit on any line
	if !w.fits(len(s)+1) && (!long || !w.fits(end+len(`:{`)+1)) {
		w.newline()
	}
	w.write(s[:end+1])
	w.value(value, s[:end] == `"properties"` || s[:end] == `"$defs"`)
}

// words writes a long string, cut behind spaces and line breaks.
func (w *jsonLines) words(s string) {
	for len(s) > 0 {
		n := len(s)
		for _, mark := range []string{" ", `\n`} {
			if i := strings.Index(s, mark); i >= 0 {
				n = min(n, i+len(mark))
			}
		}
		if !w.fits(n) {
			w.newline()
		}
		w.write(s[:n])
		s = s[n:]
	}
}

// splitJSON cuts the content of a compact object or array at its commas.
func splitJSON(s string) []string {
	s = s[1 : len(s)-1]
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			i = stringEnd(s, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// stringEnd returns the index behind the string that begins at i.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
