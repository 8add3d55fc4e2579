package wire

import (
	"bytes"
	"strings"
)

// This file converts a value that is sent in place of a list: to the list itself in lenient mode,
// or to the list to send in a message.

// shownList is the maximum size, in bytes, of a value for which a message shows the list to send.
const shownList = 300

// trial is the outcome of reading a text on trial.
type trial struct {
	valid bool
	// atomic is set if a number, a boolean or an enumeration was expected. Commas between such
	// values can only separate them; in other strings they may be part of the text.
	atomic  bool
	problem Violation // the first one
}

// try reads a text as if it came next, without an effect on d. In lenient mode, where the values
// are usually valid, it formats no messages.
func (d *Decoder) try(text []byte, lenient bool, read func(*Decoder)) (found trial) {
	t := decoders.Get().(*Decoder)
	o := d.opts
	o.Help = Advice()
	if lenient {
		o.Help = Leniency()
	}
	o.MaxProblems, o.Check, o.MaxDepth = 1, false, max(1, o.MaxDepth-d.depth)
	t.Reset(text, o)
	t.compared, t.wrapped, t.atomic, t.silent = d.compared, 1, false, lenient
	read(t)
	err := t.Finish()
	found.valid, found.atomic, d.compared, t.silent = err == nil, t.atomic, t.compared, false
	if wrong, ok := err.(*ArgumentsError); ok {
		found.problem = wrong.Problems[0]
	}
	t.Reset(nil, Options{})
	decoders.Put(t)
	return found
}

// tryList is like try, for an array with such elements.
func (d *Decoder) tryList(text []byte, lenient bool, element func(*Decoder)) trial {
	return d.try(text, lenient, func(t *Decoder) {
		if !t.begin('[', "an array") {
			return
		}
		for first := true; t.next(']', first) && t.element(); first = false {
			element(t)
		}
		if t.err == nil {
			t.leave()
		}
	})
}

// expectsAtom records for a trial that a number, a boolean or an enumeration is expected.
func (d *Decoder) expectsAtom() { d.atomic = d.atomic || d.depth == 0 }

// elementOf returns f for trials, which drop the value.
func elementOf[T any](f func(*Decoder, *T)) func(*Decoder) {
	return func(d *Decoder) {
		var v T
		f(d, &v)
	}
}

// separate reads the next string, in lenient mode, as list elements with commas between them: "a,b"
// for ["a","b"]. It does so and enters the list if the elements are numbers, booleans or values of
// an enumeration, the string is not such a value, and each of its parts is. Otherwise it reads
// nothing, or records a violation for a string that could have been such a list.
func (d *Decoder) separate(element func(*Decoder)) (entered, refused bool) {
	start := d.pos
	text, _ := d.readString()
	end := d.pos
	d.pos = start
	if bytes.IndexByte(text, ',') < 0 || opensJSON(text) || d.depth >= d.opts.MaxDepth || len(d.texts) >= maxTexts {
		return false, false
	}
	list := []byte{'['}
	for part := range bytes.SplitSeq(text, []byte{','}) {
		list = appendElement(list, AppendString(nil, string(trimSpace(part))))
	}
	list = append(list, ']')
	if one := d.try(d.data[start:end], true, element); one.valid || !one.atomic {
		return false, false
	}
	if d.tryList(list, true, element).valid {
		d.pushQuotedJSON(list, end, d.depth)
		return true, false
	}
	d.mismatch("an array")
	d.advise(element)
	return false, true
}

// opensJSON reports whether a text begins like an object or an array.
func opensJSON(text []byte) bool {
	text = trimSpace(text)
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

func trimSpace(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }

// appendElement appends a value to an array that is still open.
func appendElement(list, value []byte) []byte {
	if len(list) > 1 {
		list = append(list, ',')
	}
	return append(list, value...)
}

// advise adds to the violation by a value in place of an array which list to send, or which element
// would be invalid.
func (d *Decoder) advise(element func(*Decoder)) {
	if d.err != nil || d.wrapped == d.mismatched+1 { // an element is invalid, not the list
		return
	}
	raw := d.data[d.mismatched:d.pos]
	if len(raw) > shownList {
		return
	}
	p := &d.problems[len(d.problems)-1]
	list, problem := d.listFor(raw, element)
	switch {
	case list != nil:
		p.Message += "; send " + string(list)
	case problem.Message != "":
		p.Message += "; item " + strings.Trim(problem.Path, "[]") + " " + problem.Message
	}
}

// listFor returns the valid list that a value probably stands for, or nil; problem then describes
// an invalid element of a string.
func (d *Decoder) listFor(raw []byte, element func(*Decoder)) (list []byte, problem Violation) {
	listOf := func(value []byte) []byte { return append(AppendCompact([]byte{'['}, value), ']') }
	one := d.try(raw, false, element)
	if raw[0] != '"' {
		quoted := AppendString(nil, string(raw))
		switch {
		case raw[0] == 'n':
		case one.valid:
			return listOf(raw), problem
		case isDigit(raw[0]) && d.try(quoted, false, element).valid:
			return listOf(quoted), problem
		}
		return nil, problem
	}
	text := []byte(unquoted(raw))
	switch inner := trimSpace(text); {
	case len(inner) == 0:
		return []byte("[]"), problem
	case inner[0] == '[' && d.tryList(inner, false, element).valid:
		return AppendCompact(nil, inner), problem
	case one.valid:
		return listOf(raw), problem
	case inner[0] == '{' && d.try(inner, false, element).valid:
		return listOf(inner), problem
	case !one.atomic:
		return nil, problem
	}
	list = []byte{'['}
	for part := range bytes.SplitSeq(text, []byte{','}) {
		part = trimSpace(part)
		value := AppendString(nil, string(part))
		if len(part) > 0 && part[0] != '"' && part[0] != 'n' && !opensJSON(part) {
			bare := d.try(part, false, element)
			if rule := bare.problem.Rule; bare.valid || rule != "" && rule != RuleType && rule != RuleEnum {
				value = part // a number or a boolean is expected
			}
		}
		list = appendElement(list, value)
	}
	list = append(list, ']')
	if all := d.tryList(list, false, element); !all.valid {
		return nil, all.problem
	}
	return list, problem
}

func isDigit(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

// numberAsText reads a number in place of a string, in lenient mode: 50 for "50". It returns the
// digits as sent.
func (d *Decoder) numberAsText() (text []byte, ok bool) {
	if !d.lenient || d.quoted || !isDigit(d.peek()) {
		return nil, false
	}
	return d.readNumber()
}
