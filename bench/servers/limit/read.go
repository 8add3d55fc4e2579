package limit

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// reader reads strict JSON: no duplicate keys at any level, valid UTF-8, no lone
// surrogates, at most 512 levels. After the first error its position is the end.
type reader struct {
	data  []byte
	pos   int
	depth int
	err   string
	tmp   []byte // of strings with escapes
}

const maxDepth = 512

func (r *reader) fail(what string) {
	if r.err == "" {
		r.err = what + " at byte " + strconv.Itoa(r.pos)
	}
	r.pos = len(r.data)
}

func (r *reader) peek() byte {
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		if c > ' ' || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
		r.pos++
	}
	return 0
}

func (r *reader) take(c byte, what string) {
	if r.peek() != c {
		r.fail("expected " + what)
		return
	}
	r.pos++
}

// open reads the brace or bracket that opens an object or array.
func (r *reader) open(brace byte, what string) bool {
	if r.peek() != brace {
		r.fail("expected " + what)
		return false
	}
	if r.depth++; r.depth > maxDepth {
		r.fail("nested too deep")
		return false
	}
	r.pos++
	return true
}

// next reports whether there is one more member or element.
func (r *reader) next(first *bool, closing byte) bool {
	switch c := r.peek(); {
	case r.err != "":
		return false
	case c == closing:
		r.pos++
		r.depth--
		return false
	case *first:
		*first = false
		return true
	case c == ',':
		r.pos++
		return true
	}
	r.fail("expected a comma or the end")
	return false
}

// key reads a name and the colon.
func (r *reader) key() []byte {
	if r.peek() != '"' {
		r.fail("expected a name")
		return nil
	}
	k := r.str()
	if r.pos < len(r.data) && r.data[r.pos] == ':' {
		r.pos++
		return k
	}
	r.take(':', "a colon")
	return k
}

// special finds the bytes of a string that are not plain ASCII, eight at a time.
func special(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := x^ones*'"', x^ones*'\\'
	return (x | (x - ones*' ') | (quote - ones) | (slash - ones)) & tops
}

