package wire

import (
	"strconv"
	"unsafe"
)

// Ptr reads a value into new memory. f gets a null too, and usually refuses it; see Nullable.
func Ptr[T any](d *Decoder, v **T, f func(*Decoder, *T)) {
	p := new(T)
	f(d, p)
	if !d.failed {
		*v = p
	}
}

// Nullable reads a value into new memory, or a null as nil.
func Nullable[T any](d *Decoder, v **T, f func(*Decoder, *T)) {
	if d.Null() {
		*v = nil
		return
	}
	Ptr(d, v, f)
}

// Slice reads an array into a new slice; an empty array becomes an empty slice, not nil. An element
// that violates its schema is left zero.
func Slice[S ~[]T, T any](d *Decoder, v *S, f func(*Decoder, *T)) {
	before := d.problemCount()
	if d.wraps() {
		entered, refused := d.opts.Help.separate(d, elementOf(f))
		if refused {
			return
		}
		if !entered {
			if one := make(S, 1); wrap(d, &one[0], f) {
				*v = one
			}
			return
		}
	}
	if !d.begin('[', "an array") {
		if d.opts.Help != nil {
			d.opts.Help.list(d, elementOf(f))
		}
		return
	}
	start := d.pos - 1
	var zero T
	var s []T
	reused := scratchListOf[T](&d.lists)
	if reused != nil {
		// f may read a slice of this type too, and must not get the same memory from d.lists.
		s, *reused = (*reused)[:0], nil
	}
	for first := true; d.next(']', first) && d.element(); first = false {
		if len(s) == cap(s) && first {
			s = make([]T, 0, firstRoom(unsafe.Sizeof(zero)))
		}
		if len(s) < cap(s) {
			s = s[:len(s)+1] // the new element is zero
		} else {
			s = append(s, zero)
		}
		f(d, &s[len(s)-1])
	}
	if !d.endList(before, start) {
		return
	}
	switch {
	case reused != nil && cap(s) <= keptElements:
		*v = append(make(S, 0, len(s)), s...)
		clear(s)
		*reused = s
	case s == nil:
		*v = S{}
	default:
		*v = s
	}
}

// firstRoom returns the initial capacity of a slice, for elements of size bytes.
func firstRoom(size uintptr) int {
	if size > 256 {
		return 1
	}
	return 4
}

// Array reads an array of exactly len(v) elements.
func Array[T any](d *Decoder, v []T, f func(*Decoder, *T)) {
	before := d.problemCount()
	if d.wraps() {
		if _, refused := d.opts.Help.separate(d, elementOf(f)); refused {
			return
		}
	}
	if !d.begin('[', "an array") {
		if d.opts.Help != nil {
			d.opts.Help.list(d, elementOf(f))
		}
		return
	}
	start := d.pos - 1
	n := 0
	for first := true; d.next(']', first); first = false {
		if n < len(v) {
			f(d, &v[n])
		} else {
			d.Skip()
		}
		n++
	}
	if !d.endList(before, start) {
		return
	}
	if n != len(v) {
		rule := RuleMinItems
		if n > len(v) {
			rule = RuleMaxItems
		}
		d.violate(rule, "must have exactly "+count(len(v), "item")+", got "+strconv.Itoa(n))
	}
}

// endList closes an array that began at start, and records its text.
func (d *Decoder) endList(before, start int) bool {
	data, end, texts := d.data, d.pos, len(d.texts)
	if !d.endContainer(before) {
		return false
	}
	d.list.start, d.list.end = start, end
	if len(d.texts) < texts { // endContainer left the quoted text
		d.list = excerpt{-1, 0, data[start:end]}
	}
	return true
}

// endContainer closes an array or map. It returns false after a syntax error.
func (d *Decoder) endContainer(before int) bool {
	if d.err != nil {
		d.failed = true
		return false
	}
	d.leave()
	d.failed = false
	d.broken = d.problemCount() != before
	return true
}
