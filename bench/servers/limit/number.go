package limit

import (
	"math"
	"strconv"
)

// number reads a number as text (RFC 8259, section 6).
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

// float reads a number. Short numbers take one exact division.
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
