package emit

import "strings"

// breakJSON cuts the compact text of a schema into lines. What fits on a line
// stays on one; an object that does not is broken in front of its members, save
// for scalar ones, which share lines. A string longer than a line is cut at
// spaces. Joined, the lines are the text again. The first line is shorter by the
// width of what stands before it.
func breakJSON(s string, before, limit int) []string {
	w := &jsonLines{limit: limit, before: before}
	w.value(s)
	w.newline()
	return w.lines
}

type jsonLines struct {
	limit  int
	before int
	lines  []string
	line   strings.Builder
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

// value writes a value that begins on the current line.
func (w *jsonLines) value(s string) {
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
			w.member(m)
		}
		w.write("}")
	case '[':
		w.write("[")
		for i, e := range splitJSON(s) {
			if i > 0 {
				w.write(",")
			}
			if !w.fits(len(e)+1) && len(e) < w.limit {
				w.newline()
			}
			w.value(e)
		}
		w.write("]")
	case '"':
		w.words(s)
	default:
		w.newline()
		w.write(s)
	}
}

// member writes "name":value. The comma that follows it counts.
func (w *jsonLines) member(s string) {
	end := stringEnd(s, 0)
	if end+1 >= len(s) {
		w.write(s)
		return
	}
	value := s[end+1:]
	nested := value[0] == '{' || value[0] == '['
	switch {
	case len(s) >= w.limit:
		if !w.fits(end+2) || value[0] != '{' && w.line.Len() > 1 {
			w.newline()
		}
	case nested && w.line.Len() > 1 || !w.fits(len(s)+1):
		w.newline()
	}
	w.write(s[:end+1])
	w.value(value)
}

// words writes a long string, cut behind spaces.
func (w *jsonLines) words(s string) {
	for len(s) > 0 {
		n := strings.IndexByte(s, ' ') + 1
		if n == 0 {
			n = len(s)
		}
		if !w.fits(n) {
			w.newline()
		}
		w.write(s[:n])
		s = s[n:]
	}
}

// splitJSON cuts the inside of a compact object or array at its commas.
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

// stringEnd is the index behind the string that begins at i.
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
