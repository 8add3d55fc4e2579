package wire

// scratch is memory for one value of a map while it is read or written. It exists only for common
// types without methods: a method could retain the address.
type scratch struct {
	text    string
	float   float64
	integer int
	boolean bool
}

// scratchLists is memory for the elements of a list whose number is not yet known.
type scratchLists struct {
	texts    []string
	floats   []float64
	integers []int
}

// keptElements is how many elements of a slice a Decoder keeps memory for.
const keptElements = 256

// scratchOf returns memory for one value of a map at a time. Its address leaves the function that
// reads or writes the map, so a variable there would be allocated. For all other types it
// allocates.
func scratchOf[T any](s *scratch) *T {
	if t, ok := any(&s.text).(*T); ok {
		return t
	}
	if t, ok := any(&s.float).(*T); ok {
		return t
	}
	if t, ok := any(&s.integer).(*T); ok {
		return t
	}
	if t, ok := any(&s.boolean).(*T); ok {
		return t
	}
	return new(T)
}

// scratchListOf returns a slice to read elements into, nil if there is none for the type.
func scratchListOf[T any](s *scratchLists) *[]T {
	if t, ok := any(&s.texts).(*[]T); ok {
		return t
	}
	if t, ok := any(&s.floats).(*[]T); ok {
		return t
	}
	if t, ok := any(&s.integers).(*[]T); ok {
		return t
	}
	return nil
}
