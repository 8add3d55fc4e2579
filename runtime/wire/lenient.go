package wire

import "bytes"

// enterText goes on reading inside the string that comes next, if that is the
// text of an object or an array, whichever the brace opens. It returns what
// leaveText goes back to, or nil where it has read nothing.
func (d *Decoder) enterText(brace byte) *input {
	start := d.pos
	text, _ := d.readString()
	if d.err != nil {
		return nil
	}
	outer := &input{d.data, d.pos, d.text}
	d.pos = start
	// Only text that is right as a whole is taken: a syntax error in it is no
	// error of the message around it.
	inner := bytes.TrimLeft(text, " \t\r\n")
	if len(inner) == 0 || inner[0] != brace || d.depth >= d.opts.MaxDepth {
		return nil
	}
	if Valid(inner, d.opts.MaxDepth-d.depth) != nil {
		return nil
	}
	d.data, d.pos, d.text = bytes.Clone(inner), 0, ""
	return outer
}

// leaveText goes back to the text around the one that enterText went into.
func (d *Decoder) leaveText(outer *input) {
	d.data, d.pos, d.text = outer.data, outer.pos, outer.text
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
	outer := input{d.data, d.pos, d.text}
	before := d.trouble()
	d.data, d.pos, d.text, d.quoted = text, 0, "", true
	f(d, v)
	d.quoted = false
	d.leaveText(&outer)
	d.failed = d.failed || d.trouble() != before
	if d.failed {
		d.literal = d.data[start:d.pos]
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
