package wire

import "strconv"

// trail is the path of a position in JSON text. Only messages compute it, by reading the text up to
// the position, so that paths cost nothing without errors. Later searches continue earlier ones.
type trail struct {
	pos   int // the text before it has been read
	steps []step
}

// step is one level of a trail: the member of an object or the element of an array.
type step struct {
	name  []byte // member name with its quotes, nil before it has come
	index int    // of the element, -1 in an object
}

// follow advances to the end of text, the start of a JSON value that extends the text of earlier
// calls. The position is directly before or after a value.
func (t *trail) follow(text []byte) {
	if len(text) < t.pos {
		*t = trail{steps: t.steps[:0]}
	}
	i := t.pos
	for i < len(text) {
		top := len(t.steps) - 1
		switch text[i] {
		case '{':
			t.steps = append(t.steps, step{index: -1})
		case '[':
			t.steps = append(t.steps, step{})
		case '}', ']':
			t.steps = t.steps[:top]
		case ',':
			if s := &t.steps[top]; s.index >= 0 {
				s.index++
			} else {
				s.name = nil
			}
		case '"':
			end := stringEnd(text, i)
			if end < 0 {
				end = len(text) // an error inside the string
			} else if top >= 0 && t.steps[top].index < 0 && t.steps[top].name == nil {
				t.steps[top].name = text[i:end]
			}
			i = end
			continue
		}
		i++
	}
	t.pos = i
}

// appendTo appends the path in the format of [Violation.Path].
func (t *trail) appendTo(b []byte) []byte {
	for _, s := range t.steps {
		switch {
		case s.index >= 0:
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.index), 10)
			b = append(b, ']')
		case s.name != nil:
			var d Decoder
			d.Reset(s.name, Options{})
			name, _ := d.readString()
			b = appendPathName(b, string(name))
		}
	}
	return b
}

// path renders the path of the value being read.
func (d *Decoder) path() string {
	var b []byte
	for i := range d.texts {
		t := &d.texts[i]
		t.trail.follow(t.data[:t.pos])
		b = t.trail.appendTo(b)
	}
	d.trail.follow(d.data[:d.pos])
	return string(d.trail.appendTo(b))
}

// openPath returns the path of the value to be written next after text, which is unfinished JSON.
func openPath(text []byte) string {
	var t trail
	t.follow(text)
	if n := len(t.steps); n > 0 && t.steps[n-1].index >= 0 {
		// The comma before an element is written with the element.
		if c := text[len(text)-1]; c != '[' && c != ',' {
			t.steps[n-1].index++
		}
	}
	if n := len(t.steps); n > shownSteps {
		inner := trail{steps: t.steps[n-shownSteps/2:]}
		t.steps = t.steps[:shownSteps/2]
		return string(t.appendTo(nil)) + "…" + string(inner.appendTo(nil))
	}
	return string(t.appendTo(nil))
}

// shownSteps limits the levels of the path in an EncodeError.
const shownSteps = 20

// appendPathName appends a member's name to a path.
func appendPathName(b []byte, name string) []byte {
	if !plainName(name) {
		short, _ := shorten(name)
		b = append(b, '[')
		b = AppendString(b, short)
		return append(b, ']')
	}
	if len(b) > 0 {
		b = append(b, '.')
	}
	return append(b, name...)
}

// plainName reports whether a path shows a name without quotes.
func plainName(s string) bool {
	if s == "" || len(s) > shownText {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '$':
		default:
			return false
		}
	}
	return true
}
