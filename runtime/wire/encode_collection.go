package wire

import (
	"slices"
)

// PutPtr writes the value that v points to, and null for nil.
func PutPtr[T any](e *Encoder, v *T, f func(*Encoder, *T)) {
	if v == nil {
		PutNull(e)
		return
	}
	f(e, v)
}

// PutSlice writes an array, which is empty for nil.
func PutSlice[T any](e *Encoder, v []T, f func(*Encoder, *T)) {
	e.BeginArray()
	for i := range v {
		if e.full() && e.stop() {
			return
		}
		f(e, &v[i])
	}
	e.EndArray()
}

// PutMap writes an object, which is empty for nil. Its members are sorted by name.
func PutMap[M ~map[K]T, K ~string, T any](e *Encoder, v M, f func(*Encoder, *T)) {
	if !e.fits(len(v)) {
		return
	}
	e.Begin()
	first := len(e.names)
	for k := range v {
		e.names = append(e.names, string(k))
	}
	names := e.names[first:]
	slices.Sort(names)
	t := scratchOf[T](&e.scratch)
	var zero T
	for _, name := range names {
		if e.full() && e.stop() {
			break
		}
		e.name(name)
		*t = v[K(name)]
		f(e, t)
	}
	*t = zero
	clear(e.names[first:])
	e.names = e.names[:first]
	e.End()
}

// PutMapInt is like PutMap, for integer keys. Their names are sorted as text, as encoding/json
// does.
func PutMapInt[M ~map[K]T, K Integer, T any](e *Encoder, v M, f func(*Encoder, *T)) {
	if !e.fits(len(v)) {
		return
	}
	names := make([]namedKey[K], 0, len(v))
	for k := range v {
		names = append(names, namedKey[K]{string(appendNumeric(nil, k)), k})
	}
	putNamed(e, v, names, f)
}

// PutMapText is like PutMap, for keys that have a MarshalText method, given as a method expression
// such as (*netip.Addr).MarshalText.
func PutMapText[M ~map[K]T, K comparable, T any](e *Encoder, v M, marshal func(*K) ([]byte, error), f func(*Encoder, *T)) {
	if !e.fits(len(v)) {
		return
	}
	names := make([]namedKey[K], 0, len(v))
	for k := range v {
		text, err := marshal(&k)
		if err != nil {
			e.Fail(err)
			return
		}
		names = append(names, namedKey[K]{string(text), k})
	}
	putNamed(e, v, names, f)
}

// namedKey is a key with its text.
type namedKey[K any] struct {
	name string
	key  K
}

func putNamed[M ~map[K]T, K comparable, T any](e *Encoder, v M, names []namedKey[K], f func(*Encoder, *T)) {
	slices.SortFunc(names, func(a, b namedKey[K]) int {
		switch {
		case a.name < b.name:
			return -1
		case a.name > b.name:
			return 1
		}
		return 0
	})
	e.Begin()
	var t T
	for i, n := range names {
		if e.full() && e.stop() {
			return
		}
		if i > 0 && n.name == names[i-1].name {
			e.name(n.name)
			e.Fail(errTwice)
			return
		}
		e.name(n.name)
		t = v[n.key]
		f(e, &t)
	}
	e.End()
}

// leastMember is the minimum size of an object member in bytes: "":0 and a comma.
const leastMember = 5

// fits reports whether a map of size entries can be within the limit, so that the names of a map
// that cannot are not sorted.
func (e *Encoder) fits(size int) bool {
	return size < piece || e.reserve(leastMember*size)
}

func sortedKeys[M ~map[K]T, K ~string, T any](m M) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