func plainEnd(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		if m := special(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(data); i++ {
		if c := data[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

// str reads a string, the quote of which has been seen. The bytes hold until the
// next string with escapes.
func (r *reader) str() []byte {
	start := r.pos + 1
	i := plainEnd(r.data, start)
	if i < len(r.data) && r.data[i] == '"' {
		r.pos = i + 1
		return r.data[start:i]
	}
	return r.hardStr(start, i)
}

func (r *reader) hardStr(start, i int) []byte {
	data := r.data
	copied, buf, escaped := start, r.tmp[:0], false
	for {
		i = plainEnd(data, i)
		if i >= len(data) {
			r.fail("unexpected end of a string")
			return nil
		}
		switch c := data[i]; {
		case c == '"':
			r.pos = i + 1
			if !escaped {
				return data[start:i]
			}
			buf = append(buf, data[copied:i]...)
			r.tmp = buf
			return buf
		case c == '\\':
			escaped = true
			buf = append(buf, data[copied:i]...)
			var n int
			if buf, n = unescape(buf, data[i:]); n == 0 {
				r.fail("bad escape")
				return nil
			}
			i += n
			copied = i
		case c < ' ':
			r.fail("control character in a string")
			return nil
		default:
			ch, size := utf8.DecodeRune(data[i:])
			if ch == utf8.RuneError && size == 1 {
				r.fail("invalid UTF-8")
				return nil
			}
			i += size
		}
	}
}

// unescape appends the character of an escape sequence, and returns its length, 0 if it
// is invalid.
func unescape(buf, data []byte) ([]byte, int) {
	if len(data) < 2 {
		return buf, 0
	}
	switch c := data[1]; c {
	case '"', '\\', '/':
		return append(buf, c), 2
	case 'b':
		return append(buf, '\b'), 2
	case 'f':
		return append(buf, '\f'), 2
	case 'n':
		return append(buf, '\n'), 2
	case 'r':
		return append(buf, '\r'), 2
	case 't':
		return append(buf, '\t'), 2
	case 'u':
		ch, ok := hex(data)
		if !ok {
			return buf, 0
		}
		if !utf16.IsSurrogate(ch) {
			return utf8.AppendRune(buf, ch), 6
		}
		low, ok := hex(data[6:])
		if ch = utf16.DecodeRune(ch, low); !ok || ch == utf8.RuneError {
			return buf, 0
		}
		return utf8.AppendRune(buf, ch), 12
	}
	return buf, 0
}

func hex(data []byte) (rune, bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return rune(n), err == nil
}

// text reads a string and copies it.
func (r *reader) text() string {
	if r.peek() != '"' {
		r.fail("must be a string")
		return ""
	}
	return string(r.str())
}

// null reads a null, which means that an optional member is absent.
func (r *reader) null() bool {
	if r.peek() != 'n' {
		return false
	}
	r.word("null")
	return true
}

func (r *reader) word(w string) {
	if end := r.pos + len(w); end <= len(r.data) && string(r.data[r.pos:end]) == w {
		r.pos = end
		return
	}
	r.fail("unexpected value")
}

func (r *reader) boolean() bool {
	switch r.peek() {
	case 't':
		r.word("true")
		return true
	case 'f':
		r.word("false")
	default:
		r.fail("must be a boolean")
	}
	return false
}

// number reads the text of a number (RFC 8259, section 6).
func (r *reader) number() []byte {
	c := r.peek()
	data, i := r.data, r.pos
	if c == '-' {
		i++
	}
	digits := func() bool {
		from := i
		for i < len(data) && data[i]-'0' <= 9 {
			i++
		}
		return i > from
	}
	first := i
	ok := digits() && (data[first] != '0' || i == first+1)
	if ok && i < len(data) && data[i] == '.' {
		i++
		ok = digits()
	}
	if ok && i < len(data) && data[i]|0x20 == 'e' {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		ok = digits()
	}
	if !ok {
		r.fail("must be a number")
		return nil
	}
	text := data[r.pos:i]
	r.pos = i
	return text
}

// integer reads an exact integer between the bounds, in any notation.
func (r *reader) integer(low, high int64) int64 {
	r.peek()
	data, i := r.data, r.pos
	negative := i < len(data) && data[i] == '-'
	if negative {
		i++
	}
	var n int64
	first := i
	for ; i < len(data) && i < first+18 && data[i]-'0' <= 9; i++ {
		n = 10*n + int64(data[i]-'0')
	}
	if i > first && (data[first] != '0' || i == first+1) && i < len(data) && (data[i] == ',' || data[i] == '}' || data[i] == ']') {
		r.pos = i
		if negative {
			n = -n
		}
	} else {
		n = r.hardInteger()
	}
	if n < low || n > high {
		r.fail("must be between " + strconv.FormatInt(low, 10) + " and " + strconv.FormatInt(high, 10))
	}
	return n
}

func (r *reader) hardInteger() int64 {
	text := string(r.number())
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		r.fail("must be an integer")
		return 0
	}
	return int64(f)
}

var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// float reads a number. Short ones take one exact division.
func (r *reader) float() float64 {
	r.peek()
	data, i := r.data, r.pos
	negative := i < len(data) && data[i] == '-'
	if negative {
		i++
	}
	var u uint64
	first, point := i, 0
	for ; i < len(data); i++ {
		if d := data[i] - '0'; d <= 9 {
			u = 10*u + uint64(d)
		} else if data[i] == '.' && point == 0 && i > first {
			point = i + 1
		} else {
			break
		}
	}
	if i == first || i > first+15 || i == point || i >= len(data) || data[first] == '0' && i > first+1 && point != first+2 ||
		data[i] != ',' && data[i] != '}' && data[i] != ']' {
		f, err := strconv.ParseFloat(string(r.number()), 64)
		if err != nil {
			r.fail("number out of range")
		}
		return f
	}
	r.pos = i
	f := float64(u)
	if point > 0 {
		f /= powers[i-point]
	}
	if negative {
		return -f
	}
	return f
}

// skip reads a value of any kind, as strictly as any other.
func (r *reader) skip() {
	switch r.peek() {
	case '"':
		r.str()
	case '{':
		r.skipObject()
	case '[':
		if !r.open('[', "an array") {
			return
		}
		for first := true; r.next(&first, ']'); {
			r.skip()
		}
	case 't':
		r.word("true")
	case 'f':
		r.word("false")
	case 'n':
		r.word("null")
	default:
		r.number()
	}
}

func (r *reader) skipObject() {
	if !r.open('{', "an object") {
		return
	}
	var keys keySet
	for first := true; r.next(&first, '}'); {
		if !keys.add(r.own(r.key())) {
			r.fail("duplicate key")
			return
		}
		r.skip()
	}
}

// keySet finds duplicate keys.
type keySet struct {
	few  [8][]byte
	n    int
	many map[string]bool
}

func (k *keySet) add(name []byte) bool {
	for i := range k.n {
		if string(k.few[i]) == string(name) {
			return false
		}
	}
	if k.n < len(k.few) {
		k.few[k.n] = name
		k.n++
		return true
	}
	if k.many[string(name)] {
		return false
	}
	if k.many == nil {
		k.many = map[string]bool{}
	}
	k.many[string(name)] = true
	return true
}

// span finds the end of a value by counting brackets; the value is read strictly later.
func (r *reader) span() []byte {
	r.peek()
	data, start, open := r.data, r.pos, 0
	for i := start; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i = plainEnd(data, i+1); i < len(data) && data[i] != '"'; i = plainEnd(data, i+1) {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				r.pos = i + 1
				return data[start : i+1]
			}
		}
	}
	r.fail("unexpected end")
	return nil
}
