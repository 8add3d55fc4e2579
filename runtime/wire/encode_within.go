package wire

// PutWithin writes an array of as many whole elements of a slice as the limit of e allows, and
// returns their number. tail returns the number of bytes that follow the last of n elements,
// including the bracket; it is at most most. Without a limit it writes all elements.
//
// It does not apply to an array inside another array that PutWithin writes.
func PutWithin[T any](e *Encoder, v []T, f func(*Encoder, *T), most int, tail func(n int) int) int {
	e.BeginArray()
	if e.full() && e.stop() {
		return 0
	}
	n, end, names, open := 0, len(e.buf), len(e.names), e.open
	for i := range v {
		e.whole = end
		f(e, &v[i])
		if e.full() && e.stop() {
			break
		}
		// An element that leaves no room for a longest tail may still be the last one, if its own
		// tail is shorter.
		if size := len(e.buf); e.limit == 0 || size+most <= e.limit || size+tail(i+1) <= e.limit {
			n, end = i+1, size
		}
	}
	e.whole = 0
	if n == len(v) {
		e.EndArray()
		return n
	}
	if e.err != nil {
		if !tooLarge(e.err) {
			return 0
		}
		e.err = nil
	}
	e.buf, e.names, e.open = e.buf[:end], e.names[:names], open
	e.settle()
	e.EndArray()
	return n
}

// Limit returns the maximum size of the text in bytes, 0 for no limit.
func (e *Encoder) Limit() int { return e.limit }

// tooLarge reports whether an error of an encoder is about the limit.
func tooLarge(err error) bool {
	failed, ok := err.(*EncodeError)
	if !ok {
		return false
	}
	_, ok = failed.Err.(*SizeError)
	return ok
}
