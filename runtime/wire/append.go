package wire

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// AppendString appends s as a JSON string. HTML is not escaped, invalid UTF-8 becomes \ufffd, and
// there is never a raw line break.
func AppendString[T ~string | ~[]byte](b []byte, s T) []byte {
	// A slice header begins with a string header. The string is not retained.
	return appendQuoted(b, *(*string)(unsafe.Pointer(&s)))
}

// AppendStringWithin is like AppendString, but limits the length of b. It stops soon after the
// limit is exceeded, and reports whether it appended all of s.
func AppendStringWithin(b []byte, s string, most int) (_ []byte, ok bool) {
	if len(b)+len(s) > most {
		return b, false
	}
	b = append(b, '"')
	for len(s) > 0 && len(b) <= most {
		n := cut(s)
		b = appendText(b, s[:n])
		s = s[n:]
	}
	return append(b, '"'), len(b) < most
}

func appendQuoted(b []byte, s string) []byte {
	if i := plainRun(s, 0); i == len(s) {
		// One Grow for the whole string makes the appends below plain copies.
		b = slices.Grow(b, i+2)
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	return append(appendText(append(b, '"'), s), '"')
}

// appendText appends the characters of a string, without the quotes.
func appendText(b []byte, s string) []byte {
	from := 0 // s[:from] is in b
	for i := plainRun(s, 0); i < len(s); i = plainRun(s, i) {
		c := s[i]
		if c < utf8.RuneSelf {
			b = append(b, s[from:i]...)
			b = appendEscaped(b, c)
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, s[from:i]...)
			b = append(b, `\ufffd`...)
			from = i + size
		case r == '\u2028' || r == '\u2029':
			// U+2028 and U+2029 are line breaks to JavaScript, and to some programs that read
			// lines.
			b = append(b, s[from:i]...)
			b = append(b, `\u202`...)
			b = append(b, hexDigits[r&15])
			from = i + size
		}
		i += size
	}
	return append(b, s[from:]...)
}

// plainRun is like plainEnd, for a string.
func plainRun(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		if m := specialBytes(eightBytes(s, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	if i < len(s) && len(s) >= 8 {
		// The last eight bytes, shifted so that bytes before i drop out: the zeros that come in at
		// the top are special, so the search below finds the end.
		skip := 8 - (len(s) - i)
		m := specialBytes(eightBytes(s, len(s)-8) >> (8 * skip))
		return i + bits.TrailingZeros64(m)>>3
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

// eightBytes returns eight bytes of a string, the first one lowest.
func eightBytes(s string, i int) uint64 {
	c := s[i : i+8]
	return uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24 |
		uint64(c[4])<<32 | uint64(c[5])<<40 | uint64(c[6])<<48 | uint64(c[7])<<56
}

// appendEscaped appends the escape sequence of a quote, a backslash or a control character.
func appendEscaped(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendInt appends a signed integer.
func AppendInt(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) }

// AppendUint appends an unsigned integer.
func AppendUint(b []byte, v uint64) []byte { return strconv.AppendUint(b, v, 10) }

// AppendBool appends true or false.
func AppendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// AppendFloat appends a finite float of 32 or 64 bits in the shortest form that reads back the
// same, as encoding/json does: with an exponent only below 1e-6 and from 1e21 on.
func AppendFloat(b []byte, f float64, size int) []byte {
	if size == 64 {
		if micros, ok := sixDecimals(f); ok {
			return appendMicros(b, micros)
		}
	}
	form := byte('f')
	if a := math.Abs(f); a != 0 {
		if size == 64 && (a < 1e-6 || a >= 1e21) || size == 32 && (float32(a) < 1e-6 || float32(a) >= 1e21) {
			form = 'e'
		}
	}
	b = strconv.AppendFloat(b, f, form, -1, size)
	if form == 'e' {
		// e-09 is written e-9.
		if n := len(b); n >= 4 && b[n-4] == 'e' && (b[n-3] == '-' || b[n-3] == '+') && b[n-2] == '0' {
			b[n-2] = b[n-1]
			b = b[:n-1]
		}
	}
	return b
}

// sixDecimals returns f in millionths if f is the float nearest to a number of at most fifteen
// digits, at most six of them after the point. No other number of fifteen digits has the same
// nearest float, so it is the shortest one.
func sixDecimals(f float64) (micros int64, ok bool) {
	x := f * 1e6
	if !(math.Abs(x) < 1e15) {
		return 0, false
	}
	micros = int64(math.Round(x))
	// Both operands are exact, so the division rounds once, as parsing the number does. A float
	// zero may have a sign, an integer zero has none.
	return micros, micros != 0 && float64(micros)/1e6 == f
}

// appendMicros appends a number of millionths, without zeros at the end.
func appendMicros(b []byte, micros int64) []byte {
	if micros < 0 {
		b = append(b, '-')
		micros = -micros
	}
	b = strconv.AppendInt(b, micros/1e6, 10)
	rest := micros % 1e6
	if rest == 0 {
		return b
	}
	b = append(b, '.')
	for unit := int64(1e5); rest > 0; unit /= 10 {
		b = append(b, '0'+byte(rest/unit))
		rest %= unit
	}
	return b
}
