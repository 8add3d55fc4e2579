package wire

import (
	"strconv"
	"sync"
	"unicode/utf8"
)

// Skip reads a value of any kind, as strictly as any other, and drops it.
func (d *Decoder) Skip() {
	d.failed = false
	d.peek()
	d.skip()
}

// skip skips the value to be read next, after any white space.
func (d *Decoder) skip() {
	switch c := d.peek(); c {
	case '"':
		d.readString()
	case '{':
		d.skipObject()
	case '[':
		d.skipArray()
	case 't':
		d.readWord("true")
	case 'f':
		d.readWord("false")
	case 'n':
		d.readWord("null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			d.readNumber()
		} else {
			d.unexpected("a value")
		}
	}
}

func (d *Decoder) skipArray() {
	if !d.enter() {
		return
	}
	for first := true; d.next(']', first); first = false {
		d.skip()
	}
	d.depth--
}

// next reads the text in front of an element: nothing or a comma. It returns false after the
// closing bracket, and after a syntax error.
func (d *Decoder) next(closing byte, first bool) bool {
	if d.pos >= d.checkAt {
		d.check()
	}
	switch c := d.peek(); {
	case c == closing:
		d.pos++
		return false
	case c == ',' && !first:
		d.pos++
		return true
	case d.err != nil:
		return false
	case first:
		return true
	}
	d.unexpected("a comma or a closing bracket")
	return false
}

func (d *Decoder) skipObject() {
	if !d.enter() {
		return
	}
	base := d.keys.len()
	for first := true; d.next('}', first); first = false {
		d.peek()
		start := d.pos
		key := d.readKey()
		if !d.keepName(base, start, key) {
			return
		}
		if d.colon() == 0 {
			return
		}
		d.skip()
	}
	if d.err == nil {
		d.keys.truncate(base)
		d.depth--
	}
}

// keepName keeps the name of a member that is skipped, which began at start, until its object ends.
// It returns false at a duplicate name, and at one name too many; both end the reading.
func (d *Decoder) keepName(base, start int, key []byte) bool {
	if most := d.opts.MaxNames; most > 0 && d.keys.len() >= most {
		d.Stop(ErrElements)
		return false
	}
	if !d.keys.add(base, key) {
		d.pos = start
		d.duplicate(string(key))
		return false
	}
	return true
}

// readKey reads a member name into bytes that are valid as long as the data; nil at a syntax error.
func (d *Decoder) readKey() []byte {
	if d.peek() != '"' {
		d.unexpected("a member name in quotes")
		return nil
	}
	key, escaped := d.readString()
	if escaped {
		key = append([]byte(nil), key...)
	}
	return key
}

// unexpected stops the reading at the next byte, which is not allowed there.
func (d *Decoder) unexpected(want string) {
	d.syntaxError("unexpected " + d.sample() + ", want " + want)
}

// sample names the next byte or character for a message.
func (d *Decoder) sample() string {
	if d.pos >= len(d.data) {
		return "end of the text"
	}
	r, size := utf8.DecodeRune(d.data[d.pos:])
	if r == utf8.RuneError && size == 1 {
		return "byte " + hexByte(d.data[d.pos])
	}
	if r == '\uFEFF' {
		return "byte order mark"
	}
	return "character " + strconv.QuoteRune(r)
}

// decoders serve functions that are called without a decoder.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// Valid returns nil if data is exactly one strict JSON value that nests at most maxDepth levels, or
// else a *[SyntaxError]; maxDepth 0 means DefaultMaxDepth.
func Valid(data []byte, maxDepth int) error {
	d := decoders.Get().(*Decoder)
	d.Reset(data, Options{MaxDepth: maxDepth})
	d.Skip()
	err := d.Finish()
	decoders.Put(d)
	return err
}

// Span finds the JSON value that comes next in data from i on, by counting brackets and without
// checking anything else. The value is data[start:end]; ok is false if the data ends before the
// value does, or if no value begins. Use it only for text that is also read strictly, before or
// afterwards.
func Span(data []byte, i int) (start, end int, ok bool) {
	for i < len(data) && isSpace(data[i]) {
		i++
	}
	start = i
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			if i = stringEnd(data, i); i < 0 {
				return start, len(data), false
			}
			if depth == 0 {
				return start, i, true
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth < 0 {
				return start, i, i > start
			}
			if depth == 0 {
				return start, i + 1, true
			}
		case ',', ':', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return start, i, i > start
			}
		}
		i++
	}
	return start, i, depth == 0 && i > start
}

// stringEnd returns the index after the string that begins at i, or -1 if it does not end.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// AppendCompact appends a JSON value without the white space around its parts, so that it has no
// line breaks. The value must be valid.
func AppendCompact(b, value []byte) []byte {
	from := 0
	for i := 0; i < len(value); {
		switch c := value[i]; {
		case c == '"':
			if i = stringEnd(value, i); i < 0 {
				i = len(value)
			}
		case isSpace(c):
			b = append(b, value[from:i]...)
			for i < len(value) && isSpace(value[i]) {
				i++
			}
			from = i
		default:
			i++
		}
	}
	return append(b, value[from:]...)
}

// compactLen returns the number of bytes that AppendCompact appends.
func compactLen(value []byte) int {
	n := len(value)
	for i := 0; i < len(value); {
		switch c := value[i]; {
		case c == '"':
			if i = stringEnd(value, i); i < 0 {
				return n
			}
		case isSpace(c):
			n--
			fallthrough
		default:
			i++
		}
	}
	return n
}

// Compact checks a value like Valid and appends it like AppendCompact.
func Compact(b, value []byte, maxDepth int) ([]byte, error) {
	if err := Valid(value, maxDepth); err != nil {
		return b, err
	}
	return AppendCompact(b, value), nil
}
