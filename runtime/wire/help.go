package wire

import (
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/suggest"
)

// Help is what a [Decoder] does for a sender whose value is not as expected: nothing beyond the
// violations if it is nil, or as [Advice] or [Leniency]. It is an interface, so that a program
// whose decoders have no help, such as a client, does not link any.
type Help interface {
	// lenient reports whether values of other types are converted.
	lenient() bool
	// nearest returns the index of the candidate that a word probably means, or -1.
	nearest(d *Decoder, word string, n int, candidate func(int) string) int
	// known returns what the message for an unknown name adds: the names that exist. meant is the
	// index of the one that was probably meant, or -1.
	known(d *Decoder, thing, name string, fields Fields) (text string, meant int)
	// list adds to the violation by a value in place of an array which list to send, or which
	// element would be invalid.
	list(d *Decoder, element func(*Decoder))
	// inner returns the object or array that the next string contains, and the end of that string;
	// nil for other values. It does not advance, except to the end of the data at a syntax error.
	inner(d *Decoder, brace byte) (text []byte, end int)
	// separate enters the next string as a list of elements with commas between them. See
	// [Decoder.separate].
	separate(d *Decoder, element func(*Decoder)) (entered, refused bool)
}

// Advice returns the help that adds to messages: the name or value that was probably meant, the
// names that exist, and the list to send in place of one value.
func Advice() Help { return adviser{} }

// Leniency returns the help that gives advice and also converts. It accepts a string that contains
// the JSON of a number, a boolean, an array or an object where such a value is expected; a string
// with commas for an array of its parts, if the parts are numbers, booleans or values of an
// enumeration; any other string for an array with that one element; a number for a string that is
// not a time, a duration or base64; and an empty string for an optional member that is not a plain
// string, an object or an array of fixed length, which then counts as missing.
func Leniency() Help { return converter{} }

type adviser struct{}

func (adviser) lenient() bool { return false }

// mostCompared limits the candidates that nearest compares for all words of one Decoder together.
const mostCompared = 2000

func (adviser) nearest(d *Decoder, word string, n int, candidate func(int) string) int {
	if len(word) > suggest.Longest || d.compared+n > mostCompared {
		return -1
	}
	d.compared += n
	return suggest.Nearest(word, n, candidate)
}

func (a adviser) known(d *Decoder, thing, name string, fields Fields) (text string, meant int) {
	if len(fields) == 0 {
		return "; there are no " + thing + "s", -1
	}
	var b strings.Builder
	meant = a.nearest(d, name, len(fields), func(i int) string { return fields[i].name() })
	if meant >= 0 {
		b.WriteString("; did you mean " + quote(fields[meant].name()) + "? Known: ")
	} else {
		b.WriteString(". Known: ")
	}
	for i := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == shownNames {
			b.WriteString("and " + strconv.Itoa(len(fields)-i) + " more")
			break
		}
		b.WriteString(fields[i].name())
	}
	return b.String(), meant
}

func (adviser) list(d *Decoder, element func(*Decoder)) { d.advise(element) }

func (adviser) inner(*Decoder, byte) (text []byte, end int) { return nil, 0 }

func (adviser) separate(*Decoder, func(*Decoder)) (entered, refused bool) { return false, false }

type converter struct{ adviser }

func (converter) lenient() bool { return true }

func (converter) inner(d *Decoder, brace byte) (text []byte, end int) { return d.innerText(brace) }

func (converter) separate(d *Decoder, element func(*Decoder)) (entered, refused bool) {
	return d.separate(element)
}

// nearest returns the index of the candidate that a word probably means, or -1 if it resembles none
// or d has no help.
func (d *Decoder) nearest(word string, n int, candidate func(int) string) int {
	if d.opts.Help == nil {
		return -1
	}
	return d.opts.Help.nearest(d, word, n, candidate)
}

// unknownName returns the message for an unknown name, and the index of the field that was probably
// meant, or -1.
func (d *Decoder) unknownName(thing, name string, fields Fields) (message string, meant int) {
	message = "unknown " + thing
	if d.opts.Help == nil {
		return message, -1
	}
	known, meant := d.opts.Help.known(d, thing, name, fields)
	return message + known, meant
}
