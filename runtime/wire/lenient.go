package wire

import "bytes"

// maxTexts is how many texts may lie inside one another. Each is read for itself,
// and grows little by the quotes of the next one around it.
const maxTexts = 4

// enterText goes on reading inside the string that comes next, if that is the
// text of an object or an array, whichever the brace opens. Otherwise it has read
// nothing.
func (d *Decoder) enterText(brace byte) bool {
	start := d.pos
	text, _ := d.readString()
	if d.err != nil {
		return false
	}
	end := d.pos
	d.pos = start
	// Only text that is right as a whole is taken: a syntax error in it is no
	// error of the message around it.
	inner := bytes.TrimLeft(text, " \t\r\n")
	if len(inner) == 0 || inner[0] != brace || d.depth >= d.opts.MaxDepth || len(d.texts) >= maxTexts {
		return false
	}
	if Valid(inner, d.opts.MaxDepth-d.depth) != nil {
		return false
	}
	d.readText(bytes.Clone(inner), end, d.depth)
	return true
}

// readText goes on reading inside a string of the text, which ends at end. The
// text inside is over when it has come back to a depth.
func (d *Decoder) readText(text []byte, end, depth int) {
	d.texts = append(d.texts, input{d.data, end, d.trail, d.index, d.checkAt, depth})
	d.data, d.pos, d.trail, d.index = text, 0, trail{}, spanIndex{}
	if d.checkAt != noCheck {
		d.checkAt = max(0, d.checkAt-end)
	}
}

// leaveText goes back to the text around the one that readText went into.
func (d *Decoder) leaveText() {
	n := len(d.texts) - 1
	t := &d.texts[n]
	if d.checkAt != noCheck {
		d.checkAt = t.pos + max(0, d.checkAt-d.pos)
	}
	d.data, d.pos, d.trail, d.index = t.data, t.pos, t.trail, t.index
	d.texts = d.texts[:n]
}

// Quoted reads a value inside a string, as the option ",string" of encoding/json
// has it: "5" for the number 5. Integers must be plain digits there.
func Quoted[T any](d *Decoder, v *T, f func(*Decoder, *T)) {
	d.failed = false
	d.peek()
	start := d.pos
	text, ok := d.quotedText()
	if !ok {
		return
	}
	before := d.trouble()
	d.readText(text, d.pos, -1)
	d.quoted = true
	f(d, v)
	d.quoted = false
	if d.err == nil {
		d.leaveText()
	}
	d.failed = d.failed || d.trouble() != before
	if d.failed {
		d.literal = excerpt{start: start, end: d.pos}
	} else if l := d.literal; l.start >= 0 && l.end <= len(text) {
		d.literal = excerpt{-1, 0, text[l.start:l.end]}
	}
}

// quotedText reads a string that holds the text of a number, a boolean or a
// string, and returns that text.
func (d *Decoder) quotedText() ([]byte, bool) {
	const want = `a value in quotes, such as "5" or "true"`
	text, _, ok := d.stringBytes(want)
	if !ok {
		return nil, false
	}
	if len(text) > 0 && !isSpace(text[0]) && !isSpace(text[len(text)-1]) &&
		text[0] != '{' && text[0] != '[' && text[0] != 'n' && Valid(text, 1) == nil {
		return bytes.Clone(text), true
	}
	d.violate(RuleFormat, "must be "+want+", got "+quote(string(text)))
	return nil, false
}
