package wire

import "bytes"

// maxTexts limits the nesting of quoted texts.
const maxTexts = 4

// enterQuotedJSON continues inside the next string, if that contains an object or an array, as
// brace tells. Otherwise it reads nothing.
func (d *Decoder) enterQuotedJSON(brace byte) bool {
	text, end := d.opts.Help.inner(d, brace)
	if text == nil {
		return false
	}
	d.pushQuotedJSON(text, end, d.depth)
	return true
}

// acceptBlank drops the violation of the last member if it is optional and its value is the empty
// string: clients that fill in every argument send "" for a missing number, time or enumeration.
// The variable of the value is unchanged, so it keeps its default. A plain string was stored, and
// stays as it is.
func (d *Decoder) acceptBlank(o *Object) {
	if o.optional && len(d.problems) > o.problems && d.pos == o.value+2 && d.pos != d.kept && string(d.data[o.value:d.pos]) == `""` {
		d.problems = d.problems[:o.problems]
	}
}

// wrap reads a string as the only element of a list, and reports whether it is valid. It wraps
// once, since a list may be an element of its own type.
func wrap[T any](d *Decoder, v *T, f func(*Decoder, *T)) bool {
	before := d.problemCount()
	d.wrapped = d.pos + 1
	f(d, v)
	d.wrapped = 0
	d.failed = d.failed || d.err != nil || d.problemCount() != before
	d.list = excerpt{-1, 0, []byte("[]")} // one element is unique
	return !d.failed
}

// wraps reports whether the next string is to be read as an element. If the string contains an
// array, wraps enters it.
func (d *Decoder) wraps() bool {
	if !d.lenient || d.peek() != '"' || d.wrapped == d.pos+1 {
		return false
	}
	return !d.enterQuotedJSON('[') && d.err == nil
}

// innerText returns the object or array that the next string contains, and the end of that string;
// nil for other values. It does not advance, except to the end of the data at a syntax error.
func (d *Decoder) innerText(brace byte) (text []byte, end int) {
	start := d.pos
	text, _ = d.readString()
	if d.err != nil {
		return nil, 0
	}
	end, d.pos = d.pos, start
	// Only a text that is valid as a whole is accepted: a syntax error in it must not become a
	// syntax error of the message around it.
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 || text[0] != brace || d.depth >= d.opts.MaxDepth || len(d.texts) >= maxTexts {
		return nil, 0
	}
	if Valid(text, d.opts.MaxDepth-d.depth) != nil {
		return nil, 0
	}
	return bytes.Clone(text), end
}

// pushQuotedJSON continues inside a quoted text, which ends at end. The inner text ends when the
// nesting returns to depth.
func (d *Decoder) pushQuotedJSON(text []byte, end, depth int) {
	d.texts = append(d.texts, input{d.data, end, d.trail, d.index, d.checkAt, depth})
	d.data, d.pos, d.trail, d.index = text, 0, trail{}, spanIndex{}
	d.wrapped = 0 // an index in the outer text
	if d.checkAt != noCheck {
		d.checkAt = max(0, d.checkAt-end)
	}
}

// leaveQuotedJSON returns to the text around the one that pushQuotedJSON entered.
func (d *Decoder) leaveQuotedJSON() {
	n := len(d.texts) - 1
	t := &d.texts[n]
	if d.checkAt != noCheck {
		d.checkAt = t.pos + max(0, d.checkAt-d.pos)
	}
	d.data, d.pos, d.trail, d.index = t.data, t.pos, t.trail, t.index
	d.texts = d.texts[:n]
}

// Quoted reads a value inside a string, as with the option ",string" of encoding/json: "5" for the
// number 5. Integers must be plain digits there.
func Quoted[T any](d *Decoder, v *T, f func(*Decoder, *T)) {
	d.failed = false
	d.peek()
	start := d.pos
	text, ok := d.quotedText()
	if !ok {
		return
	}
	before := d.problemCount()
	d.pushQuotedJSON(text, d.pos, -1)
	d.quoted = true
	f(d, v)
	d.quoted = false
	if d.err == nil {
		d.leaveQuotedJSON()
	}
	d.failed = d.failed || d.problemCount() != before
	if d.failed {
		d.literal = excerpt{start: start, end: d.pos}
	} else if l := d.literal; l.start >= 0 && l.end <= len(text) {
		d.literal = excerpt{-1, 0, text[l.start:l.end]}
	}
}

// quotedText reads a string that contains a number, a boolean or a string, and returns the inner
// text.
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
