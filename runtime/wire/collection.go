package wire

import (
	"strconv"
	"unsafe"
)

// Ptr reads a value into new memory. A null is handed to f, which mostly refuses
// it; see Nullable.
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

// Slice reads an array into a new slice, which is not nil where the array is
// empty. An element that violates its schema is left zero.
func Slice[S ~[]T, T any](d *Decoder, v *S, f func(*Decoder, *T)) {
	before := d.trouble()
	if d.begin('[', "an array") == nil {
		return
	}
	var zero T
	s := S{}
	for d.element() {
		if len(s) == 0 {
			s = make(S, 0, firstRoom(unsafe.Sizeof(zero)))
		}
		s = append(s, zero)
		f(d, &s[len(s)-1])
	}
	if d.endContainer(before) {
		*v = s
	}
}

// firstRoom is the number of elements of a size, in bytes, that a slice gets
// room for at first.
func firstRoom(size uintptr) int {
	if size > 256 {
		return 1
	}
	return 4
}

// Array reads an array of exactly as many elements as v has.
func Array[T any](d *Decoder, v []T, f func(*Decoder, *T)) {
	before := d.trouble()
	if d.begin('[', "an array") == nil {
		return
	}
	n := 0
	for d.element() {
		if n < len(v) {
			f(d, &v[n])
		} else {
			d.Skip()
		}
		n++
	}
	if d.endContainer(before) && n != len(v) {
		rule := RuleMinItems
		if n > len(v) {
			rule = RuleMaxItems
		}
		d.violate(rule, "must have exactly "+count(len(v), "item")+", got "+strconv.Itoa(n))
	}
}

// element moves on to the next element of the innermost array.
func (d *Decoder) element() bool {
	f := &d.frames[len(d.frames)-1]
	first := !f.isNamed
	if first {
		f.isArray, f.isNamed = true, true
	} else {
		f.index++
	}
	if !d.next(']', first) {
		return false
	}
	d.failed = false
	return true
}

// endContainer closes the innermost array or map, and reports false at a syntax error.
func (d *Decoder) endContainer(before int) bool {
	if d.err != nil {
		d.failed = true
		return false
	}
	d.pop()
	d.failed = false
	d.broken = d.trouble() != before
	return true
}
