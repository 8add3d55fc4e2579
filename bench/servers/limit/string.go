package limit

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// special returns the bytes of a string that are not plain ASCII, eight at a time.
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

// str reads a string after its opening quote. The bytes are valid until the next string with
// escapes.
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

// unescape appends the character of an escape sequence, and returns the length of the sequence, or
// 0 if it is invalid.
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
