package wire

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// String reads a string.
func String[T ~string](d *Decoder, v *T) {
	if text, ok := d.stringText("a string"); ok {
		*v = T(text)
		d.kept = d.pos
	}
}

// Bytes reads a string in base64: the standard alphabet, padded, without line breaks or stray bits
// (RFC 4648, section 4).
func Bytes[T ~[]byte](d *Decoder, v *T) {
	text, _, ok := d.stringBytes("a string in base64")
	if !ok {
		return
	}
	if b := d.decodeBase64(text); b != nil {
		*v = T(b)
	}
}

// strictBase64 refuses bits that are set after the last byte.
var strictBase64 = base64.StdEncoding.Strict()

func (d *Decoder) decodeBase64(text []byte) []byte {
	b := make([]byte, strictBase64.DecodedLen(len(text)))
	n, err := strictBase64.Decode(b, text)
	if err == nil {
		for _, c := range text {
			if c == '\n' || c == '\r' {
				err = base64.CorruptInputError(0)
			}
		}
	}
	if err != nil {
		d.violate(RuleEncoding, "must be base64 in the standard alphabet with padding, got "+quote(string(text)))
		return nil
	}
	return b[:n]
}

// stringText reads a string as a Go string.
func (d *Decoder) stringText(want string) (string, bool) {
	d.failed = false
	if d.peek() != '"' {
		if b, ok := d.numberAsText(); ok {
			return d.keepText(b, false), true
		}
		d.mismatch(want)
		return "", false
	}
	b, escaped := d.readString()
	if d.err != nil {
		return "", false
	}
	return d.keepText(b, escaped), true
}

// keepText returns the last string as a part of the data if allowed, or else as a copy.
func (d *Decoder) keepText(b []byte, escaped bool) string {
	if d.opts.Alias && !escaped {
		return unsafe.String(unsafe.SliceData(b), len(b))
	}
	return d.keep(b)
}

// chunk is memory that short strings share, so that each does not cost an allocation. It is small,
// because one string that stays in use retains all of it.
type chunk struct {
	strings.Builder
	later bool // it follows an earlier chunk
}

// Sizes in bytes.
const (
	firstChunk  = 256
	laterChunk  = 1024
	sharedBytes = 128 // of a string that shares memory
)

// keep returns a copy of the last string.
func (d *Decoder) keep(b []byte) string {
	c := &d.chunk
	if len(b) > c.Cap()-c.Len() {
		if len(b) > sharedBytes {
			return string(b)
		}
		size := firstChunk
		if c.later {
			size = laterChunk
		}
		// A larger chunk is useless: the strings of the remaining data are no longer than the data.
		*c = chunk{later: true}
		c.Grow(min(size, len(b)+len(d.data)-d.pos))
	}
	c.Write(b)
	s := c.String()
	return s[len(s)-len(b):]
}

// stringBytes reads a string into bytes that are valid until the next read.
func (d *Decoder) stringBytes(want string) (text []byte, escaped, ok bool) {
	d.failed = false
	if d.peek() != '"' {
		d.mismatch(want)
		return nil, false, false
	}
	text, escaped = d.readString()
	return text, escaped, d.err == nil
}

// readString reads a string whose opening quote has been seen. The bytes are a part of the data, or
// if escaped, of d.unescaped.
func (d *Decoder) readString() (text []byte, escaped bool) {
	data, start := d.data, d.pos+1
	// This is plainEnd, except for the last eight bytes of the data.
	for i := start; i+8 <= len(data); i += 8 {
		if m := specialBytes(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			if data[i] == '"' {
				d.pos = i + 1
				return data[start:i], false
			}
			return d.readHardString(start, i)
		}
	}
	return d.readHardString(start, start)
}

// plainEnd returns the index, from i on, of the first byte that is not plain ASCII inside a string:
// a quote, a backslash, a control character, or part of a longer UTF-8 sequence; or the length of
// data.
func plainEnd(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		if m := specialBytes(binary.LittleEndian.Uint64(data[i:])); m != 0 {
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

// specialBytes checks eight bytes at once. The lowest bit set in the result is the top bit of the
// first byte that plainEnd looks for; higher bits may be wrong.
func specialBytes(x uint64) uint64 {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	quote := x ^ ones*'"'
	slash := x ^ ones*'\\'
	// Each subtraction borrows from the top bit of a byte that is too small. It also leaves the top
	// bit of some bytes beyond ASCII, which is set in x anyway.
	return (x | (x - ones*' ') | (quote - ones) | (slash - ones)) & tops
}

// readHardString continues at i, where a byte is not plain ASCII.
func (d *Decoder) readHardString(start, i int) (text []byte, escaped bool) {
	data := d.data
	copied := start // the text before it is in d.unescaped
	buf := d.unescaped[:0]
	for {
		if i = plainEnd(data, i); i >= len(data) {
			d.pos = len(data)
			d.syntaxError("unexpected end of the text inside a string")
			return nil, false
		}
		switch c := data[i]; {
		case c == '"':
			d.pos = i + 1
			if !escaped {
				return data[start:i], false
			}
			buf = append(buf, data[copied:i]...)
			d.unescaped = buf
			return buf, true
		case c == '\\':
			escaped = true
			buf = append(buf, data[copied:i]...)
			var ok bool
			if buf, i, ok = d.unescape(buf, i); !ok {
				return nil, false
			}
			copied = i
		case c < ' ':
			d.pos = i
			d.syntaxError("control character " + hexByte(c) + " inside a string, which must be escaped")
			return nil, false
		default:
			_, size := utf8.DecodeRune(data[i:])
			if size == 1 {
				d.pos = i
				d.syntaxError("invalid UTF-8: byte " + hexByte(c) + " inside a string")
				return nil, false
			}
			i += size
		}
	}
}

// unescape appends the character of the escape sequence at i, and returns the index after it.
func (d *Decoder) unescape(buf []byte, i int) ([]byte, int, bool) {
	data := d.data
	var c byte
	if i+1 < len(data) {
		c = data[i+1]
	}
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r, ok := hexEscape(data, i)
		size := 6
		switch {
		case !ok:
			d.pos = i
			d.syntaxError("\\u without four hexadecimal digits inside a string")
			return nil, 0, false
		case utf16.IsSurrogate(r):
			low, _ := hexEscape(data, i+size)
			pair := utf16.DecodeRune(r, low)
			if pair == utf8.RuneError {
				d.pos = i
				d.syntaxError("lone surrogate " + string(data[i:i+size]) + " inside a string: it is half of a character, and the other half is missing")
				return nil, 0, false
			}
			r, size = pair, 2*size
		}
		return utf8.AppendRune(buf, r), i + size, true
	default:
		d.pos = i
		if i+1 >= len(data) {
			d.pos = len(data)
			d.syntaxError("unexpected end of the text inside a string")
		} else {
			d.syntaxError("invalid escape sequence inside a string")
		}
		return nil, 0, false
	}
	return append(buf, c), i + 2, true
}

// hexEscape reads \uXXXX at i.
func hexEscape(data []byte, i int) (rune, bool) {
	if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range data[i+2 : i+6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// hexByte formats c as 0xNN.
func hexByte(c byte) string {
	return "0x" + string([]byte{hexDigits[c>>4], hexDigits[c&15]})
}

const hexDigits = "0123456789abcdef"
