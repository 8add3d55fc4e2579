package wire

// PutWithin writes an array of as many whole elements of a slice as the limit of e allows, and
// returns how many. tail is the size in bytes of what follows the last of n elements, the bracket
// included, and is at most most. Without a limit it writes all elements.
//
// It does not apply to an array inside of another one that PutWithin writes.
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
		// An element behind one that leaves no room may be the last one, whose tail is shorter.
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

// Limit is the number of bytes that the text may have, 0 for any number.
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
