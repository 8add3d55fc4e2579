package wire

import (
	"encoding/json"
	"math"
	"strconv"
	"unsafe"
)

// Signed contains every signed integer type.
type Signed interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}

// Unsigned contains every unsigned integer type.
type Unsigned interface {
	~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Integer contains every integer type.
type Integer interface{ Signed | Unsigned }

// Real contains every floating-point type.
type Real interface{ ~float32 | ~float64 }

// Int reads an integer, exactly and within the range of its type. As in JSON Schema, 1.0 and 1e2
// are integers too.
func Int[T Integer](d *Decoder, v *T) {
	low, high := intRange[T]()
	if u, ok := d.readInt(low, high); ok {
		*v = T(u)
	}
}

// intRange returns the minimum and maximum of a type; the minimum as a magnitude.
func intRange[T Integer]() (low, high uint64) {
	var zero T
	size := 8 * unsafe.Sizeof(zero)
	if zero-1 < 0 {
		return 1 << (size - 1), 1<<(size-1) - 1
	}
	return 0, math.MaxUint64 >> (64 - size)
}

// readInt reads an integer between -low and high, in two's complement.
func (d *Decoder) readInt(low, high uint64) (uint64, bool) {
	d.failed = false
	c := d.peek()
	// Up to 18 digits without point and exponent always fit.
	i, negative := d.pos, c == '-'
	if negative {
		i++
	}
	var u uint64
	first := i
	for i < len(d.data) && i < first+18 {
		digit := d.data[i] - '0'
		if digit > 9 {
			break
		}
		u = 10*u + uint64(digit)
		i++
	}
	if i > first && i < len(d.data) && endsNumber(d.data[i]) && (d.data[first] != '0' || i == first+1) {
		d.literal.start, d.literal.end = d.pos, i
		d.pos = i
	} else {
		text, ok := d.numberText("an integer")
		if !ok {
			return 0, false
		}
		var kind intKind
		u, negative, kind = parseInteger(text)
		if kind == notInteger || d.quoted && (!plainInteger(text) || low == 0 && text[0] == '-') {
			d.violate(RuleType, "must be an integer, got "+shown(text))
			return 0, false
		}
		if kind == hugeInteger {
			d.outOfRange(negative, low, high)
			return 0, false
		}
	}
	switch {
	case negative && u > low || !negative && u > high:
		d.outOfRange(negative, low, high)
		return 0, false
	case negative:
		return -u, true
	}
	return u, true
}

// endsNumber reports whether a byte that follows digits ends an integer.
func endsNumber(c byte) bool { return c == ',' || c == '}' || c == ']' || isSpace(c) }

// outOfRange records that the last number read is not between -low and high.
func (d *Decoder) outOfRange(negative bool, low, high uint64) {
	if negative {
		limit := strconv.FormatUint(low, 10)
		if low != 0 {
			limit = "-" + limit
		}
		d.violate(RuleMinimum, "must be at least "+limit+", got "+shown(d.numberRead()))
		return
	}
	d.violate(RuleMaximum, "must be at most "+strconv.FormatUint(high, 10)+", got "+shown(d.numberRead()))
}

// Float reads a number.
func Float[T Real](d *Decoder, v *T) {
	var zero T
	if f, ok := d.readFloat(8 * int(unsafe.Sizeof(zero))); ok {
		*v = T(f)
	}
}

// readFloat reads a number as a float of 32 or 64 bits.
func (d *Decoder) readFloat(bits int) (float64, bool) {
	d.failed = false
	if bits == 64 {
		if f, ok := d.shortFloat(); ok {
			d.number = f
			return f, true
		}
	}
	text, ok := d.numberText("a number")
	if !ok {
		return 0, false
	}
	f, ok := parseFloat(text, 64)
	d.number = f
	if ok && bits == 32 {
		f, ok = parseFloat(text, 32)
	}
	if !ok {
		rule, word := RuleMaximum, "at most "
		limit := math.MaxFloat64
		if bits == 32 {
			limit = math.MaxFloat32
		}
		if text[0] == '-' {
			rule, word, limit = RuleMinimum, "at least ", -limit
		}
		d.violate(rule, "must be "+word+string(AppendFloat(nil, limit, bits))+", got "+shown(text))
		return 0, false
	}
	return f, true
}

// shortFloat reads a number of up to 15 digits without an exponent in one pass: the digits as an
// integer and the power of ten are both exact floats, so the one division rounds correctly.
// Otherwise it reads nothing.
func (d *Decoder) shortFloat() (float64, bool) {
	c := d.peek()
	data, i := d.data, d.pos
	negative := c == '-'
	if negative {
		i++
	}
	var u uint64
	first, point := i, 0 // start of the digits, and of the fraction
	for ; i < len(data); i++ {
		if digit := data[i] - '0'; digit <= 9 {
			u = 10*u + uint64(digit)
		} else if data[i] == '.' && point == 0 && i > first {
			point = i + 1
		} else {
			break
		}
	}
	switch {
	case i == first, i > first+15, i == point, i >= len(data), !endsNumber(data[i]):
		return 0, false
	case data[first] == '0' && i > first+1 && point != first+2:
		return 0, false
	}
	f := float64(u)
	if point > 0 {
		f /= exactPowers[i-point]
	}
	if negative {
		f = -f
	}
	d.literal.start, d.literal.end = d.pos, i
	d.pos = i
	return f, true
}

// Number reads a number and stores its text.
func Number(d *Decoder, v *json.Number) {
	d.failed = false
	if text, ok := d.numberText("a number"); ok && d.numberFits(text) {
		*v = json.Number(text)
	}
}

// WholeNumber reads an integer of any size, up to the limits of [JSON], and stores it in plain
// digits. As in JSON Schema, 1.0 and 1e2 are integers too.
func WholeNumber(d *Decoder, v *json.Number) {
	d.failed = false
	text, ok := d.numberText("an integer")
	if !ok || !d.numberFits(text) {
		return
	}
	z := parseDecimal(text)
	if z.exponent < 0 {
		d.violate(RuleType, "must be an integer, got "+shown(text))
		return
	}
	*v = json.Number(z.appendInteger(nil))
}

// numberText reads a number and returns its text, a part of the data.
func (d *Decoder) numberText(want string) ([]byte, bool) {
	c := d.peek()
	if c == '-' || '0' <= c && c <= '9' {
		return d.readNumber()
	}
	if c == '"' && d.lenient {
		if end := numberEnd(d.data, d.pos+1); end > 0 && end < len(d.data) && d.data[end] == '"' {
			d.literal.start, d.literal.end = d.pos+1, end
			d.pos = end + 1
			return d.numberRead(), true
		}
	}
	d.expectsAtom()
	d.mismatch(want)
	return nil, false
}

// readNumber reads a number, whose first byte has been seen, and returns its text.
func (d *Decoder) readNumber() ([]byte, bool) {
	end := numberEnd(d.data, d.pos)
	if end < 0 {
		d.pos = ^end
		d.unexpected("a digit")
		return nil, false
	}
	if end < len(d.data) && '0' <= d.data[end] && d.data[end] <= '9' {
		d.syntaxError("number with a leading zero")
		return nil, false
	}
	d.literal.start, d.literal.end = d.pos, end
	d.pos = end
	return d.numberRead(), true
}

// numberEnd returns the index after the number that begins at i (RFC 8259, section 6), or, as a
// complement, the index of a missing digit.
func numberEnd(data []byte, i int) int {
	if i < len(data) && data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else {
		first := i
		if i = digitsEnd(data, i); i == first {
			return ^i
		}
	}
	if i < len(data) && data[i] == '.' {
		first := i + 1
		if i = digitsEnd(data, first); i == first {
			return ^i
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		first := i
		if i = digitsEnd(data, i); i == first {
			return ^i
		}
	}
	return i
}

func digitsEnd(data []byte, i int) int {
	for i < len(data) && '0' <= data[i] && data[i] <= '9' {
		i++
	}
	return i
}
