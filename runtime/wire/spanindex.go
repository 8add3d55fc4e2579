package wire

import (
	"math"
	"sort"
)

// spanIndex stores the ends of the arrays and objects inside an object. A value of a recursive
// union is searched for the member that names its kind, and so is each value inside it. With the
// index each search skips deeper values without reading them again, so that all of them together
// read the text once.
//
// It is built if that member is not found soon, for one object at a time.
type spanIndex struct {
	start, end int // of the object in the text; end is 0 without an index
	spans      []span
}

// span is an array or object of at least shortSpan bytes. Spans are in the order of their starts.
type span struct {
	start, end int32 // end is 0 if the text ends first
	next       int32 // index of the first span after this one; while it is open, of the enclosing span
}

// Sizes in bytes.
const (
	shortSpan = 64  // shorter values are skipped by reading them
	soonFound = 512 // this much is searched without an index
)

// member finds the value of a member of the object that begins at start, by counting brackets.
func (x *spanIndex) member(data []byte, start int, name string) (value []byte, found bool) {
	if start < x.start || start >= x.end {
		head := data[:min(len(data), start+soonFound)]
		if len(data) > math.MaxInt32 {
			head = data
		}
		from, to := findMember(head, start, name, nil)
		if len(head) == len(data) || to > 0 && to < len(head) {
			return data[from:to], to > 0
		}
		x.build(data, start)
	}
	inside := sort.Search(len(x.spans), func(i int) bool { return int(x.spans[i].start) > start })
	from, to := findMember(data, start, name, &walk{x.spans, inside})
	return data[from:to], to > 0
}

// build builds the index of the object that begins at start.
func (x *spanIndex) build(data []byte, start int) {
	spans, top := x.spans[:0], int32(-1)
	i := start
	for i < len(data) {
		switch data[i] {
		case '"':
			if i = stringEnd(data, i); i < 0 {
				i = len(data)
			}
			continue
		case '{', '[':
			spans = append(spans, span{start: int32(i), next: top})
			top = int32(len(spans) - 1)
		case '}', ']':
			s := &spans[top]
			around := s.next
			if s.end = int32(i + 1); s.end-s.start < shortSpan {
				spans = spans[:top] // a short span contains no long one
			} else {
				s.next = int32(len(spans))
			}
			top = around
		}
		if i++; top < 0 {
			break
		}
	}
	for top >= 0 {
		s := &spans[top]
		top, s.next = s.next, int32(len(spans))
	}
	x.start, x.end, x.spans = start, i, spans
}

// walk moves along the spans of an index.
type walk struct {
	spans []span
	at    int
}

// pass finds the value that comes next from i on, like [Span].
func (w *walk) pass(data []byte, i int) (start, end int, ok bool) {
	if w == nil {
		return Span(data, i)
	}
	for i < len(data) && isSpace(data[i]) {
		i++
	}
	if w.at < len(w.spans) && int(w.spans[w.at].start) == i {
		s := &w.spans[w.at]
		w.at = int(s.next)
		return i, int(s.end), s.end > 0
	}
	return Span(data, i)
}

// findMember finds the value of a member of the object at i. If the object lacks it, both results
// are 0.
func findMember(data []byte, i int, name string, w *walk) (from, to int) {
	for i++; ; i++ {
		start, end, ok := Span(data, i)
		if !ok || data[start] != '"' {
			return 0, 0
		}
		key := data[start:end]
		for i = end; i < len(data) && isSpace(data[i]); i++ {
		}
		if i >= len(data) || data[i] != ':' {
			return 0, 0
		}
		start, end, ok = w.pass(data, i+1)
		if !ok {
			return 0, 0
		}
		if isText(key, name) {
			return start, end
		}
		for i = end; i < len(data) && isSpace(data[i]); i++ {
		}
		if i >= len(data) || data[i] != ',' {
			return 0, 0
		}
	}
}
