package wire

// The checks of floats compare as float64, also for a float32: rounding to the smaller type could
// move the received number or the limit past the other.

// FloatMinimum checks that a number is not less than limit.
func FloatMinimum[T Real](d *Decoder, v T, limit float64) {
	if !d.failed && exact(d, v) < limit {
		outsideFloat(d, RuleMinimum, "at least ", v, limit)
	}
}

// FloatMaximum checks that a number is not greater than limit.
func FloatMaximum[T Real](d *Decoder, v T, limit float64) {
	if !d.failed && exact(d, v) > limit {
		outsideFloat(d, RuleMaximum, "at most ", v, limit)
	}
}

// FloatExclusiveMinimum checks that a number is greater than limit.
func FloatExclusiveMinimum[T Real](d *Decoder, v T, limit float64) {
	if !d.failed && exact(d, v) <= limit {
		outsideFloat(d, RuleExclusiveMinimum, "greater than ", v, limit)
	}
}

// FloatExclusiveMaximum checks that a number is less than limit.
func FloatExclusiveMaximum[T Real](d *Decoder, v T, limit float64) {
	if !d.failed && exact(d, v) >= limit {
		outsideFloat(d, RuleExclusiveMaximum, "less than ", v, limit)
	}
}

// FloatMultipleOf checks that a number is a whole multiple of another, which is greater than zero.
// It computes with the received decimal text, so that 0.3 is a multiple of 0.1.
func FloatMultipleOf[T Real](d *Decoder, v T, of float64) {
	if d.failed {
		return
	}
	text := d.numberRead()
	if len(text) == 0 {
		text = AppendFloat(nil, exact(d, v), 64)
	}
	if !parseDecimal(text).isMultiple(parseDecimal(AppendFloat(nil, of, 64))) {
		outsideFloat(d, RuleMultipleOf, "a multiple of ", v, of)
	}
}

// UniqueFloats checks that no two numbers of the last list are equal. It checks nothing if one of
// them was invalid.
func UniqueFloats[T Real](d *Decoder, v []T) {
	if d.failed || d.broken {
		return
	}
	i, j, twice := repeats(v)
	if !twice {
		return
	}
	if isFloat32[T]() {
		// Different numbers may have been rounded to the same value.
		if i, j, twice = repeats(numbersOf(d.text(d.list), len(v))); !twice {
			return
		}
	}
	d.repeated(i, j)
}

// numbersOf reads a valid list of n numbers again.
func numbersOf(list []byte, n int) []float64 {
	var d Decoder
	d.Reset(list, Options{})
	d.lenient = true // some may be in quotes
	numbers := make([]float64, 0, n)
	Slice(&d, &numbers, Float[float64])
	return numbers
}

// exact returns the number that was read as v, before it was rounded to its type.
func exact[T Real](d *Decoder, v T) float64 {
	if T(d.number) == v {
		return d.number
	}
	return float64(v)
}

// isFloat32 reports whether T has at most 24 bits of precision.
func isFloat32[T Real]() bool {
	x := float64(1<<24 + 1)
	return float64(T(x)) != x
}

func outsideFloat[T Real](d *Decoder, rule, must string, v T, limit float64) {
	got := string(AppendFloat(nil, exact(d, v), 64))
	if text := d.numberRead(); T(d.number) == v && len(text) > 0 {
		got = shown(text)
	}
	d.violate(rule, "must be "+must+string(AppendFloat(nil, limit, 64))+", got "+got)
}
